import Decoding
import EventLog
import Foundation
import NotificationEvents
import Postgres
import Projections
import Testing

/// Law 1 across retention: whatever was dropped, in whatever steps, live rows are what the model makes of every event ever
/// stored, and a rebuild from baseline and log gives the same.
///
/// `NOTILOG_RETENTION_CASES` says how many cases are tried (default 18), `NOTILOG_RETENTION_SEED` which come first.
@Suite("Retention: the projections' law")
struct RetentionLawTests {
    private static func number(_ variable: String, default value: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap(Int.init) ?? value
    }

    private static let cases = number("NOTILOG_RETENTION_CASES", default: 18)
    private static let firstSeed = UInt64(number("NOTILOG_RETENTION_SEED", default: 20_260_401))

    @Test("rows are those of every event ever stored, and a rebuild gives the same, though partitions are dropped")
    func law() async throws {
        try await trial(kills: false)
    }

    @Test("the same with retention killed again and again, and a rebuild while a partition is half in the baseline")
    func killed() async throws {
        try await trial(kills: true)
    }

    private struct Arrival {
        var app: AppID
        var sent: LawEvent
        var stored: NormalisedEvent
    }

    /// Every case under an app of its own; events arrive by when they were received, most of them soon, some days late,
    /// some from clocks that are ahead.
    private func arrivals(_ random: inout LawRandom, seed: UInt64) throws -> [Arrival] {
        let decoder = EventDecoder()
        var arrivals: [Arrival] = []
        for index in 0..<Self.cases {
            let focus = RandomEvents.Focus.allCases[index % RandomEvents.Focus.allCases.count]
            let one = try LawCase(seed: seed &+ UInt64(index), focus: focus, decoder: decoder)
            for var event in one.events {
                let hour: Int64 = 3_600_000_000
                let delay: Int64 =
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0: -Int64.random(in: 0..<23, using: &random) * hour
                    case 1...4: Int64.random(in: 0..<192, using: &random) * hour
                    default: Int64.random(in: 0..<3, using: &random) * hour
                    }
                event.sent.receivedAt = event.sent.at + delay
                event.stored.receivedAt = Timestamp(microseconds: event.sent.receivedAt)
                arrivals.append(Arrival(app: AppID(rawValue: Int32(index + 1)), sent: event.sent, stored: event.stored))
            }
        }
        return arrivals.sorted { $0.stored.receivedAt < $1.stored.receivedAt }
    }

    /// Three days come before the first event. One of a clock that is ahead counts ten days after it, and may be eight days late.
    private static let lastDay = 22

    private func trial(kills: Bool) async throws {
        let seed = Self.firstSeed &+ (kills ? 1_000_003 : 0)
        var random = LawRandom(seed: seed)
        let arrivals = try arrivals(&random, seed: seed)
        try await RetentionStore.with(days: Self.lastDay) { store in
            try await store.connection.nameOwnDimensions(apps: Self.cases)
            try await store.connection.setLanes(kills ? 2 : 4, of: store.catalogue)
            if random.chance(50) {
                try await store.database.set("notilog.device_events", to: 1, on: store.connection)
            }
            var stored: [AppID: [LawEvent]] = [:]
            var refused = 0
            var next = 0
            // Three days are before the first event; so late ones come ten days after the last.
            var days = [Int.random(in: 3...5, using: &random), Int.random(in: 6...8, using: &random), Self.lastDay]
            if random.chance(50) { days.insert(4, at: 0) }
            for day in days.sorted() {
                let until = RetentionStore.start(of: day)
                var waiting: [Arrival] = []
                while next < arrivals.count, arrivals[next].stored.receivedAt < until || day == Self.lastDay {
                    waiting.append(arrivals[next])
                    next += 1
                }
                waiting.shuffle(using: &random)
                for (app, batch) in Dictionary(grouping: waiting, by: \.app).sorted(by: { $0.key < $1.key }) {
                    for (event, result) in zip(batch, try await store.log.append(batch.map(\.stored), app: app)) {
                        switch result {
                        case .stored: stored[app, default: []].append(event.sent)
                        case .tooOld: refused += 1
                        default: throw LawError("not stored: \(result)")
                        }
                    }
                    if random.chance(10) { try await store.catchUp(limit: random.one(of: [50, 1_000])) }
                }
                try await store.catchUp()
                guard day < Self.lastDay else { break }
                if kills {
                    try await runKilled(store, until, &random)
                } else {
                    try await store.retention().run(horizon: until)
                }
                #expect(try await store.count("log.partitions() WHERE to_at <= '\(until)'") == 0)
            }
            #expect(refused > 0, "no event came too late: the trial shows too little")
            #expect(try await store.differencesFromRebuild() == [])
            try await compare(store, stored)
        }
    }

    /// Runs retention to its end, with its server process terminated after a moment most of the time.
    private func runKilled(_ store: RetentionStore, _ horizon: Timestamp, _ random: inout LawRandom) async throws {
        var kills = 0
        for attempt in 0..<60 {
            let moment = Duration.milliseconds(Int.random(in: 5..<400, using: &random))
            let retention = try store.retention(batchLimit: random.one(of: [3, 40]))
            let killing = Task {
                guard attempt < 12 else { return 0 }
                try await ContinuousClock().sleep(for: moment)
                let killer = try await store.database.connect()
                let hit: Int64 = try await killer.value(
                    """
                    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name = 'notilog retention'
                    """
                )
                await killer.close()
                return Int(hit)
            }
            var isDone = false
            do {
                try await retention.run(horizon: horizon)
                isDone = true
            } catch let error as PostgresError where error.isConnectionFailure {
                // Killed.
            } catch let error as RetentionError where error.isBusy {
                // The one before has not noticed its end yet.
                try await ContinuousClock().sleep(for: .milliseconds(20))
            }
            kills += try await killing.value
            if isDone { return }
            if attempt % 4 == 0 { #expect(try await store.differencesFromRebuild() == [], "half way") }
        }
        Issue.record("retention did not come to an end after \(kills) kills")
    }

    private func compare(_ store: RetentionStore, _ stored: [AppID: [LawEvent]]) async throws {
        let reader = LawRows(connection: store.connection)
        let bounds: [Int64] = try await store.connection.value("SELECT projection.latency_bounds()")
        // Requests to ended tokens go with the log's.
        for table in LawTable.allCases where table.columnsOfTheModel != [] && table != .tokenRequest {
            let found = try await reader.rows(of: table)
            for (app, events) in stored.sorted(by: { $0.key < $1.key }) {
                // A schedule is no notification.
                let rows = (found[app] ?? []).filter { table != .notification || $0["occurrence"] != "infinity" }
                let difference = LawComparison.difference(
                    in: table,
                    rows,
                    LawModel(events).rows(bounds: bounds)[table] ?? [],
                    columns: table.columnsOfTheModel,
                    names: ("table", "model")
                )
                #expect(difference == nil, "app \(app)")
            }
        }
    }
}
