import Schema
import Testing

@testable import Reports

@Suite struct HeaderTests {
    @Test func aHeaderIsReadUpToTheFirstLineThatIsNoComment() throws {
        let report = try Fixture.definition()
        #expect(report.name == "example")
        #expect(report.purpose == "What it is for, on two lines.")
        #expect(report.reads == ["notification", "engagement"])
        #expect(report.byRows == "notifications with filters")
        #expect(report.checkpoints == ["notification"])
        #expect(report.filters == ["category", "platform"])
        #expect(report.parameters.map(\.name) == ["by", "interval", "from", "to", "tz", "window", "most"])
        #expect(report.parameter("by")?.accepted == ["none", "category", "platform"])
        #expect(report.parameter("interval")?.accepted == ["none", "hour", "day"])
        #expect(report.columns.map(\.unit) == [nil, nil, "notifications", "fraction"])
        #expect(report.answerColumns.map(\.name) == ["interval_start", "category", "platform", "reached", "rate"])
        #expect(report.tableColumns == ["by_1", "reached", "rate"])
        #expect(report.columns.map(\.maturity) == [.atOnce, .atOnce, .never(key: "news"), .afterWindow])
        #expect(report.columns[2].isGrowing(in: ["news"]))
        #expect(!report.columns[2].isGrowing(in: ["alerts"]))
    }

    @Test(arguments: [
        ("report: example", "report: other"), ("purpose: What it is for,\n--   on two lines.", "purpose:"),
        ("| Rate", ""),
        ("interval | choice", "interval | option"), ("table: by_1", "table: by_2"),
        ("-- reads: notification, engagement\n", ""), ("from | time", "since | time"),
        ("-- growing: reached of news\n", ""), ("growing: reached", "growing: opened"),
        ("growing: reached", "growing: rate"), ("| Rate", "| `reached` ÷ `nothing`"),
    ])
    func aHeaderThatLacksSomethingIsRefused(_ part: String, _ replacement: String) throws {
        #expect(Fixture.sql.contains(part))
        let pieces = Fixture.sql.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
        let sql = pieces.joined(separator: replacement)
        let error = #expect(throws: ReportError.self) {
            try ReportHeader(file: "example.sql", sql: sql).definition { $0 }
        }
        #expect(error?.code == .catalogue)
    }

    @Test func aRateNamesWhatItIsDividedBy() throws {
        let sql = Fixture.sql.replacing(
            "| Rate",
            with: """
                | `responded` ÷ `reached`
                -- column: rate_low | double precision | fraction | Lower bound
                -- column: share | double precision | fraction | `reached` ÷ `reached` of the first row
                """
        )
        let report = try ReportHeader(file: "example.sql", sql: sql).definition { $0 }
        #expect(report.columns.map(\.denominator) == [nil, nil, nil, "reached", "reached", nil])
    }

    @Test func everyReportOfTheRepositoryHasAHeader() throws {
        let folder = try ReleaseFolder.locate()
        let catalogue = try ReportCatalogue(folder: folder)
        #expect(
            Set(catalogue.reports.map(\.name)).isSuperset(of: [
                "engagement", "actions", "settings", "tokens", "activity",
            ])
        )
        for report in catalogue.reports {
            let names = report.acceptedNames
            #expect(Set(names).count == names.count, "\(report.name) has two parameters of one name")
            #expect(Set(report.columns.map(\.name)).count == report.columns.count)
            for parameter in ["from", "to", "tz"] { #expect(report.parameter(parameter) != nil) }
            for parameter in report.parameters where parameter.kind == .choice {
                #expect(parameter.accepted.contains(parameter.defaultText), "\(report.name): \(parameter.name)")
            }
            for name in report.reads where name != "log" { #expect(folder.list("projections").contains(name)) }
        }
        #expect(try catalogue.report("engagement").checkpoints == ["notification"])
    }

    @Test func reportsWithSeveralRowsOfOneNameAreKnown() throws {
        let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
        #expect(
            Set(catalogue.reports.filter { !$0.namesRowsByFirstKeys }.map(\.name)) == [
                "opt_outs", "reachability", "response_times",
            ]
        )
        // What stands later and looks like a key follows from those that stand first. A report with another such column says here
        // whether it does.
        let later = catalogue.reports.filter(\.namesRowsByFirstKeys).flatMap { report in
            report.columns.drop { $0.name == "interval_start" || $0.isKey }.filter(\.isKey)
                .map { "\(report.name).\($0.name)" }
        }
        #expect(
            Set(later) == [
                "actions.place", "categories.state", "instrumentation.verdict", "instrumentation.version_before",
                "push_results.verdict",
            ]
        )
    }

    @Test func columnsOfTheirNameAreCountedWithinTheWindow() throws {
        let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
        for report in catalogue.reports where report.parameter("window") != nil && report.namesRowsByFirstKeys {
            for column in report.columns where column.name.hasSuffix("_in_window") {
                #expect(column.maturity == .afterWindow, "\(report.name).\(column.name)")
            }
        }
        let responded = try catalogue.report("engagement").columns.first { $0.name == "responded" }
        #expect(responded?.maturity == .never(key: nil))
    }

    @Test func anUnknownReportIsToldWhichThereAre() throws {
        let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
        let error = #expect(throws: ReportError.self) { try catalogue.report("engagements") }
        #expect(error?.code == .unknownReport)
        #expect(error?.accepted.contains("engagement") == true)
        #expect(error?.message.contains("actions, activity, ") == true)
    }
}
