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
}
