import Foundation
import Postgres

extension Examination {
    func privileges(_ pool: Pool, hasSchema: Bool) async throws -> Finding {
        guard hasSchema else {
            let may = try await pool.query("SELECT has_database_privilege(current_database(), 'CREATE')").only().get(
                0,
                as: Bool.self
            )
            return may
                ? .ok("privileges", "the role may make the schema")
                : .fail(
                    "privileges",
                    "the role may not make a schema",
                    "GRANT CREATE ON DATABASE … to it, or use the owner"
                )
        }
        let row = try await pool.query(
            """
            SELECT current_user, has_table_privilege('log.event', 'INSERT') AND has_table_privilege('log.identity', 'INSERT')
              AND has_sequence_privilege('log.position', 'USAGE') AND has_table_privilege('notilog.api_key', 'SELECT'),
              rolsuper FROM pg_roles WHERE rolname = current_user
            """
        ).only()
        let role: String = try row.get(0)
        guard try row.get(1, as: Bool.self) else {
            return .fail(
                "privileges",
                "\(role) may not append to the log",
                "use the role that migrated, or grant it what it lacks"
            )
        }
        guard try !row.get(2, as: Bool.self) else {
            return .warn("privileges", "\(role) is a superuser", "for anything but development use a role of its own")
        }
        return .ok("privileges", "\(role) may append and read")
    }

    func serverSettings(_ pool: Pool) async throws -> [Finding] {
        let rows = try await pool.query(
            """
            SELECT name, setting, unit FROM pg_settings
            WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'max_wal_size', 'max_connections')
            """
        )
        var values: [String: String] = [:]
        for row in rows { values[try row.get(0)] = try row.get(1) }
        var findings: [Finding] = []
        for name in ["fsync", "full_page_writes"] {
            findings.append(
                values[name] == "on"
                    ? .ok(name, "on")
                    : .fail(
                        name,
                        values[name] ?? "?",
                        "set \(name) = on: without it a crash of the machine loses the log"
                    )
            )
        }
        let commit = values["synchronous_commit"] ?? "?"
        findings.append(
            ["on", "remote_apply", "remote_write"].contains(commit)
                ? .ok("commits", "synchronous_commit is \(commit)")
                : .warn(
                    "commits",
                    "synchronous_commit is \(commit)",
                    "the service sets it to on for its own writes; set it on"
                )
        )
        let wal = Int(values["max_wal_size"] ?? "") ?? 0
        findings.append(
            wal >= 4096
                ? .ok("wal", "max_wal_size is \(wal) MB")
                : .warn("wal", "max_wal_size is \(wal) MB", "set it to 4GB or more, or checkpoints slow ingest down")
        )
        return findings
    }

    func clock(_ pool: Pool) async throws -> Finding {
        let before = Date().timeIntervalSince1970
        let server = try await pool.query("SELECT extract(epoch FROM clock_timestamp())::float8").only().get(
            0,
            as: Double.self
        )
        let after = Date().timeIntervalSince1970
        let gap = server < before ? before - server : max(0, server - after)
        let shown = "\(Int(gap * 1000)) ms from the database's"
        return gap < 1
            ? .ok("clock", shown)
            : .warn("clock", shown, "keep both machines' clocks right with NTP: event times are taken from this one")
    }

    func disk(_ pool: Pool) async throws -> Finding {
        let row = try await pool.query(
            """
            SELECT pg_size_pretty(pg_database_size(current_database())),
              CASE WHEN pg_has_role(current_user, 'pg_read_all_settings', 'USAGE') THEN current_setting('data_directory') END
            """
        ).only()
        let size: String = try row.get(0)
        guard let folder = try row.get(1, as: String?.self), let room = Self.room(folder) else {
            return .ok("disk", "the database is \(size); the room left is on another machine")
        }
        let shown = "the database is \(size), \(room >> 30) GB are free"
        return room > 5 << 30
            ? .ok("disk", shown)
            : .warn("disk", shown, "make room: PostgreSQL stops when its disk is full")
    }

    /// Bytes free where a folder is; `nil` where it is not on this machine, or not to be seen.
    private static func room(_ folder: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    func partitions(_ pool: Pool) async throws -> Finding {
        let row = try await pool.query(
            """
            SELECT count(*), to_regclass('log.event_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')) IS NOT NULL,
              to_regclass('log.event_' || to_char((now() AT TIME ZONE 'UTC') + interval '1 month', 'YYYY_MM')) IS NOT NULL
            FROM pg_inherits WHERE inhparent = 'log.event'::regclass
            """
        ).only()
        let shown = "\(try row.get(0, as: Int64.self)) partitions"
        let advice =
            "run the service, which makes them daily, or SELECT log.ensure_partitions(now(), now() + interval '3 months')"
        guard try row.get(1, as: Bool.self) else { return .fail("partitions", shown + ", none for this month", advice) }
        guard try row.get(2, as: Bool.self) else { return .warn("partitions", shown + ", none for next month", advice) }
        return .ok("partitions", shown + ", next month's among them")
    }
}
