import Decoding
import EventLog
import Foundation
import Logging
import NotificationEvents
import Postgres
import Projections
import Schema
import Testing

/// Guarantees 2 and 3 within one process, where partitions and sessions can be chosen.
@Suite("Faults: storms")
struct StormTests {
    @Test("the same events from many, over months, with sessions killed: each is stored once, at one position")
    func duplicates() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            let month: Int64 = 31 * 86_400
            let noon = SampleEvents.noon.microseconds / 1_000_000
            for number in 0..<4 {
                let at = Timestamp(seconds: noon + Int64(number) * month)
                try await Partitions.ensure(from: at, to: at, on: connection)
            }
            let ids = (0..<300).map { _ in EventID.random() }
            let seen = Shared<[EventID: Set<Position>]>([:])
            let stored = Shared(0)
            try await TestLog.with(database, options: .init(writers: 3, batchEvents: 40)) { test in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for sender in 0..<8 {
                        group.addTask {
                            var random = LawRandom(seed: UInt64(sender))
                            let at = Timestamp(seconds: noon + Int64(sender % 4) * month)
                            for part in ids.shuffled(using: &random).chunks(of: 17) {
                                let events = part.map { SampleEvents.make(id: $0, at: at) }
                                let results = try await Self.untilAnswered(events, test.log)
                                for (id, result) in zip(part, results) {
                                    switch result {
                                    case .stored(let position):
                                        stored.withLock { $0 += 1 }
                                        seen.withLock { _ = $0[id, default: []].insert(position) }
                                    case .duplicate(let position):
                                        seen.withLock { _ = $0[id, default: []].insert(position) }
                                    case .conflict, .erased, .tooOld, .rejected: Issue.record("\(result)")
                                    }
                                }
                            }
                        }
                    }
                    for _ in 0..<6 {
                        let killed = try await database.connect()
                        try await killed.query(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notilog append' AND datname = current_database()"
                        )
                        await killed.close()
                        try await ContinuousClock().sleep(for: .milliseconds(15))
                    }
                    try await group.waitForAll()
                }
            }
            let positions = seen.withLock { $0 }
            #expect(positions.count == ids.count)
            #expect(positions.values.allSatisfy { $0.count == 1 }, "each answer names the first position")
            #expect(stored.withLock { $0 } <= ids.count, "no two answers say of one event that it was stored")
            try await MovedLog.checkOnce(database, events: Int64(ids.count))
            let partitions: Int64 = try await connection.value("SELECT count(DISTINCT tableoid) FROM log.event")
            #expect(partitions > 1, "they came in several months, or this test shows nothing")
            await connection.close()
        }
    }

    /// Sends until there is an answer, as a sender must.
    private static func untilAnswered(_ events: [NormalisedEvent], _ log: EventLog) async throws -> [AppendResult] {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            do {
                return try await log.append(events, app: 1)
            } catch let error as AppendError {
                guard ContinuousClock.now < deadline else { throw error }
                try await ContinuousClock().sleep(for: .milliseconds(10))
            }
        }
    }

    @Test("projectors that are killed in the middle of batches apply every event once")
    func projectors() async throws {
        try await TestDatabase.withDatabase { database in
            let catalogue = try ProjectionCatalogue(folder: try ReleaseFolder.locate())
            let killer = try await database.connect()
            let decoder = EventDecoder()
            let focuses = RandomEvents.Focus.allCases
            let cases = try (0..<24).map { number in
                let focus = focuses[number % focuses.count]
                return try LawCase(seed: UInt64(number), focus: focus, decoder: decoder).events.map { $0.stored }
            }
            var killed: Int64 = 0
            // In the middle of a batch, where one is under way just now.
            func kill() async throws {
                killed += try await killer.value(
                    """
                    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                    WHERE application_name = 'notilog projections' AND datname = current_database() AND state <> 'idle'
                    """
                )
            }
            try await TestLog.with(database) { test in
                func append(_ numbers: Range<Int>, then afterEach: () async throws -> Void) async throws {
                    for number in numbers {
                        for part in cases[number].chunks(of: 15) {
                            _ = try await test.log.append(part, app: AppID(rawValue: Int32(number + 1)))
                            try await afterEach()
                        }
                    }
                }
                // Two of them, as two services are, in small batches.
                let runners = (0..<2).map { _ in
                    ProjectionRunner(
                        database.configuration,
                        catalogue: catalogue,
                        signal: test.signal,
                        options: .init(batchLimit: 20, pollInterval: .milliseconds(5)),
                        logger: Logger(label: "test.projections")
                    )
                }
                let settler = Settler(
                    database.configuration,
                    signal: test.signal,
                    logger: Logger(label: "test.settler")
                )
                // They begin far behind the log, so that there are batches to break off however fast they are.
                try await append(0..<cases.count / 2) {}
                let running = runners.map { runner in Task { await runner.run() } }
                let settling = Task { await settler.run() }
                defer {
                    running.forEach { $0.cancel() }
                    settling.cancel()
                }
                try await append(cases.count / 2..<cases.count) { try await kill() }
                try await eventually("projections at the end of the log") {
                    if killed < 40 { try await kill() }
                    return try await killer.value(
                        "SELECT coalesce(min(position) >= (SELECT max(position) FROM log.event), false) FROM projection.checkpoint"
                    )
                }
            }
            let setAside: Int64 = try await killer.value("SELECT count(*) FROM projection.set_aside")
            #expect(setAside == 0, "a session that was killed is no event's fault")
            #expect(killed > 20, "batches must have been interrupted, or this test shows nothing")
            await killer.close()
            #expect(try await FaultVerdict.differing(in: database).isEmpty)
        }
    }
}

extension Array {
    /// Pieces of at most so many elements.
    func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
