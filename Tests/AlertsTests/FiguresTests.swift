import EventLog
import Schema
import Testing

@testable import Alerts
@testable import Reports

@Suite("Alerts: figures of a report's rows")
struct FiguresTests {
    /// A report's answer with rows of some of its columns.
    private static func answer(
        _ report: String,
        _ names: [String],
        _ rows: [[ReportValue]]
    ) throws -> ReportResult {
        let definition = try ReportCatalogue(folder: ReleaseFolder.locate()).report(report)
        let columns = try names.map { name in try #require(definition.columns.first { $0.name == name }) }
        return ReportResult(
            definition: definition,
            parameters: [],
            asOf: .init(position: 42, at: 0, lagSeconds: 0),
            columns: columns,
            tableColumns: names,
            rows: rows
        )
    }

    @Test("a count without a row is 0, but unknown where it may be part of the row `other`")
    func missing() throws {
        let past = (1...28).map { PastFigure(daysBefore: $0, value: Double(500 + $0 % 3), volume: 500, devices: nil) }
        let known = AlertCell(["category": .text("news")])
        for hasOther in [false, true] {
            let other: [[ReportValue]] = hasOther ? [[.null, .bool(true), .integer(900)]] : []
            let answer = try Self.answer(
                "opt_outs",
                ["category", "other", "reached"],
                [[.text("offer"), .bool(false), .integer(700)]] + other
            )
            let figures = try AlertJudge.figures(answer, metric: "reached")
            #expect(figures.isWhole == !hasOther)
            for text in ["reached < 10", "reached falls"] {
                let condition = try #require(AlertCondition(text))
                let judged = figures.judged(condition, leastVolume: 50, past: [known: past], isInTime: true)
                #expect(judged.filter { $0.cell == known }.map(\.isOut) == (hasOther ? [] : [true]), "\(text)")
                #expect(judged.contains { $0.cell == AlertCell(["category": .text("offer")]) })
            }
        }
    }

    /// A row with another number in each column, and the number of each.
    private static func numbered(_ columns: [ReportColumn]) -> (row: [ReportValue], numbers: [String: Int64]) {
        var (row, numbers): ([ReportValue], [String: Int64]) = ([], [:])
        for (index, column) in columns.enumerated() {
            numbers[column.name] = Int64(index + 1)
            switch column.type {
            case "text": row.append(.text("k"))
            case "boolean": row.append(.bool(false))
            case "bigint", "integer": row.append(.integer(Int64(index + 1)))
            case "double precision": row.append(.double(Double(index + 1)))
            default: row.append(.null)
            }
        }
        return (row, numbers)
    }

    @Test("the volume of each rate, and of its bounds, is what its description says it is divided by")
    func denominators() throws {
        var checked = 0
        for report in try ReportCatalogue(folder: ReleaseFolder.locate()).reports {
            let columns = report.columns.filter { $0.name != "interval_start" }
            let (row, numbers) = Self.numbered(columns)
            for rate in columns {
                guard let named = rate.description.firstMatch(of: /÷ `([a-z_0-9]+)`(?! of )/) else { continue }
                let bounds = columns.filter { ["\(rate.name)_low", "\(rate.name)_high"].contains($0.name) }
                for column in [rate] + bounds {
                    let answer = try Self.answer(report.name, columns.map(\.name), [row])
                    let figures = try AlertJudge.figures(answer, metric: column.name).figures
                    let volumes = figures.map { Optional($0.volume) }
                    #expect(volumes == [numbers[String(named.1)]], "\(report.name).\(column.name)")
                    checked += 1
                }
            }
        }
        #expect(checked > 40, "\(checked)")
    }

    @Test("what is no rate has the volume of the report's rates, or of its first count that is known")
    func otherVolumes() throws {
        for (report, metric, absent, expected) in [
            ("engagement", "response_p50", [], "rate_denominator"), ("funnel", "share", [], "notifications"),
            ("authorization", "conversion_p50", [], "shown"),
            ("authorization", "conversion_p50", ["shown", "continued", "later", "never", "dismissed"], "asked"),
        ] as [(String, String, [String], String)] {
            let definition = try ReportCatalogue(folder: ReleaseFolder.locate()).report(report)
            let columns = definition.columns.filter { $0.name != "interval_start" }
            let (row, numbers) = Self.numbered(columns)
            let known = zip(columns, row).map { absent.contains($0.name) ? ReportValue.null : $1 }
            let answer = try Self.answer(report, columns.map(\.name), [known])
            let figures = try AlertJudge.figures(answer, metric: metric).figures
            #expect(figures.map { Optional($0.volume) } == [numbers[expected]], "\(report).\(metric) \(absent)")
        }
    }
}
