import EventLog
import Logging
import NotificationEvents
import Postgres
import Testing

/// Guarantee 3: every committed event reaches a reader exactly once, in whatever order transactions commit.
@Suite("Event log: the epoch barrier")
struct BarrierTests {
    /// Draws positions in a transaction that stays open, as a slow appender does.
    func openAppend(_ connection: Connection, events: Int) async throws {
        try await connection.query("BEGIN")
        try await connection.query(
            """
            SELECT a.* FROM (
              SELECT array_agg(1) AS apps, array_agg(gen_random_uuid()) AS ids, array_agg('delivery'::text) AS kinds,
                array_agg('device'::text) AS devices, array_agg(timestamptz '2026-01-15 12:00+00') AS times,
                array_agg(NULL::timestamptz) AS nothing, array_agg(0::smallint) AS zeros, array_agg(false) AS falses,
                array_agg(NULL::text) AS names, array_agg(NULL::bytea) AS tokens, array_agg('{}'::jsonb) AS datas
              FROM generate_series(1, $1)) e,
            log.append(apps, ids, ids, kinds, devices, times, times, times, nothing, nothing, zeros, zeros, falses, names,
              tokens, datas) a
            """,
            [.int4(Int32(events))]
        )
    }

    /// Reads on from a position as a projection would.
    private func read(_ connection: Connection, after: Int64, upTo: Int64) async throws -> [Int64] {
        try await connection.query(
            "SELECT position FROM log.event WHERE position > $1 AND position <= $2 ORDER BY position",
            [.int8(after), .int8(upTo)]
        ).map { try $0.get(0) }
    }

    @Test(
        "held-open appends that commit in any order: none missed, none twice; a naive reader misses some",
        arguments: 1...6
    )
    func adversarialOrder(seed: UInt64) async throws {
        try await TestDatabase.withDatabase { database in
            var random = LawRandom(seed: seed)
            let reader = try await database.connect()
            try await Partitions.ensure(from: SampleEvents.noon, to: SampleEvents.noon, on: reader)
            let settling = Task {
                let settler = Settler(
                    database.configuration,
                    signal: LogSignal(),
                    pollInterval: .milliseconds(2),
                    leastInterval: .milliseconds(1),
                    logger: Logger(label: "test.settler")
                )
                await settler.run()
            }
            defer { settling.cancel() }

            var connections: [Connection] = []
            for _ in 0..<6 { connections.append(try await database.connect()) }
            var open: Set<Int> = []
            var seen: [Int64] = []
            var settledSeen: Int64 = 0
            var naive: [Int64] = []
            for _ in 0..<120 {
                let index = Int.random(in: connections.indices, using: &random)
                if open.remove(index) != nil {
                    // Some give up, so that positions are drawn that never come.
                    let end = Int.random(in: 0..<8, using: &random) == 0 ? "ROLLBACK" : "COMMIT"
                    try await connections[index].query(end)
                } else {
                    try await openAppend(connections[index], events: Int.random(in: 1...3, using: &random))
                    open.insert(index)
                }
                let settled = try await reader.settledPosition
                #expect(settled >= settledSeen)
                seen += try await read(reader, after: settledSeen, upTo: settled)
                settledSeen = settled
                naive += try await read(reader, after: naive.last ?? 0, upTo: .max)
            }
            for index in open { try await connections[index].query("COMMIT") }
            let drawn: Int64 = try await reader.value("SELECT last_value FROM log.position")
            while settledSeen < drawn {
                let settled = try await reader.settledPosition
                seen += try await read(reader, after: settledSeen, upTo: settled)
                settledSeen = settled
                await Task.yield()
            }
            naive += try await read(reader, after: naive.last ?? 0, upTo: .max)
            let all = try await read(reader, after: 0, upTo: .max)
            #expect(seen == all, "by settled positions: every event, once, in order")
            #expect(Set(naive).count < all.count, "by `position > last`: some are missed, or this test shows nothing")
        }
    }

    @Test("an idle transaction elsewhere, even one that has read the log, does not hold the settled position back")
    func idleTransaction() async throws {
        try await TestDatabase.withDatabase { database in
            let idle = try await database.connect()
            try await idle.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try await idle.query("SELECT count(*) FROM log.event")
            try await idle.query("CREATE TEMP TABLE with_a_transaction_id ()")
            let connection = try await database.connect()
            try await TestLog.with(database) { test in
                for _ in 0..<3 {
                    let results = try await test.log.append(SampleEvents.batch(5), app: 1)
                    guard case .stored(let position)? = results.last else {
                        Issue.record("not stored")
                        return
                    }
                    #expect(try await Settler.settleNow(on: connection) >= position)
                }
                // Nor does it hold up a new partition, and with it every append.
                try await connection.set(["lock_timeout": "3s"])
                let later = Timestamp(seconds: SampleEvents.noon.microseconds / 1_000_000 + 200 * 86_400)
                #expect(try await Partitions.ensure(from: later, to: later, on: connection) == 1)
            }
            try await idle.query("ROLLBACK")
        }
    }

    @Test("a settler that died while it waited left an older epoch open: the next one waits for that, too")
    func deadSettler() async throws {
        try await TestDatabase.withDatabase { database in
            let slow = try await database.connect()
            let reader = try await database.connect()
            try await Partitions.ensure(from: SampleEvents.noon, to: SampleEvents.noon, on: reader)
            try await openAppend(slow, events: 1)
            // It closes the epoch, waits for the slow append, and is killed there.
            let dying = try await database.connect(settings: ["lock_timeout": "50ms"])
            await #expect(throws: PostgresError.self) { try await dying.query("CALL log.settle(NULL)") }
            let other = try await database.connect()
            try await openAppend(other, events: 1)
            try await other.query("COMMIT")
            let next = try await database.connect(settings: ["lock_timeout": "200ms"])
            await #expect(throws: PostgresError.self) { try await next.query("CALL log.settle(NULL)") }
            #expect(try await reader.settledPosition == 0)
            try await slow.query("COMMIT")
            #expect(try await Settler.settleNow(on: reader) == 2)
        }
    }

    @Test("an append of a process that stopped in the middle of its statement is ended", .timeLimit(.minutes(5)))
    func frozenAppend() async throws {
        try await TestDatabase.withDatabase { database in
            let reader = try await database.connect()
            try await Partitions.ensure(from: SampleEvents.noon, to: SampleEvents.noon, on: reader)
            let frozen = try await FrozenSession(
                .inStatement,
                as: "postgres",
                in: try await reader.value("SELECT current_database()::text"),
                application: "notilog append",
                after: "BEGIN; LOCK TABLE lock.epoch_0, lock.epoch_1 IN ROW EXCLUSIVE MODE"
            )
            defer { frozen.close() }
            try await frozen.begin("notilog append", on: reader)
            let other = try await database.connect()
            try await openAppend(other, events: 1)
            try await other.query("COMMIT")
            let settler = Settler(database.configuration, signal: LogSignal(), logger: Logger(label: "test.settler"))
            let settling = Task { await settler.run() }
            defer { settling.cancel() }
            try await eventually("the log is settled", within: .seconds(120)) {
                try await reader.settledPosition == 1
            }
        }
    }

    @Test("of many settlers one is active; when it ends another takes over")
    func takeover() async throws {
        try await TestDatabase.withDatabase { database in
            func settler(_ signal: LogSignal) -> Task<Void, Never> {
                let settler = Settler(
                    database.configuration,
                    signal: signal,
                    pollInterval: .milliseconds(10),
                    logger: Logger(label: "test.settler")
                )
                return Task { await settler.run() }
            }
            let signals = [LogSignal(), LogSignal()]
            let tasks = signals.map(settler)
            defer { tasks.forEach { $0.cancel() } }
            try await TestLog.with(database) { test in
                var last = Position.start
                for round in 0..<2 {
                    _ = try await test.log.append(SampleEvents.batch(2), app: 1)
                    for signal in signals[round...] {
                        await signal.waitForSettled(beyond: last, timeout: .seconds(10))
                        #expect(signal.settledPosition > last)
                    }
                    last = signals[1].settledPosition
                    tasks[0].cancel()
                    await tasks[0].value
                }
            }
        }
    }
}
