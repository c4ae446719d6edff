internal import Gzip
internal import Hashing
internal import NotificationEvents
internal import Postgres

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file that is written under a temporary name, on its folder's thread.
actor ExportFile {
    /// Its temporary name with the folder.
    nonisolated let path: String
    /// The name that it is to have, for errors.
    private let name: String
    private nonisolated let executor: ThreadExecutor
    private let descriptor: Int32
    private let gzip: Gzip?
    private var digest = SHA256()
    private var count: Int64 = 0
    private var isOpen = true

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Throws: ``ExportError`` where it cannot be made.
    init(path: String, name: String, gzip: Bool, executor: ThreadExecutor) throws(ExportError) {
        self.path = path
        self.name = name
        self.executor = executor
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, ExportFolder.fileMode)
        guard descriptor >= 0 else { throw .system("made", name) }
        self.gzip = gzip ? Gzip() : nil
    }

    deinit {
        if isOpen { close(descriptor) }
    }

    /// Appends bytes.
    ///
    /// - Throws: ``ExportError``, as where the disk is full.
    func write(_ bytes: [UInt8]) throws(ExportError) {
        if let gzip { try put(gzip.compress(bytes)) } else { try put(bytes) }
    }

    /// Ends the file, on disk.
    ///
    /// - Returns: its SHA-256 in hexadecimal, and how many bytes it has.
    func finish() throws(ExportError) -> (sha256: String, bytes: Int64) {
        if let gzip { try put(gzip.finish()) }
        guard fsync(descriptor) == 0 else { throw .system("written to disk", name) }
        isOpen = false
        guard close(descriptor) == 0 else { throw .system("written", name) }
        return (String(hexadecimal: digest.bytes), count)
    }

    /// Gives the file up.
    func discard() {
        if isOpen { close(descriptor) }
        isOpen = false
        unlink(path)
    }

    private func put(_ bytes: [UInt8]) throws(ExportError) {
        digest.update(bytes)
        count += Int64(bytes.count)
        let failure: Int32? = bytes.withUnsafeBytes { all in
            var rest = all[...]
            while !rest.isEmpty {
                let written = Self.write(descriptor, rest)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return errno }
                rest = rest.dropFirst(written)
            }
            return nil
        }
        if let failure { throw .system("written", name, failure) }
    }

    private static func write(_ descriptor: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        let part = UnsafeRawBufferPointer(rebasing: bytes)
        #if canImport(Glibc)
            return Glibc.write(descriptor, part.baseAddress, part.count)
        #elseif canImport(Musl)
            return Musl.write(descriptor, part.baseAddress, part.count)
        #else
            return Darwin.write(descriptor, part.baseAddress, part.count)
        #endif
    }
}
