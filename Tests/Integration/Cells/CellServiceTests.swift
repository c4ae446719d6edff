import Administration
import EventLog
import Foundation
import Logging
import PlainHTTP
import Postgres
import Schema
import Testing

/// The service on a cluster: what its clients see is what they see of one database.
@Suite("Cells: the service")
struct CellServiceTests {
    private struct Written: Decodable {
        var accepted: Int
        var position: Int64?
        var positions: [Int64]
    }

    @Test("events of many devices, in a report that waits for their positions")
    func events() async throws {
        try await CellFixture.run { fixture in
            let devices = (0..<24).map { "device-\($0)" }
            let body = devices.map(Self.requestAndAnswer).joined(separator: ",")
            let written = try await fixture.client.post("[\(body)]", key: fixture.app.provider).decoded(Written.self)
            #expect(written.accepted == 48)
            #expect(written.position == nil && Set(written.positions.map { $0 % 1024 }) == [0, 1, 2])
            let again = try await fixture.client.post("[\(body)]", key: fixture.app.provider).events
            #expect(again.duplicate == 48, "each is found where it is")

            let report = try await fixture.engagement(from: written.positions)
            #expect(report.rows.map(\.requested) == [24] && report.rows.map(\.responded) == [24])
            #expect(report.asOf.positions.count == 3)
            let unknown = try await fixture.client.get(
                "/v1/reports/engagement?min_position=\(9_999_999 * 1024 + 1)",
                key: fixture.app.read
            )
            #expect(try unknown.problem.code == "unknown_position")

            for device in devices.prefix(6) {
                let timeline = try await fixture.client.get("/v1/devices/\(device)/events", key: fixture.app.read)
                #expect(timeline.status == 200, "\(device)")
                let verdict = try await fixture.client.get(
                    "/v1/notifications/\(device)/n-\(device)/verdict",
                    key: fixture.app.read
                )
                #expect(verdict.status == 200)
            }
            let command = try await NotilogCommand.run([
                "why", "device-1", "n-device-1", "--app", fixture.app.name, "--database-url", fixture.databases[0].url,
            ])
            #expect(command.status == 0, "\(command.errors)")
        }
    }

    @Test("an export has every event once, and goes on where it ended")
    func exports() async throws {
        try await CellFixture.run { fixture in
            func send(_ numbers: Range<Int>) async throws {
                let body = numbers.map { Self.requestAndAnswer("device-\($0)") }.joined(separator: ",")
                let written = try await fixture.client.post("[\(body)]", key: fixture.app.provider)
                _ = try await fixture.engagement(from: written.decoded(Written.self).positions)
            }
            struct Row: Decodable {
                var position: Int64
                var id: String
            }
            func export(after cursor: String) async throws -> (rows: [Row], next: String) {
                let answer = try await fixture.client.get("/v1/export/events?after=\(cursor)", key: fixture.app.read)
                #expect(answer.status == 200, "\(answer.text)")
                let rows = try answer.text.split(separator: "\n").map {
                    try JSONDecoder().decode(Row.self, from: Data($0.utf8))
                }
                return (rows, try #require(answer.headers["notilog-next-cursor"]))
            }
            try await send(0..<10)
            let first = try await export(after: "")
            try await send(10..<15)
            let second = try await export(after: first.next)
            #expect(first.rows.count == 20 && second.rows.count == 10)
            let all = first.rows + second.rows
            #expect(Set(all.map(\.id)).count == 30 && Set(all.map(\.position)).count == 30)
            #expect(Set(all.map { $0.position % 1024 }) == [0, 1, 2])
            let csv = try await fixture.client.get("/v1/export/notifications?format=csv", key: fixture.app.read)
            #expect(csv.text.split(separator: "\n").filter { $0.hasPrefix("change,") }.count == 1, "one header")
            #expect(csv.text.split(separator: "\n").count == 16)
        }
    }

    @Test(
        "where a cell is down the others are exported, and the command says which was not; a position of no cell is refused"
    )
    func exportsWithoutACell() async throws {
        try await CellFixture.run { fixture in
            let body = (0..<24).map { Self.requestAndAnswer("device-\($0)") }.joined(separator: ",")
            let written = try await fixture.client.post("[\(body)]", key: fixture.app.provider)
            let positions = try written.decoded(Written.self).positions
            _ = try await fixture.engagement(from: positions)
            let folder = try Programs.makeFolder("notilog-cells-export-")
            defer { try? FileManager.default.removeItem(atPath: folder) }
            func export(
                _ more: String...,
                cursor: String = "c",
                to output: String? = nil
            ) async throws -> CommandResult {
                try await NotilogCommand.run(
                    [
                        "export", "events", "--cursor", cursor, "--app", fixture.app.name, "--output", output ?? folder,
                        "--database-url",
                        fixture.databases[0].url,
                    ] + more
                )
            }
            let unknown = try await export("--min-position", "\(positions[0] / 1024 * 1024 + 427)")
            #expect(unknown.status == 64 && unknown.errors.contains("has not assigned yet"), "\(unknown.errors)")
            try await fixture.setConnectable(false, database: 1)
            let result = try await export()
            #expect(result.status == 1 && result.errors.contains("cell-1"), "\(result.errors)")
            func files(_ cell: Int) -> [String] {
                ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/cell-\(cell)")) ?? []).filter {
                    $0.hasSuffix(".ndjson")
                }
            }
            #expect([0, 1, 2].map { files($0).count } == [1, 0, 1])
            try await fixture.setConnectable(true, database: 1)
            #expect(try await export().status == 0)
            #expect([0, 1, 2].map { files($0).count } == [1, 1, 1])

            // Nor do the others wait for a cell whose folder is of another cursor.
            let other = try Programs.makeFolder("notilog-cells-export-")
            defer { try? FileManager.default.removeItem(atPath: other) }
            try FileManager.default.createDirectory(atPath: other + "/cell-0", withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: folder + "/cell-0/.notilog-cursor",
                toPath: other + "/cell-0/.notilog-cursor"
            )
            let taken = try await export(cursor: "d", to: other)
            #expect(taken.status == 1 && taken.errors.contains("files of cursor c"), "\(taken.errors)")
            #expect(taken.output.contains("/cell-1/d.events.") && taken.output.contains("/cell-2/d.events."))
            #expect(!taken.output.contains("/cell-0/"))
            let wrong = try await export(cursor: "No Good", to: other)
            #expect(wrong.status == 64, "\(wrong.errors)")
        }
    }

    @Test("an erased device is in no cell, nor is its token")
    func erasure() async throws {
        try await CellFixture.run { fixture in
            let token = String(repeating: "ab", count: 32)
            // Devices of every cell share a token, so each cell has copies of what the others know of it.
            let devices = (0..<12).map { "device-\($0)" }
            let tokens = devices.enumerated().map { index, device in
                #"{"kind":"token","device_id":"\#(device)","occurred_at":"\#(Sample.time(600 - index))","#
                    + #""token":"\#(token)","provider":"apns","environment":"production","state":"registered"}"#
            }
            let categories =
                #"{"kind":"category_registration","device_id":"device-3","occurred_at":"\#(Sample.time(300))","#
                + #""context":{"app_version":"1.0"},"#
                + #""categories":[{"id":"news","actions":[],"options":["custom_dismiss_action"]}]}"#
            let body = "[\((tokens + [categories]).joined(separator: ","))]"
            let written = try await fixture.client.post(body, key: fixture.app.write)
            #expect(written.status == 200, "\(written.text)")
            _ = try await fixture.engagement(from: written.decoded(Written.self).positions)
            for database in fixture.databases { #expect(try await fixture.count("log.copy", in: database) > 0) }

            for device in devices {
                let answer = try await fixture.client.get(
                    "/v1/devices/\(device)",
                    key: fixture.app.admin,
                    method: "DELETE"
                )
                #expect(answer.status == 200, "\(answer.text)")
                let late = try await fixture.client.post(Sample.action(device: device), key: fixture.app.write)
                #expect(late.status == 422)
            }
            let digest = try await fixture.text("SELECT encode(sha256(decode('\(token)', 'hex')), 'hex')")
            for database in fixture.databases {
                let dump = try await fixture.everything(in: database)
                for device in devices { #expect(!dump.contains("\(device)\t"), "\(device)") }
                #expect(!dump.contains(digest))
            }
        }
    }

    @Test("where the service that copies between cells is frozen, another one goes on with it", .timeLimit(.minutes(5)))
    func frozenCopier() async throws {
        try await CellFixture.run { fixture in
            // The first service copies between all of them; the second stands by.
            for (database, cell) in zip(fixture.databases, fixture.cells.all) {
                let connection = try await database.connect()
                for other in fixture.cells.all where other.number != cell.number {
                    try await eventually("cell \(cell.number) is copied to cell \(other.number)") {
                        try await connection.value("SELECT lock.is_held('copies to cell \(other.number)')")
                    }
                }
                await connection.close()
            }
            let second = try await ServiceProcess.start(database: fixture.databases[0].url)
            do {
                let client = try await ServiceClient.connect(second.url)
                fixture.service.signal(SIGSTOP)
                let home = fixture.cells.cell(ofDevice: "device-3").number
                let categories =
                    #"{"kind":"category_registration","device_id":"device-3","occurred_at":"\#(Sample.time(300))","#
                    + #""context":{"app_version":"1.0"},"#
                    + #""categories":[{"id":"news","actions":[],"options":["custom_dismiss_action"]}]}"#
                try await eventually("the event is taken") {
                    try await client.post(categories, key: fixture.app.write).status == 200
                }
                for (database, cell) in zip(fixture.databases, fixture.cells.all) where cell.number != home {
                    try await eventually("cell \(cell.number) has a copy") {
                        try await fixture.count("log.copy", in: database) > 0
                    }
                }
                fixture.service.signal(SIGCONT)
                await client.connection.close()
            } catch {
                fixture.service.signal(SIGCONT)
                await second.kill()
                throw error
            }
            #expect(await second.stop() == 0)
        }
    }

    @Test("a cell that is gone holds up its devices and reports alone, and is back by itself")
    func outage() async throws {
        try await CellFixture.run { fixture in
            let devices = (0..<12).map { "device-\($0)" }
            try await fixture.setConnectable(false, database: 2)
            let gone = try #require(devices.first { fixture.cells.cell(ofDevice: $0).number == 2 })
            let there = try #require(devices.first { fixture.cells.cell(ofDevice: $0).number == 1 })
            let refused = try await fixture.client.post(Sample.action(device: gone), key: fixture.app.write)
            #expect(refused.status == 503)
            let taken = try await fixture.client.post(Sample.action(device: there), key: fixture.app.write)
            #expect(taken.status == 200)
            let report = try await fixture.client.get("/v1/reports/engagement", key: fixture.app.read)
            #expect(try report.problem.code == "cell_unavailable")
            #expect(try report.problem.detail.contains("cell 2"))
            #expect(try await fixture.client.get("/readyz").status == 200)
            let status = try await NotilogCommand.run([
                "cluster", "status", "--database-url", fixture.databases[0].url,
            ])
            #expect(status.status == 1 && status.output.contains("2"))

            try await fixture.setConnectable(true, database: 2)
            try await eventually("the cell takes events again") {
                try await fixture.client.post(Sample.action(device: gone), key: fixture.app.write).status == 200
            }
            try await eventually("reports are there again") {
                try await fixture.client.get("/v1/reports/engagement", key: fixture.app.read).status == 200
            }
        }
    }

    private static func requestAndAnswer(_ device: String) -> String {
        let request =
            #"{"kind":"request","origin":"provider","device_id":"\#(device)","notification_id":"n-\#(device)","#
            + #""category_id":"news","trigger":{"type":"push"},"occurred_at":"\#(Sample.time(120))"}"#
        return request + "," + Sample.action(device: device, notification: "n-\(device)", at: Sample.time(60))
    }
}

extension CellFixture {
    /// The report `engagement`, once it has positions.
    fileprivate func engagement(from positions: [Int64]) async throws -> Report {
        let list = positions.map(String.init).joined(separator: ",")
        let answer = try await client.get(
            "/v1/reports/engagement?by=category&min_position=\(list)",
            key: app.read
        )
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decoded()
    }
}

/// The answer of the report `engagement`.
private struct Report: Decodable {
    struct AsOf: Decodable {
        var positions: [Int64]
    }
    struct Row: Decodable {
        var category: String?
        var requested: Int
        var responded: Int
    }
    var asOf: AsOf
    var rows: [Row]
}
