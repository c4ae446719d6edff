import Postgres
import Testing

/// A reader who takes every lock that it can get at, and keeps it.
struct LockingReader: Sendable {
    let login: TestLogin
    /// Advisory locks taken, and statements tried that ask for a lock before they are refused.
    let taken = Shared(0)
    let tried = Shared(0)

    /// Such statements: an exclusive lock is asked for first, and only then whether they may.
    private static let greedy =
        ["log.event", "log.state", "projection.checkpoint", "projection.notification", "pg_class"].flatMap { table in
            [
                "CREATE RULE r AS ON INSERT TO \(table) DO NOTHING",
                "CREATE TRIGGER t AFTER INSERT ON \(table) EXECUTE FUNCTION pg_catalog.suppress_redundant_updates_trigger()",
                "CREATE TEMP TABLE t (p bigint REFERENCES \(table))", "COMMENT ON TABLE \(table) IS ''",
                "CREATE TEMP TABLE t PARTITION OF \(table) FOR VALUES FROM ('2000-01-01') TO ('2000-02-01')",
            ]
        }

    /// Takes, in a transaction that stays open, what `LOCK TABLE` gives, and what statements lock that are only prepared.
    ///
    /// - Returns: the connection, and how many locks it holds.
    func openTransaction(app: TestApp) async throws -> (Connection, locks: Int64) {
        let connection = try await login.database.connect()
        try await connection.listen(to: "notilog_keys")
        try await connection.query("BEGIN")
        for sql in [
            "SELECT count(*) FROM readable.event", "SELECT count(*) FROM projection.notification",
            "SELECT count(*) FROM report.engagement(app => '\(app.name)', \"from\" => '2020-01-01')",
            "SELECT pg_notify('notilog_keys', '')",
        ] { try await connection.query(sql, cached: false) }
        try await connection.execute(
            script: """
                DO $$
                DECLARE
                  relation record;
                  statement text;
                BEGIN
                  PERFORM set_config('lock_timeout', '20ms', true);
                  FOR relation IN
                    SELECT format('%I.%I', n.nspname, c.relname) AS name, row_number() OVER () AS number
                    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE c.relkind IN ('r', 'p', 'v') AND (n.nspname !~ '^(pg_|information_schema)' OR c.relname = 'pg_class')
                  LOOP
                    FOR statement IN
                      SELECT format('LOCK TABLE %s IN %s MODE', relation.name, mode)
                      FROM unnest('{ACCESS SHARE,ROW SHARE,ROW EXCLUSIVE,SHARE UPDATE EXCLUSIVE,SHARE,SHARE ROW EXCLUSIVE,
                        EXCLUSIVE,ACCESS EXCLUSIVE}'::text[]) AS mode
                      UNION ALL SELECT format('SELECT FROM %s FOR UPDATE', relation.name)
                      UNION ALL SELECT format('PREPARE lock%s AS SELECT FROM %s FOR UPDATE', relation.number, relation.name)
                      UNION ALL SELECT format('PREPARE gone%s AS DELETE FROM %s', relation.number, relation.name)
                    LOOP
                      BEGIN
                        EXECUTE statement;
                      EXCEPTION WHEN OTHERS THEN NULL;
                      END;
                    END LOOP;
                  END LOOP;
                END $$
                """
        )
        let locks: Int64 = try await connection.value(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'relation' AND granted AND pid = pg_backend_pid()"
        )
        return (connection, locks)
    }

    /// Takes every advisory lock that it sees anybody use, and the next ones, until it is cancelled.
    func takeAdvisoryLocks() async throws {
        let connection = try await login.database.connect()
        while !Task.isCancelled {
            let found: Int64 = try await connection.value(
                """
                SELECT count(*) FILTER (WHERE pg_try_advisory_lock(key))
                FROM (SELECT DISTINCT (classid::bigint << 32) + objid::bigint + more AS key
                  FROM pg_locks, generate_series(0, 20) AS more
                  WHERE locktype = 'advisory' AND objsubid = 1 AND pid <> pg_backend_pid()) k
                """
            )
            taken.withLock { $0 += Int(found) }
        }
        await connection.close()
    }

    /// Tries the greedy statements, one after another, until it is cancelled.
    func tryGreedyStatements() async throws {
        let connection = try await login.database.connect()
        while !Task.isCancelled {
            for sql in Self.greedy where !Task.isCancelled {
                _ = try? await connection.query(sql, cached: false)
                tried.withLock { $0 += 1 }
            }
        }
        await connection.close()
    }
}
