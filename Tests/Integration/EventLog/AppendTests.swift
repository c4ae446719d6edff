import EventLog
import Logging
import NotificationEvents
import Postgres
import Testing

@Suite("Event log: appending")
struct AppendTests {
    private func positions(_ results: [AppendResult]) -> [Position] {
        results.compactMap { if case .stored(let position) = $0 { position } else { nil } }
    }

    @Test("every field is stored as given and read back")
    func roundTrip() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                var event = SampleEvents.make(device: "gerät", data: "{\"a\":[1,\"ü\"]}")
                event.sentAt = Timestamp(microseconds: 1_768_478_400_123_456)
                event.occurrence = Timestamp(microseconds: 7)
                event.utcOffsetMinutes = -330
                event.timeClamped = true
                event.token = Array(0..<32)
                let bare = SampleEvents.make(
                    device: "gerät",
                    at: Timestamp(seconds: 1_768_478_500),
                    notification: nil,
                    data: "{}"
                )
                let results = try await test.log.append([event, bare], app: 7)
                let connection = try await database.connect()
                let stored = try await connection.query(
                    """
                    SELECT id::text, kind, sent_at, occurrence, utc_offset, time_clamped, token, data_text, notification_id,
                      position
                    FROM log.event WHERE app_id = 7 AND device_id = 'gerät' ORDER BY effective_at, id
                    """
                )
                #expect(stored.count == 2)
                #expect(try stored[0].get(0) == event.id.description)
                #expect(try stored[0].get(1) == "delivery")
                #expect(try stored[0].get(2) == event.sentAt?.microseconds)
                #expect(try stored[0].get(3) == event.occurrence?.microseconds)
                #expect(try stored[0].get(4) == Int16(-330))
                #expect(try stored[0].get(5, as: Bool.self))
                #expect(try stored[0].get(6) == event.token)
                #expect(try stored[0].get(7) == "{\"a\":[1,\"ü\"]}")
                #expect(try stored[0].get(8) == event.notificationID)
                for column in ["sent_at", "token", "notification_id"] {
                    #expect(try stored[1].get(column, as: PostgresValue.self) == .null, "\(column)")
                }
                #expect(positions(results) == (try stored.map { try $0.get(9, as: Position.self) }))
            }
        }
    }

    @Test("again with the same content is a duplicate at the first position; with other content a conflict")
    func dedupe() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let first = SampleEvents.make()
                var changed = first
                changed.digest = ContentDigest(high: 2, low: 0)
                var elsewhere = first
                elsewhere.deviceID = "device-2"
                let position = positions(try await test.log.append([first], app: 1))[0]
                #expect(try await test.log.append([first], app: 1) == [.duplicate(position: position)])
                #expect(try await test.log.append([changed], app: 1) == [.conflict(position: position)])
                // Unique within app and device only.
                #expect(positions(try await test.log.append([elsewhere], app: 1)).count == 1)
                #expect(positions(try await test.log.append([first], app: 2)).count == 1)
                let connection = try await database.connect()
                #expect(try await connection.value("SELECT count(*) FROM log.event") == 3)
            }
        }
    }

    @Test("duplicates and conflicts inside one batch, among new ones, each in its place")
    func withinBatch() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let a = SampleEvents.make()
                let b = SampleEvents.make()
                var otherA = a
                otherA.digest = ContentDigest(high: 9, low: 9)
                let results = try await test.log.append([a, b, a, otherA, b], app: 1)
                let stored = positions(results)
                #expect(stored.count == 2)
                #expect(results[0] == .stored(position: stored[0]))
                #expect(results[1] == .stored(position: stored[1]))
                #expect(results[2] == .duplicate(position: stored[0]))
                #expect(results[3] == .conflict(position: stored[0]))
                #expect(results[4] == .duplicate(position: stored[1]))
            }
        }
    }

    @Test("across partitions an event is still stored once")
    func acrossPartitions() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let first = SampleEvents.make()
                var later = first
                // Received three months later, in a partition that is not there yet.
                later.receivedAt = Timestamp(seconds: 1_768_478_400 + 90 * 86_400)
                var new = SampleEvents.make()
                new.receivedAt = later.receivedAt
                let position = positions(try await test.log.append([first], app: 1))[0]
                #expect(try await test.log.append([later], app: 1) == [.duplicate(position: position)])
                #expect(positions(try await test.log.append([new, later], app: 1)).count == 1)
                let connection = try await database.connect()
                #expect(try await connection.value("SELECT to_regclass('log.event_2026_04') IS NOT NULL"))
            }
        }
    }

    @Test(
        "a storm of the same events from many callers, in any order: each stored once, everybody told the same position"
    )
    func storm() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database, options: .init(writers: 4, batchEvents: 200)) { test in
                let events = (0..<300).map { SampleEvents.make(device: "d\($0 % 7)") }
                let answers = try await withThrowingTaskGroup(of: [EventID: AppendResult].self) { group in
                    for _ in 0..<40 {
                        group.addTask {
                            let chosen = Array(events.shuffled().prefix(100))
                            let results = try await test.log.append(chosen, app: 1)
                            return Dictionary(uniqueKeysWithValues: zip(chosen.map(\.id), results))
                        }
                    }
                    var all: [[EventID: AppendResult]] = []
                    for try await answer in group { all.append(answer) }
                    return all
                }
                var firstPosition: [EventID: Position] = [:]
                var stored = 0
                for answer in answers {
                    for (id, result) in answer {
                        switch result {
                        case .stored(let position):
                            stored += 1
                            #expect(firstPosition[id] == nil || firstPosition[id] == position)
                            firstPosition[id] = position
                        case .duplicate(let position):
                            #expect(firstPosition[id] == nil || firstPosition[id] == position)
                            firstPosition[id] = position
                        case .conflict, .tooOld, .rejected, .erased: Issue.record("\(result)")
                        }
                    }
                }
                #expect(stored == firstPosition.count)
                let connection = try await database.connect()
                #expect(try await connection.value("SELECT count(*) FROM log.event", as: Int.self) == stored)
                #expect(try await connection.value("SELECT count(*) FROM log.identity", as: Int.self) == stored)
            }
        }
    }

    @Test("a poison event is rejected by itself; its neighbours and other submissions are stored")
    func poison() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database, options: .init(writers: 1)) { test in
                // Deliveries are kept as text, unless they have an escape; removals as jsonb.
                let poisons: [(kind: EventKind, data: [UInt8])] = [
                    (.delivery, Array("{\"a\": \"\\u0000\"}".utf8)), (.delivery, Array("{\"a\": \"\\ud800\"}".utf8)),
                    (.delivery, Array("{\"a\": \"\0\"}".utf8)),
                    (.delivery, Array("{\"a\": \"".utf8) + [0xFF] + Array("\"}".utf8)),
                    (.removal, Array("{\"a\": 1e400000}".utf8)), (.removal, Array("not json".utf8)),
                ]
                let results = try await withThrowingTaskGroup(of: (Int, [AppendResult]).self) { group in
                    for number in 0..<12 {
                        group.addTask {
                            var events = SampleEvents.batch(20)
                            if number < poisons.count {
                                (events[number * 3].kind, events[number * 3].data) = poisons[number]
                            }
                            return (number, try await test.log.append(events, app: 1))
                        }
                    }
                    var all: [Int: [AppendResult]] = [:]
                    for try await (number, result) in group { all[number] = result }
                    return all
                }
                for (number, result) in results {
                    for (index, item) in result.enumerated() {
                        if number < poisons.count && index == number * 3 {
                            guard case .rejected(let reason) = item else {
                                Issue.record("the poison was \(item)")
                                continue
                            }
                            #expect(!reason.contains("ud800") && !reason.contains("not json"))
                        } else {
                            #expect(positions([item]).count == 1)
                        }
                    }
                }
                let connection = try await database.connect()
                #expect(try await connection.value("SELECT count(*) FROM log.event") == 12 * 20 - poisons.count)
            }
        }
    }

    @Test("a full queue refuses more instead of growing, and takes more once it has room")
    func overload() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database, options: .init(writers: 1, queuedEvents: 100)) { test in
                // Nobody may append while this is held, so what comes must wait.
                let blocker = try await database.connect()
                try await blocker.execute(script: "BEGIN; LOCK TABLE log.event IN SHARE MODE")
                let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<50 {
                        group.addTask {
                            do {
                                _ = try await test.log.append(SampleEvents.batch(10), app: 1)
                                return true
                            } catch let error as AppendError where error.isOverload {
                                // The first to be refused makes room.
                                try await blocker.query("ROLLBACK", cached: false)
                                return false
                            }
                        }
                    }
                    return try await group.reduce(into: [Bool]()) { $0 += [$1] }
                }
                #expect(outcomes.contains(false))
                #expect(outcomes.contains(true))
                #expect(positions(try await test.log.append(SampleEvents.batch(10), app: 1)).count == 10)
                let connection = try await database.connect()
                let stored = try await connection.value("SELECT count(*) FROM log.event", as: Int.self)
                #expect(stored == (outcomes.count { $0 } + 1) * 10)
            }
        }
    }

    @Test("a stopped log answers what it took, and takes no more")
    func stop() async throws {
        try await TestDatabase.withDatabase { database in
            let log = try await TestLog.with(database) { test in
                let results = try await test.log.append(SampleEvents.batch(3), app: 1)
                #expect(positions(results).count == 3)
                return test.log
            }
            await #expect(throws: AppendError.self) { try await log.append(SampleEvents.batch(1), app: 1) }
        }
    }

    @Test("a broken connection is not acknowledged, and the log comes back by itself")
    func brokenConnections() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { test in
                let admin = try await database.connect()
                var acknowledged = 0
                var refused = 0
                for round in 0..<30 {
                    if round % 5 == 2 {
                        try await admin.query(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notilog append' AND datname = current_database()"
                        )
                    }
                    do {
                        acknowledged += positions(try await test.log.append(SampleEvents.batch(2), app: 1)).count
                    } catch is AppendError {
                        refused += 1
                    }
                }
                #expect(acknowledged >= 30)
                let stored = try await admin.value("SELECT count(*) FROM log.event", as: Int.self)
                #expect(stored >= acknowledged && stored <= acknowledged + 2 * refused)
            }
        }
    }

    @Test("duplicates are counted, and what is quarantined is kept, poison or not")
    func tallyAndQuarantine() async throws {
        try await TestDatabase.withDatabase { database in
            let pool = Pool(database.configuration, limit: 2)
            let tally = Tally(pool: pool, logger: Logger(label: "test.tally"))
            try await TestLog.with(database, tally: tally) { test in
                let events = SampleEvents.batch(3)
                _ = try await test.log.append(events, app: 1)
                _ = try await test.log.append(events, app: 1)
            }
            tally.count(
                app: 1,
                at: SampleEvents.noon.microseconds + 1,
                kind: "token",
                outcome: "invalid_value",
                events: 2
            )
            try await tally.flush()
            tally.count(
                app: 1,
                at: SampleEvents.noon.microseconds + 899_999_999,
                kind: "token",
                outcome: "invalid_value"
            )
            try await tally.flush()
            let rows = try await pool.query("SELECT kind, outcome, events FROM log.tally ORDER BY 1")
            #expect(try rows.map { try $0.get(0, as: String.self) } == ["delivery", "token"])
            #expect(try rows.map { try $0.get(2, as: Int.self) } == [3, 3])

            func item(_ json: String?) -> QuarantinedItem {
                QuarantinedItem(
                    app: 1,
                    keyID: "k",
                    receivedAt: SampleEvents.noon,
                    sentAt: nil,
                    code: "invalid_value",
                    pointer: "/a",
                    message: "m",
                    length: 9,
                    digest: ContentDigest(high: 1, low: 2),
                    item: json.map { Array($0.utf8) }
                )
            }
            try await Quarantine(pool: pool).add([item("{}"), item("{\"a\": \"\\u0000\"}"), item(nil)])
            let kept = try await pool.query("SELECT count(*), count(item) FROM log.quarantine").only()
            #expect(try kept.get(0) == 3)
            #expect(try kept.get(1) == 1)
        }
    }
}
