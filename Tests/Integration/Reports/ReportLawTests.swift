import Decoding
import Foundation
import Reports
import Schema
import Testing

/// Reports say what an independent model makes of the same events, whatever they are, however they came, and whatever
/// is asked.
///
/// `NOTILOG_LAW_CASES` sets how many cases run of each focus, `NOTILOG_LAW_SEED` where the random numbers begin.
@Suite("Reports of what surrounds a notification, and their model")
struct ReportLawTests {
    private static func number(_ name: String, default value: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? value
    }

    private static let casesOfEachFocus = number("NOTILOG_LAW_CASES", default: 10)
    private static let firstSeed = UInt64(number("NOTILOG_LAW_SEED", default: 20_260_302))
    private static let casesOfATrial = 30
    private static let reports = [
        "actions", "activity", "authorization", "campaigns", "categories", "changes", "engagement", "extensions",
        "frequency", "instrumentation", "live_activities", "opt_outs", "outcomes", "push_results", "reachability",
        "removals", "settings", "tokens",
    ]

    @Test("every report has a model")
    func models() throws {
        let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
        let modelled = Set(Self.reports + ModelReport.allCases.map(\.rawValue))
        #expect(Set(catalogue.reports.map(\.name)) == modelled)
    }

    @Test("a report says what the model says", arguments: RandomEvents.Focus.allCases)
    func reportsAgreeWithTheModel(focus: RandomEvents.Focus) async throws {
        let decoder = EventDecoder()
        let number = UInt64(RandomEvents.Focus.allCases.firstIndex(of: focus) ?? 0)
        for start in stride(from: 0, to: Self.casesOfEachFocus, by: Self.casesOfATrial) {
            let cases = try (start..<min(start + Self.casesOfATrial, Self.casesOfEachFocus)).map { index in
                let seed = Self.firstSeed &+ number &* 1_000_000_007 &+ UInt64(index)
                return try LawCase(seed: seed, focus: focus, decoder: decoder)
            }
            let trial = ReportTrial(cases: cases, reports: Self.reports, seed: cases[0].seed)
            let verdicts = try await trial.verdicts()
            for verdict in verdicts { Issue.record("\(verdict)") }
            guard verdicts.isEmpty else { return }
        }
    }
}
