import EventLog
import Logging
import NotificationEvents
import Postgres

/// A running event log on a test's database.
struct TestLog: Sendable {
    let log: EventLog
    let signal: LogSignal

    /// Runs the log's writers for the length of `body`.
    static func with<Value>(
        _ database: TestDatabase,
        options: EventLog.Options = .init(),
        tally: Tally? = nil,
        caller: isolated (any Actor)? = #isolation,
        _ body: (TestLog) async throws -> Value
    ) async throws -> Value {
        let connection = try await database.connect()
        try await Partitions.ensure(from: SampleEvents.noon, to: SampleEvents.noon, on: connection)
        await connection.close()
        let signal = LogSignal()
        let log = EventLog(
            database.configuration,
            options: options,
            signal: signal,
            tally: tally,
            logger: Logger(label: "test.log")
        )
        let running = Task { await log.run() }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(TestLog(log: log, signal: signal)))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        await running.value
        return try result.get()
    }
}

extension Connection {
    /// The only value of a query's only row.
    func value<Value: PostgresDecodable & Sendable>(
        _ sql: String,
        _ parameters: [Parameter] = [],
        as type: Value.Type = Value.self
    ) async throws -> Value {
        try await query(sql, parameters, cached: false).only().get(0)
    }

    /// The process id of the server's backend.
    var processID: Int32 {
        get async throws { try await value("SELECT pg_backend_pid()") }
    }

    /// How far the log is settled.
    var settledPosition: Int64 {
        get async throws { try await value("SELECT settled_position FROM log.state") }
    }
}
