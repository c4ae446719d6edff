import EventLog
import Logging
import NotificationEvents
import Pacing
import Postgres
import Synchronization
import Testing

@Suite("Partitions of the log")
struct PartitionTests {
    private static let day: Int64 = 86_400_000_000

    @Test("are made ahead by themselves, and again as soon as the clock jumps, ahead or back")
    func clockJumps() async throws {
        try await TestDatabase.withDatabase { database in
            let clock = Mutex<Int64>(SampleEvents.noon.microseconds)
            let pool = Pool(database.configuration, limit: 1)
            let partitions = Partitions.making(
                pool,
                now: { clock.withLock { $0 } },
                check: .milliseconds(10),
                logger: Logger(label: "test.partitions")
            )
            let running = Task { await partitions.run() }
            let connection = try await database.connect()
            for jump in [0, 200, -500] {
                let time = SampleEvents.noon.microseconds + Int64(jump) * Self.day
                clock.withLock { $0 = time }
                let isMade = try await eventually {
                    try await connection.value("SELECT log.months_ahead($1) >= 3", [.timestamptz(time)])
                }
                #expect(isMade, "none for a clock that is \(jump) days off")
            }
            running.cancel()
            await running.value
            await pool.shutDown()
        }
    }

    @Test("one that is missing is made by the append that needs it: only those of the months it needs")
    func missing() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let events = ["2025-11-30T23:59:59.999999Z", "2026-04-01T00:00:00Z", "2099-02-03T00:00:00Z"]
                    .compactMap { Timestamp.parse($0)?.timestamp }.map { SampleEvents.make(at: $0) }
                let results = try await test.log.append(events, app: 1)
                #expect(results.allSatisfy { if case .stored = $0 { true } else { false } })
                let connection = try await database.connect()
                let names: [String] = try await connection.value("SELECT array_agg(name) FROM log.partitions()")
                #expect(names == ["event_2025_11", "event_2026_01", "event_2026_04", "event_2099_02"])
            }
        }
    }

    @Test("are made while a transaction that has read the log stays open, and appends go on")
    func idleTransaction() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let idle = try await database.connect()
                try await idle.execute(script: "BEGIN; SELECT count(*) FROM log.event")
                let connection = try await database.connect(settings: ["lock_timeout": "2s"])
                let noon = SampleEvents.noon.microseconds
                #expect(
                    try await Partitions.ensure(
                        from: SampleEvents.noon,
                        to: Timestamp(microseconds: noon + 100 * Self.day),
                        on: connection
                    ) == 3
                )
                let later = SampleEvents.make(at: Timestamp(microseconds: noon + 60 * Self.day))
                let results = try await test.log.append([later], app: 1)
                #expect(results == [.stored(position: 1)])
                await idle.close()
            }
        }
    }

    @Test("what lies before the floor is refused, its neighbours are stored or known, and no partition is made for it")
    func floor() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let connection = try await database.connect()
                let known = SampleEvents.make()
                let first = try await test.log.append([known], app: 1)
                try await connection.query(
                    "UPDATE log.state SET floor = $1",
                    [.timestamptz(SampleEvents.noon.microseconds - 5 * Self.day)]
                )
                var old: [NormalisedEvent] = []
                for path in [\NormalisedEvent.receivedAt, \.occurredAt, \.effectiveAt] {
                    var event = SampleEvents.make()
                    event[keyPath: path] = Timestamp(microseconds: SampleEvents.noon.microseconds - 40 * Self.day)
                    old.append(event)
                }
                let new = SampleEvents.make()
                let results = try await test.log.append([old[0], new, old[1], known, old[2]], app: 1)
                guard case .stored(let position) = first[0], case .stored = results[1] else {
                    Issue.record("\(results)")
                    return
                }
                #expect(results[0] == .tooOld && results[2] == .tooOld && results[4] == .tooOld)
                #expect(results[3] == .duplicate(position: position))
                #expect(try await test.log.append(old, app: 1) == [.tooOld, .tooOld, .tooOld])
                #expect(try await connection.value("SELECT count(*) FROM log.event") == 2)
                #expect(try await connection.value("SELECT count(*) FROM log.identity") == 2)
                #expect(try await connection.value("SELECT count(*) FROM log.partitions()") == 1)
                try await Partitions.ensureAhead(of: SampleEvents.noon.microseconds, on: connection)
                #expect(try await connection.value("SELECT min(name) FROM log.partitions()") == "event_2026_01")
            }
        }
    }
}
