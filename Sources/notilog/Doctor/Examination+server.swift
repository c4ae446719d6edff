import Foundation
import Ingestion
import Postgres

extension Examination {
    /// Without a schema: whether the login may create one.
    func privileges(_ pool: Pool) async throws -> Finding {
        let may = try await pool.query("SELECT has_database_privilege(current_database(), 'CREATE')").only()
        return try may.get(0, as: Bool.self)
            ? .ok("privileges", "the role may create the schema")
            : .fail(
                "privileges",
                "the role may not create a schema",
                "GRANT CREATE ON DATABASE … to it, or use the owner's login"
            )
    }

    /// Server settings that the log depends on, as this login's sessions have them.
    func serverSettings(_ pool: Pool) async throws -> [Finding] {
        let rows = try await pool.query(
            "SELECT name, setting FROM pg_settings WHERE name = ANY($1)",
            [.texts(Self.expectations.map(\.name))]
        )
        var values: [String: String] = [:]
        for row in rows { values[try row.get(0)] = try row.get(1) }
        return Self.expectations.map { $0.finding(values[$0.name] ?? "?") }
    }

    /// The expected value of a setting, and why.
    private struct Expectation: Sendable {
        var name: String
        var check: String?
        var verdict = Finding.Verdict.warn
        var isMet: @Sendable (String) -> Bool
        var advice: String
        /// What there is to say of values that are met.
        var hints: [String: String] = [:]

        func finding(_ value: String) -> Finding {
            let check = check ?? name
            guard !isMet(value) else {
                let hint = hints[value].map { ": \($0)" } ?? ""
                return .ok(check, (check == name ? value : "\(name) is \(value)") + hint)
            }
            return Finding(check: check, verdict: verdict, found: "\(name) is \(value)", advice: advice)
        }
    }

    private static let expectations: [Expectation] = {
        let on: @Sendable (String) -> Bool = { $0 == "on" }
        let lost = "without it a crash of the machine loses the log"
        return [
            Expectation(name: "fsync", verdict: .fail, isMet: on, advice: "set fsync = on: \(lost)"),
            Expectation(
                name: "full_page_writes",
                verdict: .fail,
                isMet: on,
                advice: "set full_page_writes = on: \(lost)"
            ),
            Expectation(
                name: "synchronous_commit",
                check: "commits",
                isMet: { ["on", "remote_apply", "remote_write"].contains($0) },
                advice: "the service sets it for its own writes; set it to on"
            ),
            Expectation(
                name: "max_wal_size",
                check: "wal",
                isMet: { Int($0) ?? 0 >= 4096 },
                advice: "set it to 4GB or more, or checkpoints slow ingest down"
            ),
            Expectation(
                name: "wal_level",
                isMet: { $0 != "minimal" },
                advice: "set wal_level = replica: a standby and point-in-time recovery need it"
            ),
            Expectation(
                name: "autovacuum",
                isMet: on,
                advice: "set autovacuum = on: projections are updated constantly and bloat without it"
            ),
            Expectation(
                name: "track_counts",
                isMet: on,
                advice: "set track_counts = on: autovacuum needs it"
            ),
            Expectation(
                name: "default_transaction_isolation",
                check: "isolation",
                verdict: .fail,
                isMet: { $0 == "read committed" },
                advice: "reset it for this login: log.append must see a new epoch at once"
            ),
            Expectation(
                name: "default_transaction_read_only",
                check: "writable",
                verdict: .fail,
                isMet: { $0 == "off" },
                advice: "reset it for this login and database: nothing can be stored"
            ),
            Expectation(
                name: "idle_session_timeout",
                isMet: { $0 == "0" },
                advice: "set it to 0 for the service's login: it would close idle sessions of the pool"
            ),
            Expectation(
                name: "log_error_verbosity",
                check: "server_log",
                isMet: { $0 != "verbose" },
                advice: "set log_error_verbosity = terse: DETAIL lines of PostgreSQL's log may quote device ids",
                hints: ["default": "DETAIL lines of PostgreSQL's log may quote device ids; with terse it has none"]
            ),
        ]
    }()

    func clock(_ pool: Pool) async throws -> Finding {
        let before = Date().timeIntervalSince1970
        let server = try await pool.query("SELECT extract(epoch FROM clock_timestamp())::float8").only().get(
            0,
            as: Double.self
        )
        let after = Date().timeIntervalSince1970
        let gap = server < before ? before - server : max(0, server - after)
        let isAhead = server < before
        let shown = "\(Int(gap * 1000)) ms \(isAhead ? "ahead of" : "behind") the database's"
        let advice = "synchronise both clocks with NTP: this one stamps received_at"
        if gap < 1 { return .ok("clock", shown) }
        guard gap * 1_000_000 > Double(ReceiptClock.tolerance) else { return .warn("clock", shown, advice) }
        return .fail("clock", "\(shown): services of this machine refuse events", advice)
    }

    func disk(_ pool: Pool) async throws -> Finding {
        let row = try await pool.query(
            """
            SELECT pg_size_pretty(pg_database_size(current_database())), current_user,
              CASE WHEN pg_has_role(current_user, 'pg_read_all_settings', 'USAGE') THEN current_setting('data_directory') END
            """
        ).only()
        let size: String = try row.get(0)
        guard let folder = try row.get(2, as: String?.self) else {
            let login: String = try row.get(1)
            return .warn(
                "disk",
                "the database is \(size); its free space is not seen",
                "GRANT pg_monitor TO \(login), which sees more of the sessions too"
            )
        }
        guard let room = Self.room(folder) else {
            return .ok("disk", "the database is \(size); its folder is not read from here: watch its free space there")
        }
        let free = room >> 30 > 0 ? "\(room >> 30) GB" : "\(room >> 20) MB"
        let shown = "the database is \(size), \(free) are free"
        guard room < Int64(settings.doctor.freeGigabytes) << 30 else { return .ok("disk", shown) }
        guard try await isFull(room, pool) else {
            return .warn("disk", shown, "free some space: PostgreSQL stops when its disk is full")
        }
        return .fail(
            "disk",
            shown,
            "free some space now: there is no room for the next segment of the write-ahead log, without which PostgreSQL stops"
        )
    }

    /// Whether a disk is full: what is free does not hold the next segment of the write-ahead log. On another machine a folder of
    /// the same path is not the server's.
    private func isFull(_ room: Int64, _ pool: Pool) async throws -> Bool {
        let row = try await pool.query(
            "SELECT pg_size_bytes(current_setting('wal_segment_size')), inet_server_addr() IS NOT DISTINCT FROM inet_client_addr()"
        ).only()
        let (segment, isHere) = (try row.get(0, as: Int64.self), try row.get(1, as: Bool.self))
        return isHere && room < segment
    }

    /// Free bytes on the disk of a folder; `nil` if it is not on this machine, or not visible.
    private static func room(_ folder: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
