import Foundation
import Postgres
import Reports
import Testing

/// What holds for every report there is, or was worked out by hand for one.
@Suite struct ReportShapeTests {
    private static func event(
        _ kind: String,
        _ device: String,
        _ nid: String,
        _ at: String,
        _ data: [String: Any] = [:]
    )
        -> [String: Any]
    {
        EngagementTests.event(kind, device, nid, at, data)
    }

    /// Through the runner, which HTTP and the command use, and as plain SQL.
    @Test func bothWaysGiveTheSameRows() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(EngagementTests.day)
            try await database.apply()
            for report in database.runner.catalogue.reports {
                let result = try await database.run(
                    report.name,
                    ["from": "2026-03-10", "to": "2026-03-11"],
                    asOf: "2026-03-20T00:00:00Z"
                )
                let names = result.columns.map { column in
                    let place = report.parameters.first { $0.kind == .dimensions }?.defaultText
                        .split(separator: ",").firstIndex { $0 == column.name }
                    return "\(place.map { "by_\($0 + 1)" } ?? "\"\(column.name)\"") AS \"\(column.name)\""
                }
                let sql = try await database.connection.query(
                    """
                    SELECT row_to_json(named)::text
                    FROM (
                      SELECT \(names.joined(separator: ", "))
                      FROM report."\(report.name)"(app => 'demo', "from" => '2026-03-10', "to" => '2026-03-11',
                        as_of => '2026-03-20 00:00Z')
                    ) named
                    """,
                    cached: false
                )
                #expect(sql.count == result.rows.count, "\(report.name)")
                for (row, values) in zip(sql, result.records) {
                    let json = try JSONSerialization.jsonObject(with: Data(try row.get(0, as: String.self).utf8))
                    let found = try #require(json as? [String: Any])
                    for (name, value) in values {
                        #expect(Self.isSame(value, found[name]), "\(report.name).\(name)")
                    }
                }
            }
        }
    }

    private static func isSame(_ value: ReportValue, _ json: Any?) -> Bool {
        switch value {
        case .null: json is NSNull
        case .integer(let number): (json as? NSNumber)?.int64Value == number
        // Foundation reads some numbers a last binary digit off.
        case .double(let number):
            abs(((json as? NSNumber)?.doubleValue ?? .nan) - number) <= 1e-15 * max(1, abs(number))
        case .bool(let value): (json as? NSNumber)?.boolValue == value
        case .text(let text): json as? String == text
        case .json, .time, .localTime, .list: json != nil && !(json is NSNull)
        }
    }

    @Test func anAppWithoutEventsHasReports() async throws {
        try await ReportsDatabase.with { database in
            for report in database.runner.catalogue.reports {
                let result = try await database.run(report.name)
                // Stages and hours are there whatever happened.
                let always = ["funnel": 6, "heatmap": 168][report.name] ?? 0
                #expect(result.rows.count == always, "\(report.name)")
            }
            let funnel = try await database.run("funnel")
            #expect(funnel.records.allSatisfy { $0["share"] == .null && $0["of_reached"] == .null })
        }
    }

    @Test func everyReportRefusesWhatItCannotDo() async throws {
        try await ReportsDatabase.with { database in
            for report in database.runner.catalogue.reports {
                var bad = [
                    ("tz", "Mars/Olympus"), ("from", "2027-01-01"), ("from", "yesterday"), ("nonsense", "1"),
                    ("min_position", "-1"), ("to", "2026-02-30"),
                ]
                if report.parameter("window") != nil { bad += [("window", "PT0S"), ("window", "P9999D")] }
                if report.parameter("by") != nil { bad += [("by", "shoe_size"), ("by", "category,category")] }
                if report.parameter("interval") != nil { bad.append(("interval", "fortnight")) }
                for (name, value) in bad {
                    let error = await #expect(throws: ReportError.self, "\(report.name) \(name)=\(value)") {
                        let pairs = [(name, value)] + (name == "to" ? [] : [("to", "2026-03-10")])
                        let parameters = try ReportParameters(pairs.map { (name: $0.0, value: $0.1) }, for: report)
                        _ = try await database.runner.run(parameters, app: "demo")
                    }
                    #expect(
                        error?.code == .invalidParameter || error?.code == .unknownParameter,
                        "\(report.name) \(name)"
                    )
                    #expect(error?.message.contains(name == "from" && value.hasPrefix("2") ? "earlier" : name) == true)
                }
                let error = await #expect(throws: ReportError.self) {
                    _ = try await database.runner.run(try ReportParameters([], for: report), app: "nobody")
                }
                #expect(error?.code == .unknownApp)
            }
        }
    }

    @Test(arguments: [
        ("experiment", "split", "a"), ("experiment", "split", "a:0"), ("experiment", "split", "a:1,a:1"),
        ("experiment", "split", "a:-1"), ("experiment", "metric", "dismiss_rate"), ("experiment", "by", "variant"),
        ("experiment", "control", ""), ("heatmap", "clock", "server"), ("response_times", "by", "none,category"),
    ])
    func aReportRefusesWhatItDoesNotKnow(_ report: String, _ name: String, _ value: String) async throws {
        try await ReportsDatabase.with { database in
            let error = await #expect(throws: ReportError.self) { _ = try await database.run(report, [name: value]) }
            #expect(error?.code == .invalidParameter && error?.parameter == name)
        }
    }

    /// Clocks in Berlin go forward at 01:00Z on 29 March and back at 01:00Z on 25 October 2026, those of Lord Howe by
    /// half an hour at 15:00Z on 4 April; Kathmandu is 5:45 ahead.
    @Test(arguments: [
        ("Europe/Berlin", "2026-03-29T00:59:59Z", 7, 1), ("Europe/Berlin", "2026-03-29T01:00:00Z", 7, 3),
        ("Europe/Berlin", "2026-10-25T00:30:00Z", 7, 2), ("Europe/Berlin", "2026-10-25T01:30:00Z", 7, 2),
        ("Australia/Lord_Howe", "2026-04-04T14:45:00Z", 7, 1), ("Australia/Lord_Howe", "2026-04-04T15:15:00Z", 7, 1),
        ("Asia/Kathmandu", "2026-03-10T18:15:00Z", 3, 0), ("America/New_York", "2026-03-09T03:59:59Z", 7, 23),
    ])
    func anHourIsThatOfTheDevicesClock(_ zone: String, _ at: String, _ weekday: Int64, _ hour: Int64) async throws {
        try await ReportsDatabase.with { database in
            try await database.append([
                Self.event(
                    "delivery",
                    "A",
                    "1",
                    at,
                    ["source": "will_present", "context": ["time_zone": zone, "platform": "ios"]]
                )
            ])
            try await database.apply()
            let rows = try await database.run("heatmap", ["from": "2026-03-01"], asOf: "2026-12-01T00:00:00Z").records
            let found = rows.filter { $0.counts("reached") == [1] }.map { $0.counts("weekday", "hour") }
            #expect(found == [[weekday, hour]])
            let zoned = try await database.run(
                "heatmap",
                ["from": "2026-03-01", "clock": "tz", "tz": zone],
                asOf: "2026-12-01T00:00:00Z"
            )
            #expect(zoned.rows == rows.map { row in zoned.columns.map { row[$0.name] ?? .null } })
        }
    }

    @Test func aDeviceWithoutAKnownZoneIsCountedApart() async throws {
        try await ReportsDatabase.with { database in
            try await database.append([
                Self.event("delivery", "A", "1", "10:00:00", ["context": ["time_zone": "Mars/Olympus"]]),
                Self.event("delivery", "B", "2", "10:00:00", ["context": ["platform": "ios"]]),
                Self.event("delivery", "C", "3", "10:00:00"),
                // An abbreviation to PostgreSQL: of a fixed offset, which is not the device's in summer.
                Self.event("delivery", "D", "4", "10:00:00", ["context": ["time_zone": "CET"]]),
            ])
            try await database.apply()
            let rows = try await database.run("heatmap").records
            #expect(rows.count == 169)
            #expect(rows.last?.counts("weekday", "hour", "reached") == [nil, nil, 4])
        }
    }

    @Test func aFunnelOfADay() async throws {
        try await ReportsDatabase.with { database in
            let more = [
                Self.event(
                    "push_result",
                    "A",
                    "2",
                    "11:00:01",
                    ["provider": "apns", "status": 429, "reason": "TooManyRequests"]
                ),
                Self.event("push_result", "A", "2", "11:00:09", ["provider": "apns", "status": 200]),
                Self.event("request", "D", "9", "11:00:00", ["origin": "provider"]),
                Self.event("push_result", "D", "9", "11:00:01", ["provider": "apns", "status": 503]),
                Self.event(
                    "push_result",
                    "D",
                    "9",
                    "11:00:02",
                    ["provider": "apns", "status": 410, "reason": "Unregistered"]
                ),
                Self.event("request", "D", "10", "11:00:00", ["origin": "provider", "alerting": false]),
            ]
            try await database.append(EngagementTests.day + more)
            try await database.apply()
            let rows = try await database.run("funnel", ["from": "2026-03-10", "to": "2026-03-11"]).records
            // Of 1 to 5, 9 and 10, the system refused 4; 9 has a dead token; 10 is silent by design, C is denied.
            #expect(
                rows.map { $0.counts("notifications", "lost", "unobserved", "outside") } == [
                    [6, 1, 0, nil], [3, 1, 2, 0], [3, 2, 0, 1], [2, 0, 1, 3], [2, 0, 1, 2], [2, 1, 0, 1],
                ]
            )
            #expect(
                rows.map { $0["lost_by"] } == [
                    .json("{\"add_error:notifications_not_allowed\": 1}"), .json("{\"dead_token\": 1}"),
                    .json("{\"not_alerting\": 1, \"permission_denied\": 1}"), .json("{}"), .json("{}"),
                    .json("{\"no_response\": 1}"),
                ]
            )
            // Of two responses one came within three days.
            #expect(
                rows.last?.number("of_reached").map { $0 * 3 } == 1 && rows.last?.number("share").map { $0 * 6 } == 1
            )
            #expect(rows[2].counts("assumed") == [2])
        }
    }

    @Test("a cell of reasons is bounded, whatever an app says went wrong")
    func reasonsOfAFunnel() async throws {
        try await ReportsDatabase.with { database in
            // Of the first error two, of each other one.
            let errors = [1] + Array(1...30)
            try await database.append(
                errors.enumerated().map { index, error in
                    Self.event("request", "A", "\(index)", "11:00:00", ["origin": "app", "error": "e\(100 + error)"])
                }
            )
            try await database.apply()
            let rows = try await database.run("funnel", ["from": "2026-03-10", "to": "2026-03-11"]).records
            let kept = (2...20).map { "\"add_error:e\(100 + $0)\": 1" }.joined(separator: ", ")
            #expect(rows[0].counts("lost") == [31])
            #expect(rows[0]["lost_by"] == .json("{\"other\": 10, \"add_error:e101\": 2, \(kept)}"))
        }
    }
}
