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

/// A file that is written under a temporary name, on the thread of its folder.
actor ExportFile {
    /// Its temporary name, with the folder.
    nonisolated let path: String
    /// Its final name, for errors.
    private let name: String
    private nonisolated let executor: ThreadExecutor
    private let descriptor: Int32
    private let gzip: Gzip?
    private var digest = SHA256()
    private var count: Int64 = 0
    private var isOpen = true

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Throws: ``ExportError`` if it cannot be created.
    init(path: String, name: String, gzip: Bool, executor: ThreadExecutor) throws(ExportError) {
        self.path = path
        self.name = name
        self.executor = executor
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, ExportFolder.fileMode)
        guard descriptor >= 0 else { throw .system("created", name) }
        self.gzip = gzip ? Gzip() : nil
    }

    deinit {
        if isOpen { close(descriptor) }
    }

    /// Appends bytes.
    ///
    /// - Throws: ``ExportError``, for example if the disk is full.
    func write(_ bytes: [UInt8]) throws(ExportError) {
        if let gzip { try put(gzip.compress(bytes)) } else { try put(bytes) }
    }

    /// Closes the file after syncing it to disk.
    ///
    /// - Returns: its SHA-256 in hexadecimal, and its length in bytes.
    func finish() throws(ExportError) -> (sha256: String, bytes: Int64) {
        if let gzip { try put(gzip.finish()) }
        guard fsync(descriptor) == 0 else { throw .system("written to disk", name) }
        isOpen = false
        guard close(descriptor) == 0 else { throw .system("written", name) }
        return (String(hexadecimal: digest.bytes), count)
    }

    /// Discards the file.
    func discard() {
        if isOpen { close(descriptor) }
        isOpen = false
        unlink(path)
    }

    private func put(_ bytes: [UInt8]) throws(ExportError) {
        digest.update(bytes)
        count += Int64(bytes.count)
        if let failure = writeAll(bytes, to: descriptor) { throw .system("written", name, failure) }
    }
}
