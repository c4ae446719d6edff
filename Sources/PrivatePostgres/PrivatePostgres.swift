internal import Foundation
public import Logging
internal import Synchronization

/// A PostgreSQL server for this process, for tests, demos and development: created by `initdb`, reached through a socket in
/// a folder that only its user can enter, and stopped when this process ends or releases it.
public final class PrivatePostgres: Sendable {
    /// The configuration of a server.
    public struct Options: Sendable {
        /// The folder of the data; existing data is used. Nil creates a folder that is removed at the end.
        public var folder: String?
        /// Server settings, such as `fsync`. Default: PostgreSQL's own, so commits are durable.
        public var settings: [String: String]
        /// A port on 127.0.0.1 (with password) besides the socket; nil for none.
        public var port: UInt16?

        /// - Parameters: as the properties of the same names.
        public init(folder: String? = nil, settings: [String: String] = [:], port: UInt16? = nil) {
            self.folder = folder
            self.settings = settings
            self.port = port
        }
    }

    let programs: ServerPrograms
    let user: ServerUser
    let folder: String
    let socketFolder: String
    let temporary: [String]
    let logger: Logger
    private let locks: [FolderLock]
    private let watchdog = Mutex<Watchdog?>(nil)

    var dataFolder: String { "\(folder)/data" }
    var logFile: String { "\(dataFolder)/server.log" }
    static let temporaryPrefix = "notilog-pg-"

    /// Starts a server, after stopping those that dead processes left behind.
    ///
    /// - Throws: ``PrivatePostgresError``.
    public static func start(_ options: Options = Options(), logger: Logger) async throws -> PrivatePostgres {
        let server = try PrivatePostgres(options, logger: logger)
        await server.removeStale()
        try await server.prepare(options)
        try server.watch()
        try await server.launch()
        return server
    }

    private init(_ options: Options, logger: Logger) throws(PrivatePostgresError) {
        programs = try ServerPrograms.find()
        user = try ServerUser.choose()
        self.logger = logger
        let (socketFolder, socketLock) = try FolderLock.makeTemporaryFolder(prefix: Self.temporaryPrefix)
        self.socketFolder = socketFolder
        if let given = options.folder {
            folder = URL(fileURLWithPath: given).standardizedFileURL.path
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            } catch {
                throw PrivatePostgresError("the folder \(folder) cannot be created: \(error.localizedDescription)")
            }
            guard let lock = try FolderLock.take(folder) else {
                throw PrivatePostgresError(
                    "the folder \(folder) is in use by another process: stop it or choose another folder"
                )
            }
            locks = [socketLock, lock]
        } else {
            folder = socketFolder
            locks = [socketLock]
        }
        temporary = [socketFolder]
    }

    /// The URL of a database on this server, for libpq.
    public func url(database: String = "postgres") -> String {
        "postgresql://postgres@/\(database)?host=\(socketFolder)/socket"
    }

    /// The URL of a database on the server that another process runs in a folder; nil if none does.
    ///
    /// - Parameter folder: as in ``Options/folder``.
    public static func runningURL(folder: String, database: String) -> String? {
        guard let file = FileManager.default.contents(atPath: "\(folder)/data/postmaster.pid") else { return nil }
        // Process, data, start, port, socket's folder, address, shared memory, status (PostgreSQL's miscadmin.h).
        let lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 7, lines[7].hasPrefix("ready"), let process = Int32(lines[0]), isAlive(process) else {
            return nil
        }
        return "postgresql://postgres@/\(database)?host=\(lines[4])&port=\(lines[3])"
    }

    /// The process id of the server's postmaster; nil if it is not running.
    public var processID: Int32? {
        guard let data = FileManager.default.contents(atPath: "\(dataFolder)/postmaster.pid"),
            let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first
        else { return nil }
        return Int32(line)
    }

    private func watch() throws(PrivatePostgresError) {
        let new = try Watchdog(dataFolder: dataFolder, temporary: temporary)
        watchdog.withLock { $0 = new }
    }

    /// The end of the server's own log, for reports of failures.
    public func recentLog(bytes: Int = 4000) -> String {
        guard let file = FileHandle(forReadingAtPath: logFile), let end = try? file.seekToEnd() else { return "" }
        defer { try? file.close() }
        try? file.seek(toOffset: end - min(end, UInt64(bytes)))
        return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
    }

    /// The log's size in bytes.
    package var logLength: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: logFile)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}
