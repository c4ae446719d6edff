import Administration
import EventLog
import Logging
import NotificationEvents
import Pacing
import Postgres
import Projections
import Reports
import Schema
import Testing

/// What is promised of one log holds of several: no event is in two, an erasure reaches all, and nobody is held up by who only reads.
@Suite("Cells: guarantees")
struct CellGuaranteeTests {
    private static let app = AppID(rawValue: 1)

    @Test("a cell refuses events of lanes that are elsewhere, and names no device")
    func otherLanes() async throws {
        try await Self.withStore { store, databases in
            let device = Self.device(inCell: 1, of: store)
            try await TestLog.with(databases[2]) { test in
                let error = await #expect(throws: AppendError.self) {
                    _ = try await test.log.append([SampleEvents.make(device: device)], app: Self.app)
                }
                #expect(error?.cause?.sqlState == SQLState.otherCell)
                #expect(error?.description.contains(device) == false)
            }
            #expect(try await store.query("SELECT count(*) FROM log.event").map { try $0.only().get(0) } == [0, 0, 0])
        }
    }

    @Test("an event that is sent again is found where it is, whoever divides the body")
    func duplicates() async throws {
        try await Self.withStore { store, _ in
            let events = (0..<60).map { SampleEvents.make(device: "device-\($0 % 20)") }
            var positions: [Position] = []
            for result in try await store.log.append(events, app: Self.app) {
                guard case .stored(let position) = result else { throw LawError("\(result)") }
                positions.append(position)
            }
            for (index, result) in try await store.log.append(events.reversed(), app: Self.app).enumerated() {
                #expect(result == .duplicate(position: positions[59 - index]))
            }
            #expect(Set(positions.map { $0.rawValue % 1024 }) == [0, 1, 2])
        }
    }

    @Test("an erasure takes tokens and names out of cells that had no copy of them yet")
    func erasureAheadOfCopies() async throws {
        try await Self.withStore { store, _ in
            let token = Self.token(inCell: 2, of: store)
            let device = Self.device(inCell: 1, of: store)
            try await store.append([
                (Self.app, [Self.registration(token, device), Self.answer(token, notification: "secret-1")]),
                (Self.app, [SampleEvents.make(device: device, notification: "secret-1")]),
            ])
            #expect(try await Self.count("token = $1", [.bytea(token)], store) == 2)
            _ = try await CellErasure(store.cells).erase([device], app: Self.app)
            #expect(try await Self.count("token = $1", [.bytea(token)], store) == 0)
            #expect(try await Self.count("notification_id = $1", [.text("secret-1")], store) == 0)
            let refused = try await store.log.append([Self.answer(token, notification: nil)], app: Self.app)
            #expect(refused == [.erased], "the token's own cell refuses it")
        }
    }

    @Test("exports of a cell without an event of the device tell what it erased", arguments: [false, true])
    func tombstonesOfOtherCells(areCopied: Bool) async throws {
        try await Self.withStore { store, _ in
            let token = Self.token(inCell: 2, of: store)
            let device = Self.device(inCell: 1, of: store)
            try await store.append([
                (Self.app, [Self.registration(token, device), Self.answer(token, notification: "secret-1")])
            ])
            if areCopied { try await store.apply(limit: 100) }
            let read = "SELECT export.bound('events', 1)"
            _ = try await store.query("CALL log.settle(NULL)")
            let before: [Int64] = try await store.query(read).map { try $0.only().get(0) }
            _ = try await CellErasure(store.cells).erase([device], app: Self.app)
            _ = try await store.query("CALL log.settle(NULL)")
            let after: [Int64] = try await store.query(read).map { try $0.only().get(0) }
            #expect(after[2] > before[2], "a reader looks again")
            let told = try await store.query(
                """
                SELECT cardinality(export.erased_positions(1, $1, export.erased(1, $1, $2)))
                """,
                [.int8(before[2]), .int8(after[2])]
            )
            #expect(try told[2].only().get(0, as: Int32?.self) == 1, "the answer's tombstone")
        }
    }

    @Test("a token that an append under way registers as the erasure begins is refused by every cell")
    func tokenUnderWay() async throws {
        try await Self.withStore { store, databases in
            let token = Self.token(inCell: 2, of: store)
            let device = Self.device(inCell: 1, of: store)
            try await store.append([(Self.app, [SampleEvents.make(device: device)])])
            let (appending, looking) = (try await databases[1].connect(), try await databases[1].connect())
            try await appending.query("BEGIN")
            // At the time of the device's other event.
            try await appending.query(
                """
                SELECT log.append(ARRAY[e.app_id], ARRAY[gen_random_uuid()], ARRAY[gen_random_uuid()], ARRAY['token'],
                  ARRAY[e.device_id], ARRAY[e.received_at], ARRAY[e.occurred_at], ARRAY[e.effective_at], ARRAY[NULL::timestamptz],
                  ARRAY[NULL::timestamptz], ARRAY[0::smallint], ARRAY[1::smallint], ARRAY[false], ARRAY[NULL::text], ARRAY[$2::bytea],
                  ARRAY['{"state": "registered", "provider": "apns", "type": "alert", "environment": "production"}'::jsonb])
                FROM log.event e WHERE e.device_id = $1
                """,
                [.text(device), .bytea(token)]
            )
            async let report = CellErasure(store.cells).erase([device], app: Self.app)
            try await eventually("the device is in the ledger") {
                try await looking.value("SELECT count(*) FROM log.erasure", as: Int64.self) == 1
            }
            try await appending.query("COMMIT")
            #expect(try await report.events == 2)
            #expect(try await Self.count("token = $1", [.bytea(token)], store) == 0)
            let refused = try await store.log.append([Self.answer(token, notification: nil)], app: Self.app)
            #expect(refused == [.erased], "the token's own cell refuses it")
            for connection in [appending, looking] { await connection.close() }
        }
    }

    @Test("a token that a device of another cell holds stays that device's")
    func heldElsewhere() async throws {
        try await Self.withStore { store, _ in
            let token = Self.token(inCell: 2, of: store)
            let (gone, stays) = (Self.device(inCell: 1, of: store), Self.device(inCell: 0, of: store))
            try await store.append([(Self.app, [Self.registration(token, gone), Self.registration(token, stays)])])
            _ = try await CellErasure(store.cells).erase([gone], app: Self.app)
            let taken = try await store.log.append([Self.answer(token, notification: nil)], app: Self.app)
            guard case .stored = try #require(taken.first) else { throw LawError("\(taken)") }
        }
    }

    @Test("an erasure that breaks off before every cell knows waits for whoever tells them")
    func erasureThatBreaksOff() async throws {
        try await Self.withStore { store, databases in
            let device = Self.device(inCell: 1, of: store)
            try await store.append([(Self.app, [SampleEvents.make(device: device)])])
            try await CellErasure(store.cells).note(device, app: Self.app)
            // The device's cell alone would not know what else there is of it.
            #expect(try await Erasure(databases[1].configuration).finishPending() == 0)
            #expect(try await Self.count("device_id = $1", [.text(device)], store) == 1)
            await CellErasure(store.cells).telling(logger: Logger(label: "test.cells")).runOnce()
            #expect(try await Self.count("device_id = $1", [.text(device)], store) == 0)
            #expect(
                try await store.query("SELECT count(*) FROM log.erasure_pending").map { try $0.only().get(0) } == [
                    0, 0, 0,
                ]
            )
        }
    }

    @Test("copies that were sent before are not stored again, and a restored cell gets those that it lacks")
    func copiesAgain() async throws {
        try await Self.withStore { store, _ in
            let token = Self.token(inCell: 2, of: store)
            let devices = (0..<3).map { Self.device(inCell: Int16($0), of: store) }
            try await store.append(devices.map { (Self.app, [Self.registration(token, $0)]) })
            try await store.apply(limit: 100)
            let copies = "SELECT count(*) FROM log.copy"
            let before: [Int64] = try await store.query(copies).map { try $0.only().get(0) }
            #expect(before == [2, 2, 2])
            _ = try await store.query("UPDATE log.copied SET position = 0")
            try await store.apply(limit: 100)
            #expect(try await store.query(copies).map { try $0.only().get(0) } == before)
            // As a dump from before the copies: another incarnation of the log, without them.
            func applied() async throws -> Int64 {
                try await store.query("SELECT applied FROM log.copied WHERE cell = 1")[0].only().get(0)
            }
            #expect(try await applied() > 0)
            _ = try await store.query("DELETE FROM log.copy")
            _ = try await store.query("UPDATE log.state SET incarnation = gen_random_uuid()")
            let copier = CellCopier(
                store.cells.all[0],
                to: store.cells.all[1],
                signal: LogSignal(),
                logger: Logger(label: "test.cells")
            )
            try await copier.copyNow()
            #expect(try await applied() == 0, "a report that waits for a position waits for its copies again")
            try await store.apply(limit: 100)
            #expect(try await store.query(copies).map { try $0.only().get(0) } == before)
        }
    }

    @Test("a copier that stands by asks for its turn now and then")
    func standingBy() async throws {
        try await Self.withStore { store, databases in
            let (cell, other) = (store.cells.all[0], store.cells.all[1])
            let lock = try #require(
                try await HeldLock.take("copies to cell \(other.number)", databases[0].configuration)
            )
            let connection = try await databases[0].connect()
            // Each attempt ends with a rollback, which is counted as its session ends.
            func attempts() async throws -> Int64 {
                try await connection.value(
                    "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()"
                )
            }
            let (before, began) = (try await attempts(), ContinuousClock.now)
            let copier = CellCopier(cell, to: other, signal: LogSignal(), logger: Logger(label: "test.cells"))
            let copying = Task { await copier.run() }
            // Over three seconds, as the server counts what a session did once a second.
            try await eventually("it has asked more than once") {
                guard ContinuousClock.now - began > .seconds(3) else { return false }
                return try await attempts() >= before + 2
            }
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            let asked = try await attempts() - before
            #expect(Double(asked) < 2 + 3 * seconds, "\(asked) attempts in \(seconds) s")
            copying.cancel()
            await copying.value
            await lock.release()
            await connection.close()
        }
    }

    @Test("a report leaves no transaction open in other cells, and one that fails leaves no session busy")
    func nothingStaysOpen() async throws {
        try await Self.withStore { store, databases in
            let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
            let pool = Pool(databases[0].configuration, limit: 1)
            let runner = ReportRunner(catalogue: catalogue, pool: pool)
            let definition = try #require(catalogue.reports.first { $0.name == "engagement" })
            let parameters = try ReportParameters([], for: definition)
            let open =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'notilog cell' AND state <> 'idle' AND datname = current_database()"
            for _ in 0..<2 {
                _ = try await runner.run(parameters, app: "app1")
                #expect(try await store.query(open).map { try $0.only().get(0) } == [0, 0, 0])
            }
            try await pool.withConnection { connection in
                await #expect(throws: PostgresError.self) {
                    try await connection.query("SELECT * FROM report.engagement('app1', ARRAY['nothing'])")
                }
            }
            #expect(try await runner.run(parameters, app: "app1").rows.isEmpty)
            await pool.shutDown()
        }
    }

    @Test("a token that devices of several cells registered counts once for each of them")
    func sharedToken() async throws {
        try await Self.withStore { store, databases in
            let token = Self.token(inCell: 2, of: store)
            let devices = (0..<3).map { Self.device(inCell: Int16($0), of: store) }
            try await store.append(
                devices.enumerated().map { index, device in
                    var event = Self.registration(token, device)
                    event.effectiveAt = Timestamp(
                        microseconds: event.effectiveAt.microseconds + Int64(index) * 60_000_000
                    )
                    return (Self.app, [event])
                }
            )
            try await store.apply(limit: 100)
            #expect(
                try await store.query("SELECT count(*) FROM projection.device_token").map { try $0.only().get(0) } == [
                    3, 3, 3,
                ]
            )
            let connection = try await databases[0].connect()
            let states = try await connection.query(
                """
                SELECT state, sum(tokens)::bigint FROM report.tokens('app1', as_of => '2026-01-15 14:00Z') GROUP BY 1 HAVING sum(tokens) > 0 ORDER BY 1
                """
            ).map { "\(try $0.get(0, as: String.self)) \(try $0.get(1, as: Int64.self))" }
            #expect(states == ["active 1", "moved 2"])
            await connection.close()
        }
    }

    @Test("a setting of the session changes no figure of a cell")
    func dateStyle() async throws {
        try await Self.withStore { store, databases in
            let device = Self.device(inCell: 1, of: store)
            try await store.append([(Self.app, [SampleEvents.make(kind: "delivery", device: device)])])
            try await store.apply(limit: 100)
            let connection = try await databases[0].connect(settings: [
                "DateStyle": "SQL, DMY", "IntervalStyle": "sql_standard",
            ])
            let reached: Int64 = try await connection.query(
                """
                SELECT coalesce(sum(events), 0)::bigint FROM report.activity('app1', "from" => '2026-01-02', "to" => '2026-02-03')
                """
            ).only().get(0)
            #expect(reached == 1)
            await connection.close()
        }
    }

    private static func withStore(_ body: @Sendable (CellStore, [TestDatabase]) async throws -> Void) async throws {
        try await TestDatabase.withDatabases(3) { databases in
            try await CellStore.withStore(on: databases, apps: 1) { try await body($0, databases) }
        }
    }

    private static func device(inCell number: Int16, of store: CellStore) -> String {
        (0...).lazy.map { "device-\($0)" }.first { store.cells.cell(ofDevice: $0).number == number } ?? ""
    }

    /// A digest whose events without a device are of a cell.
    private static func token(inCell number: Int16, of store: CellStore) -> [UInt8] {
        let lane = store.cells.all.first { $0.number == number }?.lanes.min() ?? 0
        return [UInt8(lane)] + Array(repeating: 7, count: 31)
    }

    private static func registration(_ token: [UInt8], _ device: String) -> NormalisedEvent {
        var event = SampleEvents.make(
            kind: "token",
            device: device,
            notification: nil,
            data: #"{"state": "registered", "provider": "apns", "type": "alert", "environment": "production"}"#
        )
        event.token = token
        return event
    }

    private static func answer(_ token: [UInt8], notification: String?) -> NormalisedEvent {
        var event = SampleEvents.make(
            kind: "push_result",
            device: "",
            notification: notification,
            data: #"{"provider": "apns", "status": "200"}"#
        )
        event.token = token
        return event
    }

    /// How many events of all cells a condition holds for.
    private static func count(_ condition: String, _ parameters: [Parameter], _ store: CellStore) async throws -> Int64
    {
        try await store.query("SELECT count(*) FROM log.event WHERE \(condition)", parameters)
            .reduce(0) { $0 + (try $1.only().get(0)) }
    }
}
