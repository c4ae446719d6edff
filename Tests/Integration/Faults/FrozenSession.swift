import Postgres

/// A session of a process that stopped where no time limit of the server ends it, so that it keeps the locks of its transaction.
struct FrozenSession {
    /// Where its process stands still.
    enum Point: Sendable {
        /// The server has run the statement, and waits to hear that nothing belongs to it any more (Sync; PostgreSQL
        /// documentation, 55.2.3).
        case inStatement
        /// The statement has ended, and the server waits for it to read the rows.
        case afterStatement

        /// How the server shows it.
        var wait: String {
            switch self {
            case .inStatement: "state = 'active' AND wait_event = 'ClientRead'"
            case .afterStatement: "state = 'idle in transaction' AND wait_event = 'ClientWrite'"
            }
        }
    }

    private let line: FaultProxy
    private let client: RawClient
    private let point: Point

    /// - Parameters:
    ///   - point: where it stands still.
    ///   - login: the role that it logs in as, without a password.
    ///   - database: the name of the database.
    ///   - application: its `application_name`.
    ///   - sql: what it runs before, for example what begins a transaction and takes a lock.
    init(
        _ point: Point,
        as login: String,
        in database: String,
        application: String,
        after sql: String
    ) async throws {
        self.point = point
        line = try FaultProxy(to: .socket(path: MovedLog.socket(try await TestServer.shared.server())))
        client = try RawClient("http://127.0.0.1:\(line.port)")
        var options: [UInt8] = []
        for text in ["user", login, "database", database, "application_name", application] {
            options += Self.text(text)
        }
        let protocolVersion: [UInt8] = [0, 3, 0, 0]
        await client.send(Self.message(nil, protocolVersion + options + [0]))
        await client.send(Self.message("Q", Self.text(sql)))
        switch point {
        case .inStatement:
            let parse = Self.message("P", [0] + Self.text("SELECT 1") + [0, 0])
            let bind = Self.message("B", [0, 0, 0, 0, 0, 0, 0, 0])
            let execute = Self.message("E", [0, 0, 0, 0, 0])
            await client.send(parse + bind + execute)
        case .afterStatement:
            // The answer of each goes out as a whole when it has ended; together they are more than the sockets take.
            let query = Self.message("Q", Self.text("SELECT repeat('x', 7000)"))
            await client.send(Array(repeatElement(query, count: 5_000).joined()))
        }
    }

    /// Waits until the server waits for it.
    func begin(_ application: String, on connection: Connection) async throws {
        try await eventually("the server waits for a process that is frozen") {
            try await connection.value(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = '\(application)' AND \(point.wait)
                """
            ) == Int64(1)
        }
    }

    func close() {
        line.close()
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

    private static func message(_ kind: Character?, _ body: [UInt8]) -> [UInt8] {
        let length = UInt32(body.count + 4)
        let type = kind?.asciiValue.map { [$0] } ?? []
        return type + withUnsafeBytes(of: length.bigEndian) { Array($0) } + body
    }
}
