import Administration
import EventLog
import Foundation
import Logging
import PlainHTTP
import Postgres
import PrivatePostgres
import Schema
import Synchronization
import Testing

/// A cell moves to another server: nothing that was acknowledged is lost, and only one server takes events at any time.
@Suite("Cells: moves", .serialized)
struct CellMoveTests {
    @Test(
        "a cell moves under load: each acknowledged event is there once, reports are answered, services go on there",
        .timeLimit(.minutes(10))
    )
    func underLoad() async throws {
        try await MoveRig.run { rig in
            try await rig.withService { service in
                let client = try await ServiceClient.connect(service.url)
                let key = rig.app.write
                for device in rig.devices.prefix(3) {
                    #expect(try await client.post(Self.request(device), key: rig.app.provider).status == 200)
                }
                let erased = rig.devices[0]
                #expect(try await client.delete(erased, rig.app).status == 200)
                let before = try await rig.requested(client)
                let incarnation = try await rig.text("SELECT incarnation::text FROM log.state", in: rig.old)

                let sent = MoveTraffic()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await sent.send(to: service.url, key) }
                    group.addTask { try await sent.ask(service.url, rig.app.read) }
                    defer { sent.state.withLock { $0.isOver = true } }
                    try await eventually("some are sent") { sent.state.withLock { $0.acknowledged.count > 100 } }
                    let command = try await NotilogCommand.run([
                        "cluster", "move", "2", rig.new.url, "--json", "--database-url", rig.coordinator.url,
                    ])
                    #expect(command.status == 0 && command.output.contains(#""server""#), "\(command)")
                    // By itself the service finds the new server.
                    let other = try await ServiceClient.connect(service.url)
                    try await eventually("events at the new server") {
                        try await other.post(Sample.action(device: rig.devices[1], id: sent.id()), key: key).status
                            == 200
                    }
                    let reached = sent.state.withLock { $0.acknowledged.count }
                    try await eventually("more are sent") {
                        sent.state.withLock { $0.acknowledged.count > reached + 50 && $0.reports > 3 }
                    }
                    await other.connection.close()
                    sent.state.withLock { $0.isOver = true }
                    try await group.waitForAll()
                }
                let refused = sent.state.withLock { $0.refused }
                for (id, body) in refused {
                    #expect(try await client.post(body, key: key).status == 200)
                    sent.state.withLock { _ = $0.acknowledged.insert(id) }
                }
                #expect(try await rig.requested(client) == before)
                #expect(try await client.post(Sample.action(device: erased), key: key).status == 422)
                #expect(try await client.delete(rig.devices[1], rig.app).status == 200)
                #expect(try await client.post(Sample.action(device: rig.devices[1]), key: key).status == 422)
                await client.connection.close()

                var stored = try await rig.ids(in: rig.new)
                for database in rig.databases { stored += try await rig.ids(in: database) }
                #expect(sent.state.withLock { $0.acknowledged.subtracting(stored) }.isEmpty)
                #expect(Set(stored).count == stored.count)
                #expect(try await rig.text("SELECT incarnation::text FROM log.state", in: rig.new) == incarnation)
                #expect(try await !rig.takesEvents(rig.old), "or two servers would have the cell")
                // What a client read of the old one last is in the new one: it gives no number of a change twice.
                await #expect(throws: PostgresError.self) { try await Self.number(rig.old) }
                // Nor does it begin a file that the new one would not know of.
                await #expect(throws: PostgresError.self) {
                    try await rig.text(
                        "SELECT export.cursor_begin('none', 0, 1, 'file', 'ndjson', false)::text",
                        in: rig.old
                    )
                }
                let doctor = try await DoctorReport.run(rig.old.url)
                doctor.expect("fail", "cells", "closed for a move", advice: "cluster status")
                let status = try await NotilogCommand.run([
                    "cluster", "status", "--json", "--database-url", rig.coordinator.url,
                ])
                let place = try #require(rig.new.configuration.place)
                #expect(
                    status.status == 0 && status.output.contains(place.split(separator: "/").dropLast().last ?? "?")
                )
                #expect(service.log.contains("a cell is at another place"))
            }
        }
    }

    @Test("a move that is killed after any step goes on, and no two servers take events", .timeLimit(.minutes(10)))
    func killed() async throws {
        try await MoveRig.run { rig in
            // A session that asks for reports from before the move on.
            let reader = try await rig.coordinator.connect()
            func session() async throws -> String {
                try await reader.query("SELECT cell.begin(2::smallint)").only().get(0)
            }
            let first = try await session()
            for step in CellMove.Step.allCases.dropLast() {
                try await rig.move().run(to: rig.new.url, until: step)
                #expect(try await rig.takers == [step == .begun, false], "\(step)")
                let other = try await rig.refusal { try await rig.move().run(to: rig.databases[1].url) }
                #expect(other.contains("has not ended"))
            }
            let isPlaced = try await rig.refusal { try await rig.move().takeBack() }
            #expect(isPlaced.contains("at its new place already"))
            let status = try await NotilogCommand.run(["cluster", "status", "--database-url", rig.coordinator.url])
            #expect(status.status == 1 && status.output.contains("a move of it has not ended"))
            try await rig.move().run(to: rig.new.url)
            #expect(try await rig.takers == [false, true])
            let second = try await session()
            let open: String = try await reader.query("SELECT dblink.dblink_get_connections()::text").only().get(0)
            #expect(first != second && open == "{\(second)}", "it reads the old server no more")
            await reader.close()
            let again = try await rig.refusal { try await rig.move().run(to: rig.new.url) }
            #expect(again.contains("is there already"))
            // An import of before does not open it either.
            await #expect(throws: PostgresError.self) {
                try await Connection.with(rig.old.configuration) {
                    _ = try await $0.query("SELECT log.set_closed(false)")
                }
            }
            #expect(try await !rig.takesEvents(rig.old))
        }
    }

    @Test(
        "until the coordinator names the new place a move can be taken back, however far it is",
        .timeLimit(.minutes(10))
    )
    func takenBack() async throws {
        try await MoveRig.run { rig in
            for step in [CellMove.Step.begun, .closed, .sealed, .replayed, .promoted] {
                try await rig.move().run(to: rig.new.url, until: step)
                let command = try await NotilogCommand.run([
                    "cluster", "move", "2", "--reopen", "--database-url", rig.coordinator.url,
                ])
                #expect(command.status == 0, "\(command.errors)")
                #expect(try await rig.takers == [true, false], "\(step)")
            }
            let late = try await rig.refusal { try await rig.move().run(to: rig.new.url) }
            #expect(late.contains("no standby any more"))
            #expect(try await rig.takesEvents(rig.old))
        }
    }

    @Test(
        "what is no standby of the cell, or too far behind, is refused, and the cell takes events",
        .timeLimit(.minutes(10))
    )
    func refused() async throws {
        try await MoveRig.run { rig in
            func refusal(_ cell: Int16, _ url: String) async throws -> String {
                try await rig.refusal { try await CellMove(of: cell, rig.coordinator.configuration).run(to: url) }
            }
            #expect(try await refusal(0, rig.new.url).contains("is the coordinator"))
            #expect(try await refusal(5, rig.new.url).contains("there is no cell 5"))
            #expect(try await refusal(1, rig.new.url).contains("is cell 2"))
            #expect(try await refusal(2, rig.databases[1].url).contains("is cell 1"))
            #expect(try await refusal(2, rig.old.url).contains("is there already"))
            try await TestDatabase.withDatabase { other in
                let foreign = try await refusal(2, other.url)
                #expect(foreign.contains("no database of this cluster"))
            }
            let secret = "postgresql://postgres:geheim@127.0.0.1:1/none"
            let away = try await refusal(2, secret)
            #expect(away.contains("the new server:") && !away.contains("geheim"))

            // It replays nothing before the cell is closed, and then nothing after that.
            let replay = try await rig.new.connect()
            try await replay.query("SELECT pg_wal_replay_pause()")
            try await eventually("a paused replay") {
                try await replay.value("SELECT pg_get_wal_replay_pause_state() = 'paused'")
            }
            #expect(try await rig.takesEvents(rig.old))
            let slow = rig.move(.init(catchingUp: .milliseconds(300), replay: .milliseconds(300)))
            let behind = try await rig.refusal { try await slow.run(to: rig.new.url) }
            #expect(behind.contains("bytes behind"), "\(behind)")
            #expect(
                try await rig.text("SELECT (move IS NULL)::text FROM notilog.cell WHERE cell = 2", in: rig.coordinator)
                    == "true"
            )
            try await replay.query("SELECT pg_wal_replay_resume()")
            let stopped = rig.move(.init(replay: .milliseconds(300)))
            let late = try await rig.refusal {
                try await stopped.run(to: rig.new.url) { step in
                    guard step == .begun else { return }
                    _ = try? await replay.query("SELECT pg_wal_replay_pause()")
                    try? await eventually("a paused replay") {
                        try await replay.value("SELECT pg_get_wal_replay_pause_state() = 'paused'")
                    }
                }
            }
            #expect(late.contains("did not have all of cell 2 in time"), "\(late)")
            #expect(try await rig.takesEvents(rig.old), "the cell is open again")
            try await replay.query("SELECT pg_wal_replay_resume()")

            // A transaction that writes would be acknowledged by a server that nobody reads any more.
            let writer = try await rig.old.connect()
            try await writer.query("BEGIN")
            try await writer.query("UPDATE log.copied SET applied = applied")
            let busy = rig.move(.init(writing: .milliseconds(300)))
            let writes = try await rig.refusal { try await busy.run(to: rig.new.url) }
            #expect(writes.contains("transactions that write to cell 2 do not end"), "\(writes)")
            #expect(try await rig.takesEvents(rig.old), "the cell is open again")
            await writer.close()
            await replay.close()

            let connection = try await rig.coordinator.connect()
            for (url, problem) in [
                (rig.new.url, "is a standby"), (rig.databases[1].url, "says of itself that it is cell 1"),
            ] {
                try await connection.query("UPDATE notilog.cell SET url = $1 WHERE cell = 2", [.text(url)])
                try await DoctorReport.run(rig.coordinator.url).expect("fail", "cells", problem)
            }
            await connection.close()
        }
    }

    @Test(
        "a standby that was promoted by hand is refused: what the cell took since would be lost",
        .timeLimit(.minutes(10))
    )
    func promotedByHand() async throws {
        try await MoveRig.run { rig in
            try await MovedLog.promote(rig.standby)
            // Both take events, if somebody writes to both: so this is what would be lost.
            #expect(try await rig.takers == [true, true])
            let (there, here) = (try await rig.ids(in: rig.new), try await rig.ids(in: rig.old))
            #expect(Set(there).isDisjoint(with: here))
            let refusal = try await rig.refusal { try await rig.move().run(to: rig.new.url) }
            #expect(refusal.contains("no standby any more"))
            let lost = try await rig.refusal { try await rig.move().run(to: rig.new.url, isLost: true) }
            #expect(lost.contains("answers where it is"))
            let place = try await rig.text("SELECT url FROM notilog.cell WHERE cell = 2", in: rig.coordinator)
            #expect(place == rig.old.url)
        }
    }

    @Test("a server that dies with the seal needs no --lost, and loses nothing", .timeLimit(.minutes(10)))
    func diesSealed() async throws {
        try await MoveRig.run { rig in
            #expect(try await rig.takesEvents(rig.old))
            let ids = try await rig.ids(in: rig.old)
            try await rig.move().run(to: rig.new.url, until: .replayed)
            try await rig.server.stop(.immediate)
            try await rig.move().run(to: rig.new.url)
            #expect(try await rig.ids(in: rig.new) == ids)
            #expect(try await rig.takesEvents(rig.new))
        }
    }

    @Test(
        "a server that is gone for good is replaced if somebody says so, and the log begins another incarnation",
        .timeLimit(.minutes(10))
    )
    func lost() async throws {
        try await MoveRig.run { rig in
            try await rig.withService { service in
                let client = try await ServiceClient.connect(service.url)
                let body = Sample.action(device: rig.devices[0])
                #expect(try await client.post(body, key: rig.app.write).status == 200)
                try await eventually("the event in the standby") { try await rig.ids(in: rig.new).count == 1 }
                try await rig.server.stop(.immediate)
                let refusal = try await rig.refusal { try await rig.move().run(to: rig.new.url) }
                #expect(refusal.contains("--lost"))
                let command = try await NotilogCommand.run([
                    "cluster", "move", "2", rig.new.url, "--lost", "--database-url", rig.coordinator.url,
                ])
                #expect(command.status == 0, "\(command.errors)")
                try await eventually("events at the new server") {
                    try await client.post(body, key: rig.app.write).status == 200
                }
                #expect(try await MovedLog.reasons(rig.new).contains("the server was lost"))
                await client.connection.close()
            }
        }
    }

    @Test(
        "a coordinator that was set back to before the new place opens nothing, and says where the cell is",
        .timeLimit(.minutes(10))
    )
    func setBack() async throws {
        try await MoveRig.run { rig in
            // Promoted, and taken back: that the new one has the seal says nothing any more.
            try await rig.move().run(to: rig.new.url, until: .promoted)
            let move = try await rig.text("SELECT move::text FROM notilog.cell WHERE cell = 2", in: rig.coordinator)
            try await rig.move().takeBack()
            try await rig.know(move)
            let back = try await rig.refusal { try await rig.move().run(to: rig.new.url) }
            #expect(back.contains("no standby any more"))
            #expect(try await rig.takers == [true, false])
        }
        try await MoveRig.run { rig in
            try await rig.move().run(to: rig.new.url, until: .placed)
            let move = try await rig.text("SELECT move::text FROM notilog.cell WHERE cell = 2", in: rig.coordinator)
            // Of another move, such as that of a command that lost its lock.
            for database in [rig.old, rig.new] {
                try await Connection.with(database.configuration) {
                    _ = try await $0.query("SELECT log.end_move(gen_random_uuid())")
                }
            }
            #expect(try await rig.takers == [false, false])
            try await rig.move().run(to: rig.new.url)
            #expect(try await rig.takers == [false, true])
            for known in [move, nil] {
                try await rig.know(known)
                let again = try await rig.refusal { try await rig.move().run(to: rig.new.url) }
                #expect(again.contains("takes the cell's events already"), "\(again)")
                let taken = try await rig.refusal { try await rig.move().takeBack() }
                #expect(taken.contains("the new server takes events"), "\(taken)")
                #expect(try await rig.takers == [false, true])
            }
            try await rig.standby.stop(.immediate)
            let away = try await rig.refusal { try await rig.move().takeBack() }
            #expect(away.contains("does not say whether it takes events"))
            #expect(try await !rig.takesEvents(rig.old))
            // Somebody knows that it is gone for good, with what came there.
            try await rig.move().takeBack(isLost: true)
            #expect(try await rig.takesEvents(rig.old))
        }
    }

    @Test(
        "a server that the cell had left takes it back if the newer one is lost, as another incarnation",
        .timeLimit(.minutes(10))
    )
    func lostAfterwards() async throws {
        try await MoveRig.run { rig in
            try await rig.move().run(to: rig.new.url)
            let incarnation = try await rig.text("SELECT incarnation::text FROM log.state", in: rig.old)
            // A server that lets nobody in is not gone.
            try await Connection.with(rig.new.configuration) {
                _ = try await $0.query("CREATE ROLE full_up LOGIN CONNECTION LIMIT 0")
            }
            let full = rig.new.url.replacing("postgres@", with: "full_up@")
            let coordinator = try await rig.coordinator.connect()
            try await coordinator.query("UPDATE notilog.cell SET url = $1 WHERE cell = 2", [.text(full)])
            let there = try await rig.refusal { try await rig.move().run(to: rig.old.url, isLost: true) }
            #expect(there.contains("too many connections"), "\(there)")
            try await coordinator.query("UPDATE notilog.cell SET url = $1 WHERE cell = 2", [.text(rig.new.url)])
            await coordinator.close()

            try await rig.standby.stop(.immediate)
            // Killed before it is opened, and done again as the message says.
            try await rig.move().run(to: rig.old.url, isLost: true, until: .placed)
            #expect(try await !rig.takesEvents(rig.old))
            try await rig.move().run(to: rig.old.url)
            #expect(try await rig.text("SELECT incarnation::text FROM log.state", in: rig.old) != incarnation)
            #expect(try await MovedLog.reasons(rig.old).last == "the server was lost")
            #expect(try await rig.takesEvents(rig.old))
        }
    }

    @Test("a take-back keeps the seal while the old server does not answer", .timeLimit(.minutes(10)))
    func takenBackWhileAway() async throws {
        try await MoveRig.run { rig in
            try await rig.move().run(to: rig.new.url, until: .replayed)
            try await rig.server.stop(.immediate)
            let refusal = try await rig.refusal { try await rig.move().takeBack() }
            #expect(refusal.contains("cell 2:"), "\(refusal)")
            try await rig.move().run(to: rig.new.url)
            #expect(try await rig.takesEvents(rig.new))
        }
    }

    @Test("exports that are watched go on where the cell is, and end when they are told", .timeLimit(.minutes(10)))
    func watchedExports() async throws {
        try await MoveRig.run { rig in
            try await rig.withService { service in
                let exports = try WatchedExports(of: rig)
                defer { exports.remove() }
                let client = try await ServiceClient.connect(service.url)
                #expect(try await client.post(Self.request(rig.devices[0]), key: rig.app.provider).status == 200)
                await client.connection.close()
                try await eventually("both have it") { try exports.have(rig.devices[0]) }
                try await rig.move().run(to: rig.new.url, until: .closed)
                try await eventually("one is refused to number changes") { try exports.said.contains("NL409") }
                try await rig.move().run(to: rig.new.url)
                let other = try await ServiceClient.connect(service.url)
                try await eventually("events at the new server") {
                    try await other.post(Self.request(rig.devices[1]), key: rig.app.provider).status == 200
                }
                await other.connection.close()
                try await eventually("both have what came to the new server") { try exports.have(rig.devices[1]) }
                #expect(try exports.said.contains("a cell is at another place"))
                #expect(try await exports.end() == [0, 0])
            }
        }
    }

    private static func request(_ device: String) -> String {
        #"{"kind":"request","origin":"provider","device_id":"\#(device)","notification_id":"n-\#(device)","#
            + #""category_id":"fixed","trigger":{"type":"push"},"occurred_at":"\#(Sample.time(120))"}"#
    }

    /// Numbers changes for an export.
    private static func number(_ database: TestDatabase) async throws {
        try await Connection.with(database.configuration) { connection in
            try await connection.withTransaction(isolation: .repeatableRead) { connection in
                _ = try await connection.query("SELECT export.sync('notifications', app_id) FROM notilog.app")
            }
        }
    }
}

extension ServiceClient {
    fileprivate func delete(_ device: String, _ app: TestApp) async throws -> HTTPAnswer {
        try await get("/v1/devices/\(device)", key: app.admin, method: "DELETE")
    }
}

extension MoveRig {
    /// Sets the coordinator back to before it named the new place.
    fileprivate func know(_ move: String?) async throws {
        try await Connection.with(coordinator.configuration) { connection in
            _ = try await connection.query(
                "UPDATE notilog.cell SET url = $1, target = $2, move = $3::text::uuid WHERE cell = 2",
                [.text(old.url), .text(move == nil ? nil : new.url), .text(move)]
            )
        }
    }

    /// Notifications that were requested of the category that only the test's beginning uses, once they are in the report.
    fileprivate func requested(_ client: ServiceClient) async throws -> Int {
        struct Report: Decodable {
            struct Row: Decodable {
                var category: String?
                var requested: Int
            }
            var rows: [Row]
        }
        var requested = 0
        try await eventually("a report of two requests") {
            let answer = try await client.get("/v1/reports/engagement?by=category", key: app.read)
            #expect(answer.status == 200, "\(answer.text)")
            let report: Report = try answer.decoded()
            requested = report.rows.first { $0.category == "fixed" }?.requested ?? 0
            return requested >= 2
        }
        return requested
    }
}

/// `notilog export --watch` of a cluster whose cell 2 moves: of the log, and of a dataset whose changes are numbered.
private struct WatchedExports {
    private static let datasets = ["events", "notifications"]

    private let folder: URL
    private let processes: [Process]

    init(of rig: MoveRig) throws {
        let folder = URL(fileURLWithPath: try Programs.makeFolder("notilog-watched-export-"))
        self.folder = folder
        processes = try Self.datasets.map { dataset in
            let process = NotilogCommand.process(
                [
                    "export", dataset, "--cursor", dataset, "--app", rig.app.name, "--watch", "--every", "1",
                    "--output", folder.appendingPathComponent(dataset).path,
                ],
                environment: ["NOTILOG_DATABASE_URL": rig.coordinator.url]
            )
            let errors = folder.appendingPathComponent(dataset + ".errors")
            try Data().write(to: errors)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.begin()
            return process
        }
    }

    /// What they wrote to standard error.
    var said: String {
        get throws {
            try Self.datasets.map {
                try String(contentsOf: folder.appendingPathComponent($0 + ".errors"), encoding: .utf8)
            }.joined()
        }
    }

    /// Whether each has a row of a device of cell 2.
    func have(_ device: String) throws -> Bool {
        try Self.datasets.allSatisfy { dataset in
            let exported = ExportedFolder(url: folder.appendingPathComponent(dataset + "/cell-2"))
            return try exported.manifests.contains { manifest in
                let file = exported.url.appendingPathComponent(manifest.file)
                return try String(contentsOf: file, encoding: .utf8).contains("\"\(device)\"")
            }
        }
    }

    /// Ends them with SIGTERM, and gives their exit codes.
    func end() async throws -> [Int32] {
        for process in processes { kill(process.processIdentifier, SIGTERM) }
        try await eventually("they end") { processes.allSatisfy { !$0.isRunning } }
        return processes.map(\.terminationStatus)
    }

    func remove() {
        for process in processes where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Events and reports while a cell moves, and what senders were told.
private final class MoveTraffic: Sendable {
    struct State {
        var isOver = false
        var acknowledged: Set<String> = []
        /// Bodies that were refused, by the id in them.
        var refused: [String: String] = [:]
        var reports = 0
    }

    let state = Mutex(State())

    /// An id that is expected from now on.
    func id() -> String {
        UUID().uuidString.lowercased()
    }

    func send(to url: String, _ key: String) async throws {
        let client = try await ServiceClient.connect(url)
        var number = 0
        while !state.withLock({ $0.isOver }) {
            number += 1
            let id = id()
            let body = Sample.action(device: "mover-\(number % 40)", id: id)
            let answer = try await client.post(body, key: key)
            state.withLock { state in
                if answer.status == 200 { state.acknowledged.insert(id) } else { state.refused[id] = body }
            }
            #expect(
                answer.status == 200 || (answer.status == 503 && answer.headers["retry-after"] != nil),
                "\(answer.text)"
            )
        }
        await client.connection.close()
    }

    func ask(_ url: String, _ key: String) async throws {
        let client = try await ServiceClient.connect(url)
        while !state.withLock({ $0.isOver }) {
            let answer = try await client.get("/v1/reports/engagement", key: key)
            #expect(answer.status == 200, "\(answer.text)")
            state.withLock { $0.reports += 1 }
        }
        await client.connection.close()
    }
}
