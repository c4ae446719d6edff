import EventLog
import Schema
import Testing

@testable import Digests
@testable import Reports

@Suite("Digests: which figures are compared at equal age")
struct ComparedTests {
    /// The report of that name, with some of its columns, asked of both periods.
    private static func compared(_ report: String, key: String, columns: [String]) throws -> DigestAnswers.Compared {
        var definition = try ReportCatalogue(folder: ReleaseFolder.locate()).report(report)
        let all =
            [ReportColumn(name: "stage", type: "text", unit: nil, description: "")]
            + columns.compactMap { name in definition.columns.first { $0.name == name } }
        definition.columns = all
        definition.tableColumns = all.map(\.name)
        func answer(_ value: Int64) -> ReportResult {
            ReportResult(
                definition: definition,
                parameters: [],
                asOf: .init(position: 42, at: 0, lagSeconds: 0),
                columns: all,
                tableColumns: all.map(\.name),
                rows: [[ReportValue.text(key)] + columns.map { _ in ReportValue.integer(value) }]
            )
        }
        // The period itself is young: it has half of what it will have.
        return DigestAnswers.Compared(
            now: answer(50),
            before: answer(100),
            aged: (now: answer(30), before: answer(30)),
            isWindowed: true
        )
    }

    @Test("conversions are compared where their window is over, and devices over all of both periods")
    func conversions() throws {
        let columns = ["devices", "direct", "conversions", "value"]
        let figures = try Self.compared("outcomes", key: "spring", columns: columns).figures(of: ["spring"], most: 4)
        #expect(figures.map(\.name) == columns)
        #expect(figures.map(\.change) == [-0.5, 0, 0, 0] as [Double?])
    }

    @Test("what grows with age is not compared, also where it has the name of what does not")
    func growing() throws {
        func change(_ report: String, _ key: String, _ column: String) throws -> Double? {
            try Self.compared(report, key: key, columns: [column]).figures(of: [key], most: 1).first?.change
        }
        #expect(try change("funnel", "reached", "notifications") == -0.5)
        #expect(try change("funnel", "responded", "notifications") == nil)
        #expect(try change("actions", "default", "notifications") == nil)
        #expect(try change("engagement", "news", "responded") == nil)
        #expect(try change("engagement", "news", "responded_in_window") == 0)
    }
}
