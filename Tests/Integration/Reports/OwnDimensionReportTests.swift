import Foundation
import PlainHTTP
import Postgres
import Reports
import Testing

/// Reports by an app's own dimensions.
@Suite("Reports by an app's own dimensions")
struct OwnDimensionReportTests {
    /// A request of each value; of `v7` two.
    private static func requests(_ values: [Any]) -> [[String: Any]] {
        (values.enumerated() + [(values.count, "v7" as Any)]).map { number, value in
            [
                "kind": "request", "at": "2026-03-10T10:00:00Z", "device": "d\(number % 50)", "nid": "n\(number)",
                "data": [
                    "origin": "provider", "alerting": true, "trigger": ["type": "push"],
                    "attributes": ["tier": value, "not_named": "x"],
                ],
            ]
        }
    }

    private static func name(_ keys: [String], _ database: ReportsDatabase) async throws {
        try await database.connection.query("SELECT notilog.name_dimensions(1, $1)", [.texts(keys)])
    }

    @Test("of ten thousand values that clients make up a report keeps the most requested, and one row has the others")
    func madeUp() async throws {
        try await ReportsDatabase.with { database in
            try await Self.name(["tier"], database)
            try await database.append(Self.requests((0..<10_000).map { "v\($0)" }))
            try await database.apply()
            let by = "attribute.tier"
            let engagement = try await database.run("engagement", ["by": by, "limit": "3"])
            #expect(engagement.rowsTotal == 10_000)
            #expect(engagement.columns.first?.name == by)
            let kept = engagement.records.filter { $0["other"] == .bool(false) }.map { $0[by] }
            #expect(kept == [.text("v0"), .text("v1"), .text("v7")])
            let rest = try #require(engagement.records.last)
            #expect(rest["other"] == .bool(true) && rest[by] == .null && rest.counts("requested") == [9_997])
            for (report, groups) in [("reachability", 4), ("experiment", 0), ("response_times", 4)] {
                let answer = try await database.run(report, ["by": by, "limit": "3"])
                #expect(Set(answer.records.map { "\($0[by] ?? .null)" }).count == groups, "\(report)")
            }
            let changes = try await database.run("changes", ["dimensions": "none,\(by)", "limit": "3"])
            #expect(changes.rows.count == 4)
            let filtered = try await database.run("engagement", ["by": by, by: "v7", "limit": "3"])
            #expect(filtered.rows.count == 1 && filtered.records[0].counts("requested") == [2])
            #expect(filtered.parameters.last?.name == by && filtered.parameters.last?.value == .list(["v7"]))
        }
    }

    @Test("a value called other is a row of its own; numbers and booleans are their JSON text, all else is none")
    func values() async throws {
        try await ReportsDatabase.with { database in
            try await Self.name(["tier", "not_sent"], database)
            let values: [Any] = [
                "other", 7, 2.5, true, String(repeating: "é", count: 64), String(repeating: "é", count: 64) + "x", "",
                ["a"], ["a": 1], NSNull(), "it's \\ \"q\" %L",
            ]
            try await database.append(Self.requests(values))
            try await database.apply()
            let answer = try await database.run("engagement", ["by": "attribute.tier"])
            #expect(answer.records.allSatisfy { $0["other"] == .bool(false) })
            let none = try answer.row(["attribute.tier": nil])
            #expect(none.counts("requested") == [5])
            for value in ["other", "7", "2.5", "true", String(repeating: "é", count: 64), "it's \\ \"q\" %L", "v7"] {
                let filtered = try await database.run("engagement", ["by": "none", "attribute.tier": value])
                #expect(try answer.row(["attribute.tier": value]).counts("requested") == [1])
                #expect(filtered.records[0].counts("requested") == [1], "\(value)")
            }
            let unsent = try await database.run("engagement", ["by": "attribute.not_sent,attribute.tier"])
            #expect(unsent.rows.count == answer.rows.count)
            let listed = try await database.run("funnel", ["attribute.tier": "7"])
            #expect(!listed.rows.isEmpty)
            for (report, parameters) in [
                ("engagement", ["by": "attribute.not_named"] as KeyValuePairs), ("engagement", ["attribute.": "x"]),
                ("changes", ["dimensions": "attribute.other"]), ("actions", ["attribute.not_named": "x"]),
            ] {
                await #expect(throws: ReportError.self, "\(report)") { try await database.run(report, parameters) }
            }
        }
    }

    @Test("admins name them by HTTP or the command, who reads asks by them; other names are refused")
    func overHTTP() async throws {
        try await ServiceFixture.run { service in
            func send(_ method: String, _ path: String, _ body: String = "", key: String) async throws -> HTTPAnswer {
                try await service.client.connection.send(
                    method,
                    path,
                    headers: [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")],
                    body: Array(body.utf8)
                )
            }
            let path = "/v1/dimensions"
            let keys = [service.app.write, service.app.provider, service.app.read, service.app.admin]
            let wanted = #"{"dimensions":["tier"]}"#
            for (method, expected) in [("GET", [403, 403, 200, 200]), ("PUT", [403, 403, 403, 200])] {
                var statuses: [Int] = []
                for key in keys { statuses.append(try await send(method, path, wanted, key: key).status) }
                #expect(statuses == expected, "\(method)")
            }
            #expect(try await send("GET", path, key: service.app.read).text == wanted)
            for body in [
                #"{"dimensions":["a","b","c","d","e"]}"#, #"{"dimensions":["a","a"]}"#, #"{"dimensions":["a,b"]}"#,
                #"{"dimensions":[""]}"#, #"{"dimensions":["none"]}"#, #"{"dimensions":"tier"}"#, "{}",
                "{\"dimensions\":[\"\(String(repeating: "k", count: 65))\"]}",
            ] {
                #expect(try await send("PUT", path, body, key: service.app.admin).status == 400, "\(body)")
            }
            let body = Sample.action(device: "d1", more: #","attributes":{"tier":"gold"}"#)
            #expect(try await service.client.post(body, key: service.app.write).events.accepted == 1)
            try #require(try await service.caughtUp())
            let question = "/v1/reports/engagement?by=attribute.tier&attribute.tier=gold"
            let answer = try await send("GET", question, key: service.app.read)
            #expect(answer.status == 200 && answer.text.contains(#""attribute.tier":"gold""#), "\(answer.text)")
            let unnamed = try await send("GET", "/v1/reports/engagement?by=attribute.x", key: service.app.read)
            #expect(unnamed.status == 400 && unnamed.text.contains("attribute.tier"), "\(unnamed.text)")

            func set(_ values: String...) async throws -> CommandResult {
                try await NotilogCommand.run(
                    ["apps", "set", service.app.name, "dimensions"] + values + ["--json"],
                    environment: ["NOTILOG_DATABASE_URL": service.database.url]
                )
            }
            let two = try await set("tier", "order_type")
            #expect(two.status == 0 && two.output.contains("order_type"), "\(two.errors)")
            let commas = try await set("tier,section", "order_type")
            #expect(commas.status == 0, "\(commas.errors)")
            let named = try await send("GET", path, key: service.app.read).text
            #expect(named == #"{"dimensions":["tier","section","order_type"]}"#)
            #expect(try await set("on", "on").status != 0)
            #expect(try await set("none").status == 0)
            #expect(try await send("GET", path, key: service.app.read).text == #"{"dimensions":[]}"#)
            let gone = try await send("GET", question, key: service.app.read)
            #expect(gone.status == 400, "\(gone.text)")
        }
    }
}
