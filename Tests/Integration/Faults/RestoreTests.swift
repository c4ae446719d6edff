import EventLog
import Foundation
import Logging
import PlainHTTP
import Postgres
import PrivatePostgres
import Testing

/// Guarantee 6: the log moves. A dump restored into a new cluster, and a promoted replica, go on without losing or
/// repeating an event; a reader that has seen more than the log still holds is told.
@Suite("Faults: restore and promotion", .serialized)
struct RestoreTests {
    @Test("a restored dump goes on where it was, and readers of what it lacks are told", .timeLimit(.minutes(15)))
    func dumpAndRestore() async throws {
        try await TestDatabase.withServer { _, database in
            let app = try await TestApp.make("first", in: database)
            let service = try await ServiceProcess.start(database: database.url)
            let reader = TimelineReader(service.url, app)
            try await reader.post(0..<40)
            let before = try await reader.cursor()
            let dump = try Programs.makeFolder("notilog-dump-")
            defer { try? FileManager.default.removeItem(atPath: dump) }
            try await reader.settle()
            try await Programs.run("pg_dump", ["--format=custom", "--file=\(dump)/log", database.url])
            try await Programs.run("pg_dumpall", ["--roles-only", "--file=\(dump)/roles", "--dbname=\(database.url)"])
            // These the dump lacks.
            try await reader.post(40..<60)
            let beyond = try await reader.cursor(pages: 5)
            #expect(await service.stop() == 0)

            try await TestDatabase.withServer(migrated: false) { _, restored in
                // A dump holds no roles. Those that there are already are complained of, and passed over.
                try await Programs.run("psql", ["--no-psqlrc", "--quiet", "--file=\(dump)/roles", restored.url])
                try await Programs.run("pg_restore", ["--dbname=\(restored.url)", "\(dump)/log"])
                let service = try await ServiceProcess.start(database: restored.url)
                let reader = TimelineReader(service.url, app)
                // Sent again, as a sender does that does not know: what is there is a duplicate, what is not is stored.
                let again = try await reader.post(0..<80)
                #expect(again.duplicate == 40)
                #expect(again.accepted == 40)
                try await reader.settle()
                try await MovedLog.checkOnce(restored, events: 82)
                #expect(try await reader.status(of: before) == 200, "up to the dump the log is the same")
                let told = try await reader.page(after: beyond)
                #expect(told.status == 410)
                #expect(try told.problem.code == "log_went_back")
                // The one that it gives out now is good.
                #expect(try await reader.status(of: try await reader.cursor(pages: 5)) == 200)
                #expect(await service.stop() == 0)
                #expect(try await FaultVerdict.differing(in: restored).isEmpty)
            }
        }
    }

    @Test("a promoted synchronous replica goes on under load; cursors stay good", .timeLimit(.minutes(15)))
    func promotion() async throws {
        try await TestDatabase.withServer { primary, database in
            let app = try await TestApp.make("first", in: database)
            let standby = try await MovedLog.replica(of: primary)
            defer { try? FileManager.default.removeItem(atPath: standby.folder) }
            let lines = try [primary, standby.server].map { try FaultProxy(to: .socket(path: MovedLog.socket($0))) }
            defer { lines.forEach { $0.close() } }
            let service = try await ServiceProcess.start(database: MovedLog.url(lines))
            let port = UInt16(service.url.split(separator: ":").last ?? "") ?? 0
            let load = FaultClients(ports: [port], key: app.write, seed: 6)
            async let sending: Void = load.run(4)
            try await eventually("events before the promotion", within: .seconds(30)) { load.ledger.count > 150 }
            let reader = TimelineReader(service.url, app)
            try await reader.post(0..<30)
            try await reader.settle()
            let cursor = try await reader.cursor()

            try primary.kill()
            lines[0].close()
            let start = ContinuousClock.now
            try await MovedLog.promote(standby.server)
            let promoted = TestDatabase(url: standby.server.url())
            try await eventually("an acknowledgement after the promotion", within: .seconds(30)) {
                load.ledger.lastSuccess(of: 0).map { $0 > start } ?? false
            }
            let acknowledged = load.ledger.count
            try await eventually("more of them", within: .seconds(30)) { load.ledger.count > acknowledged + 50 }
            load.stop()
            await sending
            try await reader.settle()
            let status = try await TimelineReader(service.url, app).status(of: cursor)
            #expect(status == 200, "nothing that was read is gone")
            #expect(await service.stop() == 0)
            let verdict = try await FaultVerdict.find(load.ledger.state, in: [promoted])
            #expect(verdict.lost == 0)
            #expect(verdict.twice == 0)
            #expect(verdict.stored == Int64(load.ledger.count + 32))
            #expect(verdict.differing.isEmpty)
            #expect(load.ledger.state.violations.isEmpty)
            let incarnations = try await MovedLog.reasons(promoted)
            #expect(incarnations == ["made", "another timeline"])
            try await standby.server.stop(.immediate)
        }
    }

    @Test("what a promoted asynchronous replica lacks is said: readers beyond it are told, senders may send it again")
    func asynchronousPromotion() async throws {
        try await TestDatabase.withServer { primary, database in
            let app = try await TestApp.make("first", in: database)
            let standby = try await MovedLog.replica(of: primary, isSynchronous: false)
            defer { try? FileManager.default.removeItem(atPath: standby.folder) }
            let lines = try [primary, standby.server].map { try FaultProxy(to: .socket(path: MovedLog.socket($0))) }
            defer { lines.forEach { $0.close() } }
            let service = try await ServiceProcess.start(database: MovedLog.url(lines))
            let reader = TimelineReader(service.url, app)
            try await reader.post(0..<40)
            try await reader.settle()
            let before = try await reader.cursor()
            // Nothing more reaches the replica.
            try await MovedLog.stopReceiving(standby.server, from: primary)
            try await reader.post(40..<80)
            try await reader.settle()
            let beyond = try await reader.cursor(pages: 7)

            try primary.kill()
            lines[0].close()
            try await MovedLog.promote(standby.server)
            let again = try await eventuallyPosted(reader, 0..<80)
            #expect(again.duplicate == 40, "what the replica had")
            #expect(again.accepted == 40, "what was lost, sent again")
            try await reader.settle()
            #expect(try await reader.status(of: before) == 200)
            let told = try await reader.page(after: beyond)
            #expect(told.status == 410)
            #expect(try told.problem.code == "log_went_back")
            #expect(await service.stop() == 0)
            let promoted = TestDatabase(url: standby.server.url())
            #expect(try await MovedLog.reasons(promoted) == ["made", "it was set back"])
            // What they have in common ends with what the replica had: it is said, not guessed.
            let log = try await NotilogCommand.run(["log"], environment: ["NOTILOG_DATABASE_URL": promoted.url])
            #expect(log.status == 0 && log.output.contains("it was set back"), "\(log.output)\(log.errors)")
            try await MovedLog.checkOnce(promoted, events: 82)
            #expect(try await FaultVerdict.differing(in: promoted).isEmpty)
            try await standby.server.stop(.immediate)
        }
    }

    /// Posts once there is somebody to take it.
    private func eventuallyPosted(_ reader: TimelineReader, _ numbers: Range<Int>) async throws -> EventsReply {
        var reply: EventsReply?
        try await eventually("an answer after the promotion", within: .seconds(60)) {
            reply = try? await reader.post(numbers)
            return reply != nil
        }
        guard let reply else { throw FaultFailure("no answer") }
        return reply
    }

    @Test("a crash sets neither the settled position back nor the sequence behind it", .timeLimit(.minutes(15)))
    func crash() async throws {
        try await TestDatabase.withServer { server, database in
            for _ in 0..<3 {
                let connection = try await database.connect()
                // Drawn by somebody who gave up: nothing of it is flushed by a commit.
                try await connection.query("BEGIN")
                try await connection.query("SELECT nextval('log.position') FROM generate_series(1, 100)")
                try await connection.query("ROLLBACK")
                let settled = try await Settler.settleNow(on: connection)
                #expect(settled > 0)
                // A reader elsewhere has read up to there, and will not look at it again.
                try server.kill()
                await connection.close()
                try await within(.seconds(60), "restart of PostgreSQL") { try await server.restart() }
                let after = try await database.connect()
                #expect(try await after.settledPosition >= settled.rawValue)
                #expect(try await after.value("SELECT nextval('log.position')", as: Position.self) > settled)
                await after.close()
            }
        }
    }

    @Test(
        "a log that was set back under a running service is noticed, and can be said by command",
        .timeLimit(.minutes(15))
    )
    func setBack() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await TestLog.with(database) { test in
                _ = try await test.log.append(SampleEvents.batch(10), app: 1)
                let settled = try await Settler.settleNow(on: connection)
                let first = try await connection.value("SELECT incarnation::text FROM log.state", as: String.self)
                // As in memory of a service that knew more than the restored log holds.
                #expect(
                    try await connection.value("SELECT log.note_place($1)", [.position(settled)], as: Bool.self)
                        == false
                )
                #expect(
                    try await connection.value(
                        "SELECT log.note_place($1)",
                        [.int8(settled.rawValue + 5)],
                        as: Bool.self
                    ) == true
                )
                let common = "SELECT log.common_position($1::text::uuid)"
                #expect(try await connection.value(common, [.text(first)], as: Position.self) == settled)
                let result = try await NotilogCommand.run(
                    ["log", "new-incarnation", "--same-up-to", "3"],
                    environment: ["NOTILOG_DATABASE_URL": database.url]
                )
                #expect(result.status == 0, "\(result.errors)")
                #expect(try await connection.value(common, [.text(first)], as: Int64.self) == Int64(3))
                let unknown = try await connection.query(common, [.text("00000000-0000-0000-0000-000000000001")]).count
                #expect(unknown == 1)
                // A sequence left behind by logical replication does not draw a position again.
                try await connection.query("SELECT setval('log.position', 1)")
                try await connection.query("UPDATE log.state SET place = '1/1/1'")
                _ = try await Settler.settleNow(on: connection)
                guard case .stored(let position)? = try await test.log.append(SampleEvents.batch(1), app: 1).first
                else {
                    Issue.record("not stored")
                    return
                }
                #expect(position > settled)
            }
            await connection.close()
        }
    }
}
