import Postgres

/// Reports on the standby wait, once they have read `notilog.app`, until the gate is opened.
struct ReportGate {
    private let rig: StandbyRig
    /// Holds the lock that reports wait for.
    private let holder: Connection
    private let primary: Connection

    static func closed(on rig: StandbyRig) async throws -> ReportGate {
        let primary = try await rig.database.connect()
        try await primary.query(
            """
            CREATE OR REPLACE FUNCTION reporting.app_id(app text) RETURNS integer LANGUAGE plpgsql STABLE AS $$
            DECLARE
              found_id integer := (SELECT a.app_id FROM notilog.app a WHERE a.name = app);
            BEGIN
              IF pg_is_in_recovery() THEN
                PERFORM pg_advisory_xact_lock_shared(1);
              END IF;
              RETURN found_id;
            END $$
            """
        )
        let holder = try await rig.standby.connect()
        // Whatever is in the way of replaying is cancelled at once. That is only what the gate puts there: the primary
        // keeps the rows that a report may see.
        for setting in ["max_standby_streaming_delay = 0", "hot_standby_feedback = on"] {
            try await holder.query("ALTER SYSTEM SET \(setting)", cached: false)
        }
        try await holder.query("SELECT pg_reload_conf()")
        try await eventually("a primary that knows what the standby sees") {
            try await primary.value("SELECT count(*) = 1 FROM pg_stat_replication WHERE backend_xmin IS NOT NULL")
        }
        try await rig.catchUp()
        try await holder.query("SELECT pg_advisory_lock(1)")
        return ReportGate(rig: rig, holder: holder, primary: primary)
    }

    /// The transaction of the report that waits, once another one waits than before.
    func waiting(after former: String = "") async throws -> String {
        var found = ""
        let isThere = try await eventually(within: .seconds(60)) {
            found = try await holder.query(
                """
                SELECT coalesce(min(virtualtransaction), '') FROM pg_locks
                WHERE locktype = 'advisory' AND NOT granted AND virtualtransaction <> $1
                """,
                [.text(former)]
            ).only().get(0)
            return !found.isEmpty
        }
        guard isThere else {
            throw FaultFailure("no report at the gate; the standby's sessions: \(try await sessions())")
        }
        return found
    }

    private func sessions() async throws -> String {
        try await holder.value(
            """
            SELECT string_agg(concat_ws(' ', backend_type, state, wait_event, now() - query_start, left(query, 80)), '; ')
            FROM pg_stat_activity WHERE pid <> pg_backend_pid()
            """
        )
    }

    /// Has the primary clean up rows that were changed since the report that waits began.
    func cleanUp() async throws {
        try await primary.query("UPDATE notilog.app SET name = name", cached: false)
        try await primary.query("VACUUM notilog.app", cached: false)
        try await rig.catchUp()
    }

    /// Has the standby cancel the report that waits: it has read the table that the primary locks.
    func cancel() async throws {
        try await primary.withTransaction { connection in
            try await connection.query("LOCK TABLE notilog.app IN ACCESS EXCLUSIVE MODE")
        }
    }

    func open() async {
        await holder.close()
        await primary.close()
    }
}
