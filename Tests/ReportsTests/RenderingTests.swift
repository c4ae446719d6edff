import Foundation
import Testing

@testable import Reports

@Suite struct RenderingTests {
    private static let start = ReportValue.localTime(1_772_302_500_000_000, utcOffsetMinutes: 345)
    private static let rows: [[ReportValue]] = [
        [start, .text("news"), .integer(1_234_567), .double(0.123456789)],
        [start, .text("a,\"b\"\n评论"), .integer(0), .null],
        [start, .null, .integer(3), .double(1)],
    ]

    @Test func jsonIsADocument() throws {
        let text = try Fixture.result(Self.rows).text(.json)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(document["report"] as? String == "example")
        let asOf = try #require(document["as_of"] as? [String: Any])
        #expect(asOf["position"] as? Int == 42 && asOf["at"] as? String == "2023-11-14T22:13:20.123456Z")
        let parameters = try #require(document["parameters"] as? [String: Any])
        #expect((parameters["category"] as? [Any])?.last is NSNull)
        let rows = try #require(document["rows"] as? [[String: Any]])
        #expect(rows.count == 3)
        #expect(rows[0]["rate"] as? Double == 0.123456789)
        #expect(rows[0]["interval_start"] as? String == "2026-03-01T00:00:00+05:45")
        #expect(rows[1]["category"] as? String == "a,\"b\"\n评论")
        #expect(rows[1]["rate"] is NSNull && rows[2]["category"] is NSNull)
        let columns = try #require(document["columns"] as? [[String: Any]])
        #expect(columns.map { $0["name"] as? String } == ["interval_start", "category", "reached", "rate"])
        #expect(columns[0]["unit"] is NSNull && columns[2]["unit"] as? String == "notifications")
    }

    @Test func jsonWithoutRows() throws {
        #expect(try Fixture.result([]).text(.json).hasSuffix("\"rows\":[]}\n"))
    }

    @Test func ndjsonIsARowALine() throws {
        let lines = try Fixture.result(Self.rows).text(.ndjson).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines[2]
                == "{\"interval_start\":\"2026-03-01T00:00:00+05:45\",\"category\":null,\"reached\":3,\"rate\":1.0}"
        )
    }

    @Test func csvQuotesWhatNeedsIt() throws {
        let text = try Fixture.result(Self.rows).text(.csv)
        #expect(
            text == "interval_start,category,reached,rate\r\n2026-03-01T00:00:00+05:45,news,1234567,0.123456789\r\n"
                + "2026-03-01T00:00:00+05:45,\"a,\"\"b\"\"\n评论\",0,\r\n2026-03-01T00:00:00+05:45,,3,1.0\r\n"
        )
    }

    @Test func aTableGivesDifferencesInPoints() throws {
        var result = try Fixture.result(Self.rows)
        result.columns[3].isDifference = true
        let lines = result.text(.table).split(separator: "\n")
        #expect(lines.contains { $0.hasSuffix("+12.3 pp") }, "\(lines)")
    }

    @Test(arguments: [
        ("=1+1", "\"'=1+1\""), ("+a", "\"'+a\""), ("-a", "\"'-a\""), ("@a", "\"'@a\""), ("＝1", "\"'＝1\""),
        ("\n=a", "\"'\n=a\""), ("\ta", "\"'\ta\""),
        ("\r=a", "\"'\r=a\""), ("=\"a\"", "\"'=\"\"a\"\"\""), ("", "\"\""), ("a=b", "a=b"), ("'=1", "'=1"),
    ])
    func csvKeepsSpreadsheetsFromRunningNames(_ text: String, _ field: String) {
        #expect(CSVText.field(.text(text)) == field)
    }

    @Test func nullAndEmptyTextDifferInCSV() {
        #expect(CSVText.field(.null).isEmpty)
        #expect(CSVText.field(.integer(0)) == "0")
    }

    @Test func aTableIsAligned() throws {
        let lines = try Fixture.result(Self.rows).text(.table).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "example  1970-01-01T00:00 to 1970-01-02T00:00 UTC")
        #expect(lines[2] == "category      reached     rate")
        #expect(lines[4] == "news        1,234,567   12.3 %")
        #expect(lines[5] == "a,\"b\" 评论          0        –")
        #expect(lines[6] == "–                   3  100.0 %")
        #expect(lines[8] == "as of 2023-11-14T22:13:20Z, position 42; 1 more columns with format=json")
        #expect(
            try Fixture.result(Self.rows).text(.table, allColumns: false)
                .hasSuffix("position 42; 1 more columns with --all-columns\n")
        )
        #expect(try Fixture.result(Self.rows).text(.table, allColumns: true).contains("2026-03-01      news"))
        #expect(try Fixture.result([]).text(.table).contains("(no rows)"))
    }

    @Test(arguments: [
        ("Europe/Berlin", "1970-01-01T01:00 to 1970-01-02T01:00 Europe/Berlin"),
        ("America/New_York", "1969-12-31T19:00 to 1970-01-01T19:00 America/New_York"),
        ("Mars/Olympus", "1970-01-01T00:00 to 1970-01-02T00:00 UTC"),
    ])
    func theHeadIsInTheReportsZone(_ zone: String, _ range: String) throws {
        var result = try Fixture.result(Self.rows)
        result.parameters.append(("tz", .text(zone)))
        #expect(result.text(.table).hasPrefix("example  \(range)\n"))
    }

    @Test func aTableFitsTheTerminal() throws {
        var result = try Fixture.result([])
        result.columns = (0..<40).map { ReportColumn(name: "column_\($0)", type: "bigint", unit: nil, description: "") }
        result.tableColumns = result.columns.map(\.name)
        result.rows = [(0..<40).map { .integer(Int64($0)) }]
        for (width, limit) in [(10, 80), (80, 80), (133, 133), (1000, 200)] {
            let lines = result.text(.table, width: width).split(separator: "\n").dropFirst().prefix(3)
            #expect(lines.allSatisfy { $0.count <= limit })
            #expect(lines.contains { $0.count > limit - 15 })
        }
    }

    @Test func widthsOfWideCharacters() {
        #expect(TerminalText.width("评论") == 4 && TerminalText.width("é👍") == 3)
        #expect(TerminalText.fitted("评论评论", 5) == "评论…")
        #expect(TerminalText.fitted("a\u{1B}[31m\n", 9) == "a [31m ")
        #expect(TerminalText.fitted("a\u{9B}31m\u{7F}\u{202E}b\u{2066}\u{200F}", 20) == "a 31m  b  ")
        #expect(TerminalText.padded("评论", to: 6) == "评论  " && TerminalText.padded("7", to: 3, isNumber: true) == "  7")
        #expect(TerminalText.padded("评论", to: 3) == "评论")
        #expect(TerminalText.line(["a ", "  7", "   "]) == "a     7")
        #expect(TerminalText.clean("a\u{1B}\nb\r\nc", keepsLines: true) == "a \nb \nc")
    }

    @Test func offsets() {
        #expect(TimeText.rfc3339(.localTime(0, utcOffsetMinutes: -210)) == "1969-12-31T20:30:00-03:30")
        #expect(TimeText.rfc3339(.localTime(1, utcOffsetMinutes: 0)) == "1970-01-01T00:00:00.000001+00:00")
        #expect(TimeText.short(.localTime(0, utcOffsetMinutes: 60), withTime: true) == "1970-01-01 01:00+01:00")
    }
}
