import Foundation
import Logging
import Postgres
import PrivatePostgres
import Testing

@Suite("Private server")
struct PrivateServerTests {
    private let logger = Logger(label: "test.private")

    @Test("what was committed is there after a kill -9 of the server and a restart; the pool comes back by itself")
    func killed() async throws {
        let server = try await PrivatePostgres.start(logger: logger)
        let pool = Pool(ConnectionConfiguration(connectionString: server.url()), limit: 2)
        try await pool.query("CREATE TABLE t (a int)")
        for round in 1...2 {
            try await pool.query("INSERT INTO t VALUES ($1)", [.int4(Int32(round))])
            try server.kill()
            try await server.restart()
            #expect(try await pool.query("SELECT count(*) FROM t").only().get(0) == round)
        }
        try await server.stop(.immediate)
        await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
        try await server.restart()
        #expect(try await pool.query("SELECT count(*) FROM t").only().get(0) == 2)
        try await server.stop()
    }

    @Test("a server keeps nothing of its starter open: somebody else's pipe ends when its writer closes")
    func inheritsNothing() async throws {
        let pipe = Process.pipe()
        // As a pipe is between its making and the start of the program it is for.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, 0)
        let server = try await PrivatePostgres.start(.init(settings: ["fsync": "off"]), logger: logger)
        try pipe.fileHandleForWriting.close()
        let reader = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
        var byte: UInt8 = 0
        // 0 is the end; -1 with EAGAIN would be an open pipe that is empty.
        #expect(read(reader, &byte, 1) == 0)
        try await server.stop()
    }

    @Test("a given folder keeps its data from one server to the next, and has one owner at a time")
    func folder() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-data-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let options = PrivatePostgres.Options(folder: folder, settings: ["fsync": "off"])
        for round in 0..<2 {
            let server = try await PrivatePostgres.start(options, logger: logger)
            let connection = try await Connection.connect(ConnectionConfiguration(connectionString: server.url()))
            try await connection.execute(script: "CREATE TABLE IF NOT EXISTS t (a int); INSERT INTO t VALUES (1)")
            #expect(try await connection.value("SELECT count(*) FROM t") == round + 1)
            await #expect(throws: PrivatePostgresError.self) {
                _ = try await PrivatePostgres.start(options, logger: logger)
            }
            #expect(server.processID != nil)
            try await server.stop()
            #expect(server.processID == nil)
        }
    }
    /// Makes a folder as a dead process leaves it, in which others write what looks like it. The lock comes last: tests beside this one start
    /// servers, too.
    private func makeLeftover(_ name: String, owner: uid_t = geteuid()) throws -> URL {
        let folder = Self.parent.appendingPathComponent(name)
        let data = folder.appendingPathComponent("data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        #expect(chown(folder.path, owner, getegid()) == 0)
        for file in [data.appendingPathComponent("postmaster.pid"), folder.appendingPathComponent("lock")] {
            try Data().write(to: file)
        }
        return folder
    }

    private static let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()

    private static func newName() -> String { "notilog-pg-\(UUID().uuidString.lowercased())" }

    @Test("a start clears up after a dead process of this user, and leaves alone what a link leads to")
    func leftovers() async throws {
        let own = try makeLeftover(Self.newName())
        let elsewhere = try makeLeftover("elsewhere-" + Self.newName())
        let link = Self.parent.appendingPathComponent(Self.newName())
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: elsewhere)
        defer { for path in [own, link, elsewhere] { try? FileManager.default.removeItem(at: path) } }
        let server = try await PrivatePostgres.start(.init(settings: ["fsync": "off"]), logger: logger)
        try await server.stop()
        #expect(!FileManager.default.fileExists(atPath: own.path))
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link.path)) != nil)
    }

    @Test("a start leaves the folders of other users alone", .enabled(if: geteuid() == 0))
    func foreignLeftovers() async throws {
        let nobody: uid_t = 65_534
        let folder = try makeLeftover(Self.newName(), owner: nobody)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await PrivatePostgres.start(.init(settings: ["fsync": "off"]), logger: logger)
        try await server.stop()
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("data/postmaster.pid").path))
    }
}
