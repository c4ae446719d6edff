import EventLog
import Schema
import Testing

@testable import Digests
@testable import Reports

@Suite("Digests: which figures are compared at equal age")
struct ComparedTests {
    /// The report of that name, with some of its columns and a row by a dimension, asked of both periods.
    private static func compared(
        _ report: String,
        by dimension: String = "stage",
        key: String?,
        columns: [String]
    ) throws -> DigestAnswers.Compared {
        var definition = try ReportCatalogue(folder: ReleaseFolder.locate()).report(report)
        let all =
            [ReportColumn(name: dimension, type: "text", unit: nil, description: "")]
            + columns.compactMap { name in definition.columns.first { $0.name == name } }
        let named: ReportValue = if let key { .text(key) } else { .null }
        definition.columns = all
        definition.tableColumns = all.map(\.name)
        func answer(_ value: Int64) -> ReportResult {
            ReportResult(
                definition: definition,
                parameters: [],
                asOf: .init(position: 42, at: 0, lagSeconds: 0),
                columns: all,
                tableColumns: all.map(\.name),
                rows: [[named] + columns.map { _ in ReportValue.integer(value) }]
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

    @Test("a campaign is not compared, as a period may have only a part of it: neither as a row nor as a filter")
    func campaigns() throws {
        let columns = ["reached", "engagement_rate"]
        func changes(by dimension: String, isOfCampaigns: Bool = false) throws -> [Double?] {
            var compared = try Self.compared("engagement", by: dimension, key: "spring", columns: columns)
            compared.isOfCampaigns = isOfCampaigns
            return compared.figures(of: ["spring"], most: 2).map(\.change)
        }
        #expect(try changes(by: "category") == [-0.5, 0] as [Double?])
        #expect(try changes(by: "campaign") == [nil, nil] as [Double?])
        #expect(try changes(by: "category", isOfCampaigns: true) == [nil, nil] as [Double?])
        // What has no campaign is no part of one.
        let answer = try Self.compared("engagement", by: "campaign", key: nil, columns: columns)
        #expect(answer.figures(of: [nil], most: 2).map(\.change) == [-0.5, 0] as [Double?])
    }

    @Test("a difference of two rates is said to be one, and a rate is not")
    func differences() throws {
        let columns = ["engagement_rate", "difference"]
        let figures = try Self.compared("campaigns", by: "campaign", key: "spring", columns: columns)
            .figures(of: ["spring"], most: 2)
        #expect(figures.map(\.name) == columns && figures.map(\.isDifference) == [nil, true] as [Bool?])
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
