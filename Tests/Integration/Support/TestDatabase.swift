import Foundation
import Logging
import Postgres
import PrivatePostgres
import Schema

/// A database of one test's own, on a private server that all tests of the process share, or on that of `DATABASE_URL`.
///
///     try await TestDatabase.withDatabase { database in
///         let connection = try await database.connect()
///     }
struct TestDatabase: Sendable {
    /// Its URL, for anything that takes one.
    let url: String

    /// Where it is, for pools and services. A machine that runs tests may hang for longer than a service waits.
    var configuration: ConnectionConfiguration {
        ConnectionConfiguration(connectionString: url, connectTimeoutSeconds: 60)
    }

    /// A connection of the test's own.
    func connect(settings: [String: String] = [:]) async throws -> Connection {
        try await Connection.connect(configuration.with(settings: settings))
    }

    /// Runs a test on a fresh database with Notilog's schema, and drops it afterwards.
    ///
    /// - Parameters:
    ///   - migrated: false for an empty database.
    ///   - body: the test.
    static func withDatabase<Value>(
        migrated: Bool = true,
        caller: isolated (any Actor)? = #isolation,
        _ body: (TestDatabase) async throws -> Value
    ) async throws -> Value {
        await TestServer.shared.enter()
        let name: String
        do {
            name = try await TestServer.shared.create(migrated: migrated)
        } catch {
            await TestServer.shared.leave()
            throw error
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(TestDatabase(url: TestServer.shared.url(name))))
        } catch {
            result = .failure(error)
        }
        let dropped: Result<Void, any Error>
        do {
            dropped = .success(try await TestServer.shared.drop(name))
        } catch {
            dropped = .failure(error)
        }
        await TestServer.shared.leave()
        try dropped.get()
        return try result.get()
    }

    /// Runs a test on so many fresh databases with Notilog's schema, and drops them afterwards.
    static func withDatabases(_ number: Int, _ body: ([TestDatabase]) async throws -> Void) async throws {
        try await withDatabase { first in
            var names: [String] = []
            let result: Result<Void, any Error>
            do {
                var databases = [first]
                for _ in 1..<number {
                    names.append(try await TestServer.shared.create(migrated: true))
                    databases.append(TestDatabase(url: try await TestServer.shared.url(names[names.count - 1])))
                }
                result = .success(try await body(databases))
            } catch {
                result = .failure(error)
            }
            for name in names { try await TestServer.shared.drop(name) }
            try result.get()
        }
    }

    /// Runs a test on a server of its own, which it may kill.
    ///
    /// - Parameters:
    ///   - settings: of the server; by themselves for one that crashes as a process, not with its machine.
    ///   - migrated: false for an empty database.
    ///   - body: the test.
    static func withServer(
        settings: [String: String] = ["fsync": "off", "shared_buffers": "64MB"],
        migrated: Bool = true,
        _ body: (PrivatePostgres, TestDatabase) async throws -> Void
    ) async throws {
        let server = try await PrivatePostgres.start(.init(settings: settings), logger: Logger(label: "test.postgres"))
        do {
            let database = TestDatabase(url: server.url())
            if migrated {
                let connection = try await database.connect()
                let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.migrate"))
                try await migrator.migrate(on: connection)
                await connection.close()
            }
            try await body(server, database)
        } catch {
            try? await server.stop(.immediate)
            throw error
        }
        try? await server.stop(.immediate)
    }
}

/// The server that tests share. It does without fsync: tests of durability start one of their own.
actor TestServer {
    static let shared = TestServer()

    private var starting: Task<PrivatePostgres, any Error>?
    private var preparing: Task<Void, any Error>?
    private var created = 0
    static let template = "notilog_template"

    /// A superuser's URL of another server to use. Tests that stop or change a server start one of their own all the same.
    private static let elsewhere = ProcessInfo.processInfo.environment["DATABASE_URL"]

    /// The server, started at the first call.
    func server() async throws -> PrivatePostgres {
        let task =
            starting
            ?? Task {
                try await PrivatePostgres.start(
                    .init(settings: [
                        "fsync": "off", "full_page_writes": "off", "max_connections": "500", "shared_buffers": "256MB",
                        "max_wal_size": "4GB", "autovacuum_naptime": "5s",
                    ]),
                    logger: Logger(label: "test.postgres")
                )
            }
        starting = task
        return try await task.value
    }

    // Every test begins at once, and each has processes and connections of its own: more of them at a time would only
    // wait for each other, and run into the server's limit.
    private var free = 10
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits until there is room for one more test's database.
    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Gives the room to the longest waiter.
    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }

    func url(_ database: String) async throws -> String {
        guard let elsewhere = Self.elsewhere else { return try await server().url(database: database) }
        return elsewhere + (elsewhere.contains("?") ? "&" : "?") + "dbname=\(database)"
    }

    func create(migrated: Bool) async throws -> String {
        if migrated { try await prepareTemplate() }
        created += 1
        let name = "test_\(ProcessInfo.processInfo.processIdentifier)_\(created)"
        try await administer(
            "CREATE DATABASE \(name) TEMPLATE \(migrated ? Self.template : "template0")"
        )
        // A copy has the template's objects with their rights, but not the rights on the database itself.
        if migrated { try await administer("GRANT CREATE ON DATABASE \(name) TO notilog_owner, notilog_projector") }
        return name
    }

    func drop(_ name: String) async throws {
        try await administer("DROP DATABASE \(name) WITH (FORCE)")
    }

    private func prepareTemplate() async throws {
        let task =
            preparing
            ?? Task {
                // Of an earlier run, on a server that is not private.
                try await administer("DROP DATABASE IF EXISTS \(Self.template)")
                try await administer("CREATE DATABASE \(Self.template) TEMPLATE template0")
                let connection = try await TestDatabase(url: url(Self.template)).connect()
                let migrator = Migrator(folder: try ReleaseFolder.locate(), logger: Logger(label: "test.migrate"))
                try await migrator.migrate(on: connection)
                await connection.close()
            }
        preparing = task
        try await task.value
    }

    private var administration: Task<Connection, any Error>?

    /// One connection, as CREATE DATABASE takes turns anyway.
    private func administer(_ sql: String) async throws {
        let task =
            administration
            ?? Task {
                try await TestDatabase(url: url("postgres")).connect()
            }
        administration = task
        try await task.value.query(sql, cached: false)
    }
}
