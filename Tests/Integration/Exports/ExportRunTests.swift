import EventLog
import Exports
import Foundation
import Postgres
import Schema
import Synchronization
import Testing

/// Promise 14, run by run: every event once per cursor, in files that are whole as soon as their manifest is there.
struct ExportRunTests {
    private struct Death: Error {}

    /// What several tasks look at.
    private final class Shared<Value: Sendable>: Sendable {
        let state: Mutex<Value>

        init(_ value: Value) { state = Mutex(value) }

        var value: Value { state.withLock { $0 } }
    }

    @Test func aCursorMayBeNamedLikeAFormat() async throws {
        try await ExportsDatabase.with { exports in
            for count in [3, 5] {
                try await exports.append(many: count)
                #expect(try await exports.rows("events", cursor: "shop.ndjson").count == count)
            }
        }
    }

    /// The new server would know another cursor of that name, or none, and refuse the folder.
    @Test func aCellThatIsClosedForAMoveKeepsItsCursorsAsTheyAre() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            _ = try await exports.rows("events", cursor: "before")
            try await exports.connection.query("UPDATE log.state SET closed = true, move = gen_random_uuid()")
            let cursors = try await ExportCursor.all(exports.pool)
            await #expect(throws: PostgresError.self) { _ = try await exports.request("events", cursor: "first").run() }
            await #expect(throws: PostgresError.self) { try await ExportCursor.reset("before", exports.pool) }
            await #expect(throws: PostgresError.self) { try await ExportCursor.drop("before", exports.pool) }
            #expect(try await ExportCursor.all(exports.pool) == cursors)
            try await exports.connection.query("UPDATE log.state SET closed = false, move = NULL")
            guard case .wrote = try await exports.request("events", cursor: "first").run() else {
                Issue.record("it has the events of before")
                return
            }
        }
    }

    /// What people did is not for everybody with a login on the machine.
    @Test func filesAreNotReadableToAll() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            let old = umask(0)
            defer { umask(old) }
            _ = try await exports.request("events", format: .ndjson).run()
            let names = try FileManager.default.contentsOfDirectory(atPath: exports.folder.path)
            #expect(names.count == 3, "the file, its manifest, and whose folder it is")
            for name in names {
                let path = exports.folder.appendingPathComponent(name).path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o640, "\(name)")
            }
        }
    }

    @Test(arguments: [
        (ExportFormat.ndjson, false), (.ndjson, true), (.csv, false), (.csv, true),
    ])
    func runsTogetherAreTheLog(_ format: ExportFormat, _ gzip: Bool) async throws {
        try await ExportsDatabase.with { exports in
            for count in [1, 9_000, 20] {
                try await exports.append(many: count)
                try await exports.append([["kind": "delivery", "at": "2026-01-05T10:00:00Z", "app": 2]])
                guard case .wrote = try await exports.request("events", format: format, gzip: gzip).run() else {
                    Issue.record("there was something new")
                    return
                }
            }
            let end: Int64 = try await exports.connection.value("SELECT settled_position FROM log.state")
            #expect(try await exports.request("events", format: format, gzip: gzip).run() == .nothing(since: end))
            let lines = try await ExportedFolder(url: exports.folder).checkedLines()
            let positions =
                format == .csv
                ? lines.map { String($0.prefix { $0 != "," }) }
                : lines.map { String($0.dropFirst(#"{"position":"#.count).prefix { $0 != "," }) }
            #expect(
                positions.joined(separator: "\n")
                    == (try await exports.text(
                        "SELECT e.position::text FROM log.event e WHERE e.app_id = 1 ORDER BY e.position"
                    ))
            )
        }
    }

    @Test func whatIsWrittenIsWhatIsStored() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append([
                [
                    "kind": "token", "at": "2026-01-05T10:00:00.000001Z", "device": "a \"quoted\" \\ \u{1}\t, é\n",
                    "nid": "",
                    "token": "00ff10", "occurrence": "1999-12-31T23:59:59.999999Z",
                    "data": ["provider": "apns", "deep": ["x": [1, 2.5, NSNull(), "\u{7}\"\\"]]],
                ]
            ])
            let row = try #require(try await exports.rows("events").first)
            #expect(row["device_id"] as? String == "a \"quoted\" \\ \u{1}\t, é\n")
            #expect(row["notification_id"] as? String == "")
            #expect(row["token"] as? String == "00ff10")
            #expect(row["occurred_at"] as? String == "2026-01-05T10:00:00.000001Z")
            #expect(row["occurrence"] as? String == "1999-12-31T23:59:59.999999Z")
            #expect(row["sent_at"] is NSNull && row["tombstone"] as? Bool == false)
            let id: String = try await exports.connection.value("SELECT id::text FROM log.event")
            #expect(row["id"] as? String == id)
            let data = try #require(row["data"] as? [String: Any])
            #expect(data["provider"] as? String == "apns")
            #expect((data["deep"] as? [String: [Any]])?["x"]?.last as? String == "\u{7}\"\\")
        }
    }

    /// A reader's memory is bounded by bytes, however large the events are.
    @Test func largeEventsComeInSmallParts() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.connection.query("SELECT log.ensure_partitions('2026-01-01', '2026-02-01')")
            try await exports.connection.query(
                """
                INSERT INTO log.event (position, received_at, occurred_at, effective_at, id, app_id, utc_offset, schema_version,
                  time_clamped, kind, device_id, data)
                SELECT nextval('log.position'), t, t, t, gen_random_uuid(), 1, 60, 1, false, 'delivery', 'd' || n,
                  jsonb_build_object('attributes', repeat('x', 1 << 18))
                FROM generate_series(1, 120) AS n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '1 second') AS x (t)
                """
            )
            try await exports.connection.query("CALL log.settle(NULL)")
            let reader = ExportReader(pool: exports.pool)
            let dataset = try await reader.dataset("events")
            let bound = try await reader.bound(dataset, app: 1)
            let range = ExportRange(after: 0, upTo: bound.number)
            let stream = try reader.stream(dataset, app: 1, range, as: .ndjson)
            var positions: [String] = []
            var parts = 0
            while let part = try await stream.next() {
                #expect(part.count < 9 << 20)
                parts += 1
                for line in part.split(separator: 10) {
                    positions.append(String(decoding: line.prefix(20), as: UTF8.self).filter(\.isNumber))
                }
            }
            #expect(parts > 3)
            #expect(positions == (1...120).map(String.init))
        }
    }

    /// CSV goes through PostgreSQL's own reader, and comes back as it was.
    @Test func csvIsReadByCopy() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 50)
            try await exports.append([
                ["kind": "token", "at": "2026-01-05T10:00:00Z", "device": "a,\"b\"\nc", "token": "00ff", "nid": ""]
            ])
            _ = try await exports.request("events", format: .csv).run()
            let file = try #require(try ExportedFolder(url: exports.folder).manifests.first).file
            let csv = try String(contentsOf: exports.folder.appendingPathComponent(file), encoding: .utf8)
            let (header, body) = (csv.prefix { $0 != "\n" }, csv.drop { $0 != "\n" }.dropFirst())
            let columns = header.split(separator: ",").map { "\($0) text" }.joined(separator: ", ")
            let result = try await NotilogCommand.runProgram(
                "/bin/sh",
                [
                    "-c", "psql -XqAt \"$1\" -c \"$2\" -c \"$3\" -c \"$4\"", "sh", exports.database.url,
                    "CREATE TEMP TABLE t (\(columns))", "COPY t FROM STDIN (FORMAT csv)",
                    """
                    SELECT count(*) FROM t JOIN log.upcast_event e ON t.position = e.position::text
                    WHERE (t.device_id, t.data::jsonb, t.id, t.received_at::timestamptz)
                        = (e.device_id, e.data, e.id::text, e.received_at)
                      AND t.token IS NOT DISTINCT FROM encode(e.token, 'hex')
                      AND t.notification_id IS NOT DISTINCT FROM e.notification_id
                    """,
                ],
                input: String(body)
            )
            #expect(result.output == "51\n", "\(result.errors)")
        }
    }

    @Test(arguments: ExportStep.allCases)
    func aRunThatDiedIsTakenUpUnderTheSameName(_ step: ExportStep) async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 300)
            _ = try await exports.request("events").run()
            try await exports.append(many: 200)
            var dying = exports.request("events")
            dying.onStep = { if $0 == step { throw Death() } }
            await #expect(throws: Death.self) { try await dying.run() }
            let names = ExportedFolder(url: exports.folder).names
            let file = exports.folder.appendingPathComponent("c.events.0000000000000301-0000000000000500.ndjson")
            let before = try? Data(contentsOf: file)
            #expect((before != nil) == [.renamed, .described, .committed].contains(step))

            // What came meanwhile waits for the run after that.
            try await exports.append(many: 100)
            let outcome = try await exports.request("events", format: .csv, gzip: true).run()
            guard case .wrote(let manifest, let isResumed) = outcome else {
                Issue.record("the run was not taken up")
                return
            }
            #expect(isResumed == (step != .committed))
            if step != .committed {
                #expect(manifest.file == file.lastPathComponent && manifest.rows == 200)
                let after = try Data(contentsOf: file)
                #expect(before == nil || before == after)
                _ = try await exports.request("events").run()
            }
            #expect(ExportedFolder(url: exports.folder).names.allSatisfy { !$0.contains("~") }, "\(names)")
            #expect(try await ExportedFolder(url: exports.folder).checkedLines().count == 600)
        }
    }

    @Test func ofTwoRunsAtOnceTheSecondSaysSo() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 10)
            let holder = try #require(try await HeldLock.take("export cursor c", exports.database.configuration))
            let error = await #expect(throws: ExportError.self) { try await exports.request("events").run() }
            #expect(error?.code == .busy && error?.message.contains("under way") == true)
            #expect(try await exports.rows("events", cursor: "another").count == 10)
            await holder.release()
        }
    }

    @Test(.timeLimit(.minutes(5))) func aRunThatIsFrozenLosesItsCursorToTheNext() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 2_000)
            // It waits for the log, so that it is frozen while it reads.
            let holding = try await exports.database.connect()
            try await holding.query("BEGIN")
            try await holding.query("LOCK TABLE log.event IN ACCESS EXCLUSIVE MODE")
            let frozen = NotilogCommand.process(
                ["export", "events", "--cursor", "c", "--app", "demo", "--output", exports.folder.path],
                environment: ["NOTILOG_DATABASE_URL": exports.database.url]
            )
            frozen.standardOutput = FileHandle.nullDevice
            frozen.standardError = FileHandle.nullDevice
            try frozen.begin()
            defer { if frozen.isRunning { kill(frozen.processIdentifier, SIGKILL) } }
            try await eventually("it reads") {
                let recorded = "SELECT count(*) FROM export.cursor WHERE run_to IS NOT NULL"
                let isRecorded = try await exports.connection.value(recorded, as: Int64.self) == 1
                let waiting = try await exports.connection.waiting(for: "log.event")
                return isRecorded && !waiting.isEmpty
            }
            kill(frozen.processIdentifier, SIGSTOP)
            try await holding.query("ROLLBACK")
            await holding.close()

            var rows: Int64 = 0
            try await eventually("another run takes it up") {
                do {
                    guard case .wrote(let manifest, isResumed: true) = try await exports.request("events").run() else {
                        return false
                    }
                    rows = manifest.rows
                    return true
                } catch let error as ExportError where error.code == .busy {
                    return false
                }
            }
            #expect(rows == 2_000)
            kill(frozen.processIdentifier, SIGCONT)
            try await eventually("the first one ends") { !frozen.isRunning }
            #expect(frozen.terminationStatus != 0)
            #expect(try await ExportedFolder(url: exports.folder).checkedLines().count == 2_000)
        }
    }

    @Test func manyAtOnceDeliverOnce() async throws {
        try await ExportsDatabase.with { exports in
            let written = Shared(Int64(0))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    let run = exports.request("events")
                    group.addTask {
                        for _ in 0..<10 {
                            do {
                                if case .wrote(let manifest, _) = try await run.run() {
                                    written.state.withLock { $0 += manifest.rows }
                                }
                            } catch let error as ExportError where error.code == .busy {
                                continue
                            }
                        }
                    }
                }
                for _ in 0..<5 { try await exports.append(many: 100) }
                try await group.waitForAll()
            }
            let last = try await exports.request("events").run()
            if case .wrote(let manifest, _) = last { written.state.withLock { $0 += manifest.rows } }
            #expect(try await ExportedFolder(url: exports.folder).checkedLines().count == 500)
            #expect(written.value == 500)
        }
    }

    /// A cursor that a refused run left would hold retention where it begins.
    @Test func ofFirstRunsIntoOneFolderOneTakesItAndTheOthersLeaveNoCursor() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            let rounds = 0..<10
            for round in rounds {
                let refusals = try await withThrowingTaskGroup(of: ExportError?.self) { group in
                    for number in 0..<4 {
                        let run = exports.request("events", cursor: "c\(round)-\(number)", folder: "/\(round)")
                        group.addTask {
                            do {
                                _ = try await run.run()
                                return nil
                            } catch let error as ExportError {
                                return error
                            }
                        }
                    }
                    var refusals: [ExportError] = []
                    for try await refusal in group { if let refusal { refusals.append(refusal) } }
                    return refusals
                }
                #expect(refusals.count == 3)
                for refusal in refusals {
                    #expect(refusal.code == .otherCursor && refusal.message.contains("files of cursor c\(round)-"))
                }
            }
            #expect(try await ExportCursor.all(exports.pool).count == rounds.count)
        }
    }

    /// Positions are drawn before they are committed, in any order.
    @Test func aRunWaitsForWhatIsNotCommittedYet() async throws {
        try await ExportsDatabase.with { exports in
            let (slow, quick) = (try await exports.database.connect(), try await exports.database.connect())
            try await exports.connection.query("SELECT log.ensure_partitions('2026-01-01', '2026-02-01')")
            try await BarrierTests().openAppend(slow, events: 2)
            try await BarrierTests().openAppend(quick, events: 3)
            try await quick.query("COMMIT")
            #expect(try await exports.request("events").run() == .nothing(since: 0))
            try await slow.query("COMMIT")
            try await exports.connection.query("CALL log.settle(NULL)")
            try await exports.connection.query("UPDATE log.event SET schema_version = 1")
            _ = try await exports.request("events").run()
            #expect(try await ExportedFolder(url: exports.folder).checkedLines().count == 5)
            await slow.close()
            await quick.close()
        }
    }

    @Test func nothingIsSkippedWhileOthersAppend() async throws {
        try await TestDatabase.withDatabase { database in
            try await TestLog.with(database) { log in
                let pool = Pool(database.configuration, limit: 4)
                try await pool.query("INSERT INTO notilog.app (name) VALUES ('demo')")
                let folder = FileManager.default.temporaryDirectory
                    .appendingPathComponent("notilog-export-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: folder) }
                let run = ExportRun(
                    ExportRequest(dataset: "events", cursor: "c", appID: 1, app: "demo", folder: folder.path),
                    pool: pool
                )
                let isDone = Shared(false)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await withThrowingTaskGroup(of: Void.self) { senders in
                            for sender in 0..<4 {
                                senders.addTask {
                                    for _ in 0..<30 {
                                        _ = try await log.log.append(
                                            SampleEvents.batch(20, device: "d\(sender)"),
                                            app: 1
                                        )
                                    }
                                }
                            }
                            try await senders.waitForAll()
                        }
                        isDone.state.withLock { $0 = true }
                    }
                    group.addTask {
                        while !isDone.value {
                            try await pool.query("CALL log.settle(NULL)")
                            _ = try await run.run()
                        }
                    }
                    try await group.waitForAll()
                }
                try await pool.query("CALL log.settle(NULL)")
                _ = try await run.run()
                let lines = try await ExportedFolder(url: folder).checkedLines()
                #expect(lines.count == 2400 && Set(lines).count == 2400)
                await pool.shutDown()
            }
        }
    }
}
