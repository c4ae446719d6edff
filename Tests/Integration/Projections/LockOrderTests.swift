import Postgres
import Testing

/// Functions take shared locks in one order, which prevents deadlocks.
@Suite("Locks: one order for all")
struct LockOrderTests {
    /// The order, as `sql/lock/exclusive.sql` has it; and how each is taken so that anybody who wants it waits.
    private static let order: [(table: String, taking: String)] = [
        ("lock.background", "LOCK TABLE lock.background IN EXCLUSIVE MODE"),
        ("export.feed", "LOCK TABLE export.feed IN EXCLUSIVE MODE"),
        ("lock.baseline", "LOCK TABLE lock.baseline IN EXCLUSIVE MODE"),
        ("lock.still", "LOCK TABLE lock.still IN EXCLUSIVE MODE"),
        ("log.dropped_partition", "LOCK TABLE log.dropped_partition IN ACCESS EXCLUSIVE MODE"),
        ("log.event", "LOCK TABLE log.event IN ACCESS EXCLUSIVE MODE"),
        ("projection_next_none.made", "LOCK TABLE projection_next_none.made IN ACCESS EXCLUSIVE MODE"),
        ("lock.partitions", "LOCK TABLE lock.partitions IN EXCLUSIVE MODE"),
    ]

    /// What takes them, and those that it must be seen to wait for.
    private static let works: [(name: String, sql: String, waitsFor: Set<String>)] = [
        ("a batch", "SELECT projection.begin_fold('projection', 'notification', 0)", ["lock.still"]),
        (
            "a long batch of a rebuild",
            "SELECT projection.begin_fold('projection_next_none', 'notification', 2000)",
            ["lock.background", "lock.still"]
        ),
        ("events read ahead", "SELECT projection.begin_reading('projection', 'notification', 0::smallint)", []),
        (
            "a beginning version", "SELECT projection.begin('projection', 'none')",
            ["lock.background", "lock.baseline", "lock.still"]
        ),
        (
            "rights carried to a version", "SELECT projection.carry('projection_next_none')",
            ["lock.still", "projection_next_none.made"]
        ),
        (
            "a batch of the baseline", "SELECT projection.baseline_next('notification', 'event_gone', 10)",
            ["lock.background", "lock.baseline", "lock.still", "log.dropped_partition"]
        ),
        (
            "an erasure", "SELECT log.erasure_finish(1, 'd')",
            ["lock.background", "export.feed", "lock.still", "log.event", "lock.partitions"]
        ),
        (
            "a step of a deletion", "SELECT notilog.deletion_step(1, 10)",
            ["lock.background", "export.feed", "lock.baseline", "lock.still"]
        ),
        (
            "the end of a deletion", "SELECT notilog.deletion_end(1)",
            ["lock.background", "export.feed", "lock.baseline", "lock.still"]
        ),
        (
            "runs kept", "SELECT log.retention_keep_runs('event_gone')",
            ["lock.background", "lock.still", "log.dropped_partition"]
        ),
        (
            "identities cut", "SELECT log.retention_cut('event_gone', 10)",
            ["lock.background", "lock.still", "log.dropped_partition"]
        ),
        (
            "a partition dropped", "SELECT log.retention_drop('event_gone', '{}')",
            ["lock.baseline", "log.dropped_partition"]
        ),
        (
            "changes numbered",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT export.sync('notifications', 1)",
            ["export.feed"]
        ),
    ]

    @Test("while each waits for one of them, it holds none that comes after it", arguments: works.indices)
    func order(_ index: Int) async throws {
        let work = Self.works[index]
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.execute(
                script: """
                    INSERT INTO notilog.app (name) VALUES ('first');
                    INSERT INTO log.dropped_partition (name, from_at, to_at, last_position)
                    VALUES ('event_gone', '2000-01-01', '2000-02-01', 0);
                    SELECT log.erasure_begin(1, 'd');
                    CREATE TABLE log.event_gone (LIKE log.event INCLUDING ALL);
                    ALTER TABLE log.event_gone OWNER TO notilog_owner;
                    CREATE SCHEMA projection_next_none;
                    CREATE TABLE projection_next_none.made ();
                    """
            )
            var waited: Set<String> = []
            for (rank, lock) in Self.order.enumerated() {
                try await owner.query("BEGIN")
                try await owner.query(lock.taking)
                let later = Self.order[rank...].map(\.table)
                if let held = try await held(by: work.sql, while: owner, waitsFor: lock.table, database) {
                    waited.insert(lock.table)
                    let wrong = held.filter { later.contains($0) && $0 != lock.table }
                    #expect(wrong.isEmpty, "\(work.name) holds \(wrong) and waits for \(lock.table)")
                }
                try await owner.query("ROLLBACK")
            }
            #expect(waited.isSuperset(of: work.waitsFor), "\(work.name) waits for \(waited)")
            await owner.close()
        }
    }

    /// Runs a work until it waits for a lock that `owner` holds, and gives the others' tables that it has locked by then more
    /// strongly than by reading; nil where it ends without that lock.
    private func held(by sql: String, while owner: Connection, waitsFor table: String, _ database: TestDatabase)
        async throws -> [String]?
    {
        let worker = try await database.connect()
        let pid: Int32 = try await worker.value("SELECT pg_backend_pid()")
        let ended = Shared(false)
        let working = Task {
            // All of it is undone, and where it fails for want of something to work on, the locks before that are seen.
            _ = try? await worker.execute(
                script: "BEGIN; SET LOCAL lock_timeout = '30s'; \(sql)"
            )
            ended.withLock { $0 = true }
        }
        var found: [String]?
        while !ended.withLock({ $0 }), found == nil {
            let waiting: Bool = try await owner.value(
                "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND NOT granted AND relation = $2::regclass)",
                [.int4(pid), .text(table)]
            )
            guard waiting else {
                await Task.yield()
                continue
            }
            found = try await owner.texts(
                """
                SELECT DISTINCT relation::regclass::text FROM pg_locks
                WHERE pid = $1 AND granted AND locktype = 'relation' AND mode <> 'AccessShareLock'
                """,
                [.int4(pid)]
            )
        }
        // And wait for its end: its locks are in the way of the next.
        try await owner.query("SELECT pg_terminate_backend($1, 10000)", [.int4(pid)])
        await working.value
        await worker.close()
        return found
    }
}
