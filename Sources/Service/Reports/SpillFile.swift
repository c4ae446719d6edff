internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The disk space for data that clients have not read: a number of bytes for one answer, and for all together.
final class SpillRoom: Sendable {
    let ofAnswer: Int
    private let left: Mutex<Int>

    init(ofAnswer: Int, together: Int) {
        self.ofAnswer = ofAnswer
        left = Mutex(together)
    }

    func take(_ bytes: Int) -> Bool {
        left.withLock { left in
            guard left >= bytes else { return false }
            left -= bytes
            return true
        }
    }

    func give(_ bytes: Int) {
        left.withLock { $0 += bytes }
    }
}

/// A file without a name, gone with its last reference, also where the process is killed.
final class SpillFile: Sendable {
    private let descriptor: Int32

    /// Nil where none can be made.
    init?() {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/notilog-answer-XXXXXX".utf8CString)
        descriptor = path.withUnsafeMutableBufferPointer { path in
            guard let path = path.baseAddress else { return -1 }
            let descriptor = mkstemp(path)
            if descriptor >= 0 {
                unlink(path)
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
            return descriptor
        }
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Writes bytes at an offset. False if the disk is full or fails.
    func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(
                    descriptor,
                    bytes.baseAddress?.advanced(by: done),
                    bytes.count - done,
                    off_t(offset + done)
                )
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// Reads bytes at an offset; nil if the disk fails.
    func read(_ count: Int, at offset: Int) -> [UInt8]? {
        var done = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while done < count {
                let more = pread(descriptor, buffer.baseAddress?.advanced(by: done), count - done, off_t(offset + done))
                if more < 0, errno == EINTR { continue }
                guard more > 0 else { break }
                done += more
            }
            filled = done
        }
        return done == count ? bytes : nil
    }
}
