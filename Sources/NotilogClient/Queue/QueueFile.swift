import Foundation

/// A file descriptor of the queue. It is closed with its last reference.
final class QueueFile {
    let descriptor: Int32

    /// Opens a file, and creates it if it does not exist.
    init(_ path: String, append: Bool = false) throws(Notilog.StorageError) {
        FileProtection.create(path)
        descriptor = try Self.retry("open") {
            open(path, O_RDWR | O_CREAT | O_CLOEXEC | (append ? O_APPEND : 0), 0o600)
        }
        FileProtection.protect(path)
    }

    deinit {
        close(descriptor)
    }

    var size: Int {
        get throws(Notilog.StorageError) {
            var status = stat()
            try Self.retry("stat") { fstat(descriptor, &status) }
            return Int(status.st_size)
        }
    }

    /// Whether the file still has a name. A deleted file accepts writes but does not keep them.
    var isLinked: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    /// Everything from `offset` to the end.
    func read(from offset: Int = 0) throws(Notilog.StorageError) -> [UInt8] {
        let wanted = max(0, try size - offset)
        var bytes = [UInt8](repeating: 0, count: wanted)
        var count = 0
        while count < wanted {
            let part = try Self.retry("read") {
                bytes.withUnsafeMutableBytes { buffer in
                    pread(
                        descriptor,
                        buffer.baseAddress.map { $0 + count },
                        wanted - count,
                        off_t(offset + count)
                    )
                }
            }
            guard part > 0 else { break }
            count += part
        }
        bytes.removeLast(wanted - count)
        return bytes
    }

    /// Appends data, all or nothing as far as the system allows.
    func append(_ bytes: [UInt8], after size: Int) throws(Notilog.StorageError) {
        var count = 0
        do {
            while count < bytes.count {
                count += try Self.retry("write") {
                    bytes.withUnsafeBytes { buffer in
                        write(descriptor, buffer.baseAddress.map { $0 + count }, bytes.count - count)
                    }
                }
            }
        } catch {
            // The disk is full: remove the partial frame.
            _ = ftruncate(descriptor, off_t(size))
            throw error
        }
    }

    func put(_ bytes: [UInt8], at offset: Int) throws(Notilog.StorageError) {
        let count = try Self.retry("write") {
            bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        }
        guard count == bytes.count else { throw Notilog.StorageError(operation: "write", code: ENOSPC) }
    }

    /// Waits until the data is on the storage device.
    func synchronise() throws(Notilog.StorageError) {
        #if canImport(Darwin)
            // Keeps the order of writes on the device, which is what the queue's promise needs (fcntl, F_BARRIERFSYNC).
            if fcntl(descriptor, F_BARRIERFSYNC) == 0 { return }
            try Self.retry("fsync") { fsync(descriptor) }
        #else
            try Self.retry("fsync") { fdatasync(descriptor) }
        #endif
    }

    /// Waits until no other process has the file's lock.
    func lock() throws(Notilog.StorageError) {
        try Self.retry("lock") { flock(descriptor, LOCK_EX) }
    }

    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Makes the names in a folder durable.
    static func synchronise(folder: String) throws(Notilog.StorageError) {
        let descriptor = try retry("open") { open(folder, O_RDONLY | O_CLOEXEC) }
        defer { close(descriptor) }
        try retry("fsync") { fsync(descriptor) }
    }

    @discardableResult
    static func retry<Number: SignedInteger>(
        _ operation: String,
        _ call: () -> Number
    ) throws(Notilog.StorageError) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw Notilog.StorageError(operation: operation, code: errno) }
        }
    }
}
