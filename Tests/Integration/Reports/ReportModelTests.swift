import Decoding
import EventLog
import Foundation
import NotificationEvents
import Postgres
import Reports
import Schema
import Testing

/// Reports agree with a model that shares no SQL with them, whatever the events, however they came in, and whatever is
/// asked: the events are those of law 1, late, doubled, skewed and contradicting each other.
///
/// `NOTILOG_LAW_CASES` sets how many sets of events there are of each focus, `NOTILOG_LAW_SEED` where the random numbers
/// begin.
@Suite("Reports and their model")
struct ReportModelTests {
    private static func number(_ name: String, default value: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? value
    }

    private static let casesOfEachFocus = number("NOTILOG_LAW_CASES", default: 15)
    private static let firstSeed = UInt64(number("NOTILOG_LAW_SEED", default: 20_260_301))
    private static let casesOfATrial = 50

    @Test("every report says what its model says", arguments: RandomEvents.Focus.allCases)
    func agreement(focus: RandomEvents.Focus) async throws {
        let decoder = EventDecoder()
        let number = UInt64(RandomEvents.Focus.allCases.firstIndex(of: focus) ?? 0)
        for start in stride(from: 0, to: Self.casesOfEachFocus, by: Self.casesOfATrial) {
            let end = min(start + Self.casesOfATrial, Self.casesOfEachFocus)
            let cases = try (start..<end).map { index in
                let seed = Self.firstSeed &+ number &* 1_000_000_007 &+ UInt64(index)
                return try LawCase(seed: seed, focus: focus, decoder: decoder)
            }
            try await Self.compare(cases)
        }
    }

    private static func compare(_ cases: [LawCase]) async throws {
        try await LawStore.withStore { store in
            try await store.connection.nameOwnDimensions(apps: cases.count)
            for step in 0..<(cases.map { $0.deliveries[2].batches.count }.max() ?? 0) {
                try await store.append(
                    cases.enumerated().compactMap { index, one in
                        let batches = one.deliveries[2].batches
                        guard step < batches.count else { return nil }
                        return (AppID(rawValue: Int32(index + 1)), batches[step].map { one.events[$0].stored })
                    }
                )
                try await store.apply(limit: 100_000)
            }
            let bounds = try await store.latencyBounds()
            let pool = Pool(store.database.configuration, limit: 2)
            let runner = ReportRunner(catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()), pool: pool)
            for (index, one) in cases.enumerated() {
                let model = LawModel(one.events.map(\.sent))
                var random = LawRandom(seed: one.seed &+ 1)
                for report in ModelReport.allCases {
                    let query = report.query(using: &random)
                    let found = try await difference(query, report, model, bounds, "app\(index + 1)", runner)
                    if let found {
                        Issue.record("case \(one.seed) of \(one.focus.rawValue): \(query)\n\(found)")
                    }
                }
            }
            await pool.shutDown()
        }
    }

    private static func difference(
        _ query: ModelQuery,
        _ report: ModelReport,
        _ model: LawModel,
        _ bounds: [Int64],
        _ app: String,
        _ runner: ReportRunner
    ) async throws -> String? {
        let definition = try runner.catalogue.report(query.report)
        let result = try await runner.run(
            try ReportParameters(query.pairs(for: definition), for: definition),
            app: app,
            asOf: Timestamp(microseconds: query.asOf)
        )
        let (found, expected) = (result.records, report.rows(query, model, bounds: bounds))
        var lines: [String] = []
        for (found, expected) in zip(found, expected) {
            let columns = Set(found.keys).union(expected.keys)
                .filter { !ModelComparison.areAlike(found[$0] ?? .null, expected[$0] ?? .null) }
            if !columns.isEmpty {
                lines.append(
                    "report \(found)\nmodel \(expected)\ndiffer in \(columns.sorted().joined(separator: ", "))"
                )
            }
        }
        if found.count != expected.count { lines.append("\(found.count) rows, not \(expected.count)") }
        return lines.isEmpty ? nil : lines.prefix(3).joined(separator: "\n")
    }
}

/// When two values of a report are taken for the same.
enum ModelComparison {
    static func areAlike(_ left: ReportValue, _ right: ReportValue) -> Bool {
        switch (left, right) {
        case (.double(let left), .double(let right)):
            // Sums of floating point in another order.
            abs(left - right) <= 1e-9 + 1e-7 * max(abs(left), abs(right))
        default: left == right
        }
    }
}
