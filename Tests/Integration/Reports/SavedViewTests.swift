import EventLog
import Foundation
import NotificationEvents
import PlainHTTP
import Postgres
import Reports
import Schema
import Testing

/// A question under a name gives the same answer as the question itself: by HTTP, by the command; in SQL it can be read.
@Suite("Saved views", .serialized)
struct SavedViewTests {
    private struct Saved: Decodable, Equatable {
        var name: String
        var report: String
        var parameters: [String: [String]]
        var position: Int64
        var savedAt: String
    }

    private struct List: Decodable {
        var views: [Saved]
    }

    private static let path = "/v1/views/news%20by%20week"
    private static let view =
        #"{"report":"engagement","parameters":{"by":"category","interval":"week","category":["news","offer"]}}"#

    /// Rows of a report, whose answer has the time of its making.
    private func rows(_ answer: HTTPAnswer) throws -> String {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        let rows = try #require(object["rows"] as? [Any])
        return String(decoding: try JSONSerialization.data(withJSONObject: rows, options: .sortedKeys), as: UTF8.self)
    }

    @Test("a view answers as its question does; saved again it keeps its position, changed it gets the newest")
    func answers() async throws {
        try await ServiceFixture.run { service in
            for (device, category) in [("d1", "news"), ("d2", "offer"), ("d3", "sport")] {
                let body = Sample.action(device: device, more: #","category_id":"\#(category)""#)
                #expect(try await service.client.post(body, key: service.app.write).events.accepted == 1)
            }
            try #require(try await service.caughtUp())
            let saved = try await service.send("PUT", Self.path, Self.view, key: service.app.admin)
            #expect(saved.status == 201, "\(saved.text)")
            let view = try saved.decoded(Saved.self)
            #expect(view.name == "news by week" && view.parameters["category"] == ["news", "offer"])
            #expect(view.position >= 3)
            let question = "/v1/reports/engagement?by=category&interval=week&category=news&category=offer"
            let asked = try await service.send("GET", question, key: service.app.read)
            let viewed = try await service.send("GET", Self.path + "/report", key: service.app.read)
            #expect(asked.status == 200 && viewed.status == 200, "\(asked.text) \(viewed.text)")
            #expect(try rows(viewed) == rows(asked))
            #expect(viewed.text.contains("\"news\"") && !viewed.text.contains("\"sport\""))
            let csv = try await service.send("GET", Self.path + "/report?format=csv", key: service.app.read)
            #expect(csv.headers["content-type"]?.hasPrefix("text/csv") == true)

            #expect(try await service.client.post(Sample.action(device: "d4"), key: service.app.write).status == 200)
            try #require(try await service.caughtUp())
            let again = try await service.send("PUT", Self.path, Self.view, key: service.app.admin)
            #expect(again.status == 200)
            #expect(try again.decoded(Saved.self) == view)
            let other = #"{"report":"activity"}"#
            let changed = try await service.send("PUT", Self.path, other, key: service.app.admin).decoded(Saved.self)
            #expect(changed.report == "activity" && changed.parameters.isEmpty && changed.position > view.position)
            let list = try await service.send("GET", "/v1/views", key: service.app.read).decoded(List.self)
            #expect(list.views == [changed])
            #expect(try await service.send("DELETE", Self.path, key: service.app.admin).status == 200)
            #expect(try await service.send("GET", Self.path, key: service.app.read).status == 404)
        }
    }

    @Test("admins save and delete, readers ask; no app asks another's view, and it goes with its app")
    func apart() async throws {
        try await ServiceFixture.run { service in
            #expect(try await service.send("PUT", Self.path, Self.view, key: service.app.admin).status == 201)
            let keys = [service.app.write, service.app.provider, service.app.read, service.app.admin]
            for (method, path, expected) in [
                ("GET", "/v1/views", [403, 403, 200, 200]), ("GET", Self.path, [403, 403, 200, 200]),
                ("GET", Self.path + "/report", [403, 403, 200, 200]), ("PUT", Self.path, [403, 403, 403, 200]),
                ("DELETE", Self.path + "s", [403, 403, 403, 404]),
            ] {
                var statuses: [Int] = []
                for key in keys { statuses.append(try await service.send(method, path, Self.view, key: key).status) }
                #expect(statuses == expected, "\(method) \(path)")
            }
            let other = try await TestApp.make("second", in: service.database)
            #expect(try await service.send("GET", Self.path + "/report", key: other.read).status == 404)
            #expect(try await service.send("DELETE", Self.path, key: other.admin).status == 404)
            #expect(try await service.send("PUT", Self.path, Self.view, key: other.admin).status == 201)
            let deleted = try await NotilogCommand.run(
                ["apps", "delete", "second", "--yes"],
                environment: ["NOTILOG_DATABASE_URL": service.database.url]
            )
            #expect(deleted.status == 0, "\(deleted.errors)")
            #expect(try await service.number("SELECT count(*) FROM notilog.saved_view") == 1)
        }
    }

    @Test("in SQL a view's rows are those of its report, and no app has another's")
    func inSQL() async throws {
        try await ServiceFixture.run { service in
            for (device, more) in [("d1", #","category_id":"news""#), ("d2", #","category_id":"offer""#), ("d3", "")] {
                let body = Sample.action(device: device, more: more)
                #expect(try await service.client.post(body, key: service.app.write).events.accepted == 1)
            }
            try #require(try await service.caughtUp())
            let connection = try await service.database.connect()
            let views: [(report: String, parameters: String, key: String, expected: [String])] = [
                (
                    "engagement", #"{"by":"category","window":"P1D","category":["news",""]}"#, "by_1",
                    ["null 1", "news 1"]
                ),
                ("engagement", #"{"by":["none"],"tz":["Europe/Berlin"]}"#, "by_1", ["null 3"]),
                ("engagement", "{}", "by_1", ["news 1", "null 1", "offer 1"]),
                // Dimensions joined, repeated, and with blanks and empty names between them, as reports take them.
                ("engagement", #"{"by":["platform","category"]}"#, "by_2", ["news 1", "null 1", "offer 1"]),
                ("engagement", #"{"by":", platform , category,"}"#, "by_2", ["news 1", "null 1", "offer 1"]),
                ("engagement", #"{"by":["campaign ,"," platform"],"category":"news"}"#, "by_1", ["null 1"]),
                // Every report takes a window and mature, also one that has none.
                ("categories", #"{"window":"P1D","mature":"true","category":"news"}"#, "category", ["news 0"]),
            ]
            for (report, parameters, key, expected) in views {
                let body = #"{"report":"\#(report)","parameters":\#(parameters)}"#
                let saved = try await service.send("PUT", Self.path, body, key: service.app.admin)
                #expect([200, 201].contains(saved.status), "\(saved.text)")
                let asked = try await service.send("GET", Self.path + "/report", key: service.app.read)
                #expect(asked.status == 200, "\(asked.text)")
                let rows: [String] = try await connection.texts(
                    """
                    SELECT concat(coalesce(r->>'\(key)', 'null'), ' ', r->>'responded')
                    FROM reporting.saved_view('\(service.app.name)', 'news by week') r ORDER BY 1
                    """
                )
                #expect(rows.sorted() == expected.sorted(), "\(parameters)")
            }
            _ = try await TestApp.make("second", in: service.database)
            await #expect(throws: PostgresError.self) {
                try await connection.query("SELECT reporting.saved_view('second', 'news by week')")
            }
            await connection.close()
        }
    }

    @Test("what its report does not take is refused, and so is one more than the limit")
    func refused() async throws {
        try await ServiceFixture.run { service in
            for body in [
                #"{"report":"nonsense"}"#, #"{"report":"engagement","parameters":{"colour":"red"}}"#,
                #"{"report":"engagement","parameters":{"by":"colour"}}"#, #"{"report":7}"#,
                #"{"report":"engagement","parameters":{"format":"csv"}}"#,
                #"{"report":"engagement","parameters":{"min_position":"1"}}"#,
                #"{"report":"engagement","parameters":{"tz":"Europe/Berlon"}}"#,
                #"{"report":"engagement","parameters":{"from":"2026-02-01","to":"2026-01-01"}}"#,
                #"{"report":"engagement","parameters":{"interval":"hour","from":"2000-01-01","to":"2026-01-01"}}"#,
                // What only the report itself refuses.
                #"{"report":"engagement","parameters":{"window":"PT0.5S"}}"#,
                #"{"report":"heatmap","parameters":{"window":"P401D"}}"#,
                #"{"report":"funnel","parameters":{"platform":"iOS"}}"#,
                #"{"report":"engagement","parameters":{"by":"attribute.unnamed"}}"#,
                #"{"report":"opt_outs","parameters":{"attribute.unnamed":"x"}}"#,
                #"{"report":"experiment","parameters":{"split":"a:1,b"}}"#,
                #"{"report":"changes","parameters":{"dimensions":"colour"}}"#,
                #"{"report":"tokens","parameters":{"stale_after":"PT1H"}}"#,
            ] {
                let answer = try await service.send("PUT", Self.path, body, key: service.app.admin)
                #expect(answer.status == 400, "\(body): \(answer.text)")
            }
            #expect(try await service.number("SELECT count(*) FROM notilog.saved_view") == 0)
            let long = "/v1/views/" + String(repeating: "x", count: 101)
            #expect(try await service.send("PUT", long, Self.view, key: service.app.admin).status == 400)
            let connection = try await service.database.connect()
            try await connection.query(
                """
                INSERT INTO notilog.saved_view (app_id, name, report, parameters, position)
                SELECT $1, 'v' || n, 'engagement', '{}', 0 FROM generate_series(1, 1000) n
                """,
                [.app(service.app.id)]
            )
            await connection.close()
            let more = try await service.send("PUT", Self.path, Self.view, key: service.app.admin)
            #expect(more.status == 409 && more.text.contains("too_many"), "\(more.text)")
            #expect(try await service.send("PUT", "/v1/views/v7", Self.view, key: service.app.admin).status == 200)
        }
    }

    @Test("a view of every report is saved, with and without a range")
    func everyReport() async throws {
        let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
        try await ServiceFixture.run { service in
            for report in catalogue.reports {
                for parameters in [
                    "{}", #"{"window":"P1D","mature":"true"}"#,
                    #"{"from":"P7D","tz":"Europe/Berlin"}"#, #"{"from":"2026-01-01","to":"2026-02-01"}"#,
                ] {
                    let body = #"{"report":"\#(report.name)","parameters":\#(parameters)}"#
                    let saved = try await service.send("PUT", Self.path, body, key: service.app.admin)
                    #expect([200, 201].contains(saved.status), "\(body): \(saved.text)")
                }
            }
        }
    }

    @Test("the command saves, lists, prints and deletes")
    func command() async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            func run(_ arguments: String...) async throws -> CommandResult {
                try await NotilogCommand.run(
                    ["report"] + arguments,
                    environment: ["NOTILOG_DATABASE_URL": database.url]
                )
            }
            let saved = try await run(
                "save",
                "by platform",
                "engagement",
                "--by",
                "platform",
                "--filter",
                "category=news"
            )
            #expect(saved.status == 0, "\(saved.errors)")
            #expect(try await run("save", "评论", "engagement", "--by", "platform").status == 0)
            let views = try await run("views").output
            #expect(views.contains("by=platform category=news"))
            // Each of these characters takes two columns.
            #expect(
                views.contains("\nby platform  engagement  ") && views.contains("\n评论         engagement  "),
                "\(views)"
            )
            let (viewed, asked) = (
                try await run("view", "by platform", "--format", "csv"),
                try await run("engagement", "--by", "platform", "--filter", "category=news", "--format", "csv")
            )
            #expect(viewed.status == 0 && viewed.output == asked.output, "\(viewed.errors)")
            #expect(try await run("save", "x", "engagement", "--by", "colour").status == 64)
            #expect(try await run("save", "x", "engagement", "--tz", "Europe/Berlon").status == 64)
            #expect(try await run("save", "x", "engagement", "--filter", "platform=iOS").status == 64)
            #expect(try await run("save", "x", "engagement", "--param", "format=csv").status == 64)
            #expect(try await run("view", "unknown").status == 1)
            #expect(try await run("delete", "by platform").status == 0)
            #expect(try await run("delete", "by platform").status == 1)
        }
    }
}
