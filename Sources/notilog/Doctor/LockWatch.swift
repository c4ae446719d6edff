import Postgres
import Schema

/// Looks for which table a session waits while it works: the error that ends the wait does not name it.
struct LockWatch: Sendable {
    private let looking: Task<String?, Never>

    /// Begins to look.
    ///
    /// - Parameter pool: the pool whose only session works; another session of the same database looks.
    init(_ pool: Pool) async {
        let session = try? await pool.query("SELECT pg_backend_pid()").only().get(0, as: Int32.self)
        let configuration = pool.configuration.with(
            settings: ["statement_timeout": "10s", "search_path": "pg_catalog"],
            applicationName: SessionName.doctor.rawValue
        )
        looking = Task {
            guard let session else { return nil }
            return await Self.lastTable(session, configuration)
        }
    }

    /// Ends it.
    ///
    /// - Returns: the table that the session waited for last; nil where none was seen.
    func end() async -> String? {
        looking.cancel()
        return await looking.value
    }

    private static func lastTable(_ session: Int32, _ configuration: ConnectionConfiguration) async -> String? {
        // What takes no second needs no session that looks.
        guard (try? await ContinuousClock().sleep(for: .seconds(1))) != nil,
            let connection = try? await Connection.connect(configuration)
        else { return nil }
        var table: String?
        while !Task.isCancelled {
            let row = try? await connection.query(
                "SELECT relation::regclass::text FROM pg_locks WHERE pid = $1 AND NOT granted AND relation IS NOT NULL",
                [.int4(session)]
            ).first
            table = (try? row?.get(0, as: String.self)) ?? table
            try? await ContinuousClock().sleep(for: .milliseconds(500))
        }
        await connection.close()
        return table
    }
}
