internal import EventLog
internal import Ingestion
internal import Logging
internal import Postgres
internal import Projections
internal import Schema
internal import Settings
internal import Synchronization

/// Checks that the database answers, its schema fits this release, it takes events, its clock can be right, and the projections
/// keep up.
struct ReadinessCheck: Sendable {
    let pool: Pool
    /// Knows what became of the newest events.
    let log: CellLog
    let migrator: Migrator
    /// The release's files as they were when the service began: those on disk may be the next release's already.
    let files: SQLFiles
    /// Those of each database that the log is in, with its number; that of the coordinator first.
    let checkpoints: [(cell: Int16, checkpoints: ProjectionCheckpoints)]
    let clock: ReceiptClock
    let lagLimit: Double
    let standby: Standby?
    private let progress = Progress()

    init(
        _ configuration: ServiceConfiguration,
        _ store: ServiceStore,
        _ pools: Pools,
        _ checkpoints: [(cell: Int16, checkpoints: ProjectionCheckpoints)],
        _ log: CellLog,
        _ clock: ReceiptClock,
        _ logger: Logger
    ) {
        pool = pools.monitoring
        self.log = log
        migrator = Migrator(folder: store.folder, logger: logger)
        files = store.files
        self.checkpoints = checkpoints
        standby = pools.standby
        self.clock = clock
        lagLimit = configuration.lagLimit
    }

    /// Reads the setting: seconds that a projection may be behind.
    static func lagLimit(_ settings: SettingsReader) -> Double {
        settings.number("ready.lag_seconds", default: 60, atLeast: 0, "lag at which /readyz answers not ready")
    }

    func find() async -> Readiness {
        var readiness = Readiness(standby: standby?.status)
        func begin(_ check: String, _ failure: String) {
            progress.state.withLock { $0 = (readiness, check, failure) }
        }
        begin("database", "the database does not answer")
        do {
            let state = try await pool.withConnection { try await migrator.state(files, on: $0) }
            readiness.add("database", nil)
            readiness.add("schema", state.problem)
            guard state.isUsable else { return readiness }
            begin("append", "the database could not be asked whether it takes events")
            readiness.add("append", try await appendProblem())
            begin("clock", "the database's clock could not be read")
            readiness.add("clock", try await clock.problem())
            begin("lag", "the positions of the projections could not be read")
            let late = try await late()
            let names = late.joined(separator: ", ")
            readiness.add("lag", late.isEmpty ? nil : "more than \(Int(lagLimit)) s behind the log: \(names)")
        } catch {
            return unfinished(because: (error as? PostgresError)?.refusal)
        }
        return readiness
    }

    /// The projections that are behind. A cell that does not answer has none: the others go on without it.
    private func late() async throws -> [String] {
        var names: [String] = []
        for (cell, checkpoints) in checkpoints {
            do {
                let late = try await checkpoints.status().filter { !$0.isPaused && $0.lagSeconds > lagLimit }
                names += late.map { cell == 0 ? $0.name : "\($0.name) of cell \(cell)" }
            } catch is PostgresError where cell > 0 {
                continue
            }
        }
        return names
    }

    /// Why events cannot be stored; nil if they can, as far as is known without writing.
    private func appendProblem() async throws -> String? {
        let refusal = log.refusal
        // A session keeps the default that it began with: only a new one shows whether the database takes writes by now.
        if refusal == .readOnly { try await pool.withConnection { await $0.close() } }
        let (isStandby, isReadOnly) = try await pool.withConnection { connection in
            let row = try await connection.query(
                "SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::boolean"
            ).only()
            let found = (try row.get(0, as: Bool.self), try row.get(1, as: Bool.self))
            if found.1 { await connection.close() }
            return found
        }
        if isStandby { return "the server is a standby, which takes no events" }
        if isReadOnly { return PostgresError.Refusal.readOnly.description }
        // Any other refusal counts until events are stored again.
        return refusal == .readOnly ? nil : refusal?.description
    }

    /// The results so far of the search under way, with its current check as failed.
    ///
    /// - Parameter refusal: why PostgreSQL refused, if it did.
    func unfinished(because refusal: PostgresError.Refusal? = nil) -> Readiness {
        guard let (found, check, failure) = progress.state.withLock({ $0 }) else {
            return Readiness(standby: standby?.status)
        }
        var readiness = found
        readiness.add(check, refusal?.description ?? failure)
        return readiness
    }

    /// The results so far, and what it means if the current check fails.
    private final class Progress: Sendable {
        let state = Mutex<(Readiness, check: String, failure: String)?>(nil)
    }
}
