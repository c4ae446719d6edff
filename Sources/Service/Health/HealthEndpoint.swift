internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import Ingestion
internal import JSON
internal import Logging
internal import Pacing
internal import Postgres
internal import Projections
internal import Schema
internal import Settings
internal import Synchronization

/// `GET /healthz`, whether the process answers, and `GET /readyz`, whether it can do its work.
struct HealthEndpoint: Sendable {
    private let check: ReadinessCheck
    private let readiness: Recent<Readiness>

    /// How long health and metrics wait for the database: less than a probe does, which else would see no answer instead of a
    /// bad one.
    static let patience = Duration.milliseconds(2500)

    init(_ check: ReadinessCheck) {
        self.check = check
        readiness = Recent(for: .seconds(1)) { await check.find() }
    }

    var routes: [Route] {
        [
            .open("/healthz", isQuiet: true, isForWatchers: true) { _, _ in
                return .object { $0.field("status", "ok") }
            },
            .open("/readyz", isQuiet: true, isForWatchers: true) { _, _ in
                let found = try await readiness.value(within: Self.patience)
                return (found ?? check.unfinished()).response
            },
        ]
    }
}

/// Looks whether the database answers, its schema is one that this release works on, it takes events, the clock can be right, and
/// the projections keep up.
struct ReadinessCheck: Sendable {
    let pool: Pool
    /// Knows what became of the newest events.
    let log: EventLog
    let migrator: Migrator
    /// The release's files as they were when the service began: those on disk may be the next release's already.
    let files: SQLFiles
    let checkpoints: ProjectionCheckpoints
    let clock: ReceiptClock
    let lagLimit: Double
    let standby: Standby?
    private let progress = Progress()

    init(
        _ configuration: ServiceConfiguration,
        _ store: ServiceStore,
        _ pools: Pools,
        _ checkpoints: ProjectionCheckpoints,
        _ log: EventLog,
        _ clock: ReceiptClock,
        _ logger: Logger
    ) {
        pool = pools.watching
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
            let late = try await checkpoints.status().filter { !$0.isPaused && $0.lagSeconds > lagLimit }
            let names = late.map(\.name).joined(separator: ", ")
            readiness.add("lag", late.isEmpty ? nil : "more than \(Int(lagLimit)) s behind the log: \(names)")
        } catch {
            return unfinished(because: (error as? PostgresError)?.refusal)
        }
        return readiness
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
        // Anything else nobody knows to be over before events are stored again.
        return refusal == .readOnly ? nil : refusal?.description
    }

    /// What the look under way has found, and that the check that it is at has failed.
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

    /// What was found so far, and what the check under way means if it fails.
    private final class Progress: Sendable {
        let state = Mutex<(Readiness, check: String, failure: String)?>(nil)
    }
}

/// What was checked, and what is wrong.
struct Readiness: Sendable {
    private var checks: [(name: String, problem: String?)] = []
    /// No check: without it everything is read from the primary, and events are taken as before.
    private let standby: StandbyStatus?

    init(standby: StandbyStatus?) {
        self.standby = standby
    }

    mutating func add(_ name: String, _ problem: String?) {
        checks.append((name, problem))
    }

    var isReady: Bool {
        checks.allSatisfy { $0.problem == nil }
    }

    var response: Response {
        var response = Response.object {
            $0.field("status", isReady ? "ready" : "not_ready")
            $0.name("checks")
            $0.object { json in
                for check in checks {
                    json.name(text: check.name)
                    json.string(check.problem ?? "ok")
                }
            }
            if let standby {
                $0.name("standby")
                $0.object { standby.write(to: &$0) }
            }
        }
        if !isReady {
            response.status = .serviceUnavailable
            response.headers[.retryAfter] = String(RetryAfter(2).seconds)
        }
        return response
    }
}

extension StandbyStatus {
    /// Writes the members of an object.
    fileprivate func write(to json: inout JSONWriter) {
        json.field("state", state.rawValue)
        json.field("detail", problem)
        guard let lag else { return }
        json.field("bytes_behind", lag.bytes)
        json.field("positions_behind", lag.positions)
        json.field("seconds_behind", lag.seconds)
    }
}
