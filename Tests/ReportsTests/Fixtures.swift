import EventLog

@testable import Reports

/// A small report to test with.
enum Fixture {
    static let sql = """
        -- report: example
        -- purpose: What it is for,
        --   on two lines.
        -- reads: notification, engagement
        -- by rows: notifications with filters
        -- parameter: by | dimensions | category | none, or one or two of category, platform | Rows
        -- parameter: interval | choice | none | none, hour, day | Intervals
        -- parameter: from | time | 30 days before to | an RFC 3339 time, or a date in tz | Begin
        -- parameter: to | time | now | an RFC 3339 time, or a date in tz | End
        -- parameter: tz | zone | UTC | an IANA time zone | Zone
        -- parameter: window | duration | P3D | PT1S to P400D | Window
        -- parameter: most | whole | 10 | 1 to 20 | Rows
        -- filters: category, platform
        -- table: by_1, reached, rate
        -- growing: reached of news
        --
        -- column: interval_start | timestamptz | | Start
        -- column: by_1 | text | | First
        -- column: reached | bigint | notifications | Reached
        -- column: rate | double precision | fraction | Rate
        CREATE OR REPLACE FUNCTION report.example() RETURNS void LANGUAGE sql AS 'SELECT';
        -- report: not a header any more
        """

    static func definition() throws -> ReportDefinition {
        try ReportHeader(file: "example.sql", sql: sql).definition { $0 == "engagement" ? "notification" : $0 }
    }

    static func result(_ rows: [[ReportValue]]) throws -> ReportResult {
        let definition = try definition()
        var columns = definition.columns
        columns[1].name = "category"
        return ReportResult(
            definition: definition,
            parameters: [
                ("interval", .text("day")), ("from", .time(0)), ("to", .time(86_400_000_000)),
                ("category", .list(["news", nil])),
            ],
            asOf: .init(position: 42, at: 1_700_000_000_123_456, lagSeconds: 0.5),
            columns: columns,
            tableColumns: ["category", "reached", "rate"],
            rows: rows
        )
    }
}
