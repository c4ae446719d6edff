import Decoding
import Foundation
import Testing

/// Law 1 of the projections: they are a function of the set of stored events. Any order of arrival, any batching, any
/// number of repeats and any split between live projection and rebuild give the same rows, and those of the model.
///
/// `NOTILOG_LAW_CASES` sets how many cases run of each focus, `NOTILOG_LAW_SEED` where the random numbers begin.
@Suite("Law 1")
struct LawTests {
    private static func number(_ name: String, default value: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? value
    }

    private static let casesOfEachFocus = number("NOTILOG_LAW_CASES", default: 90)
    private static let firstSeed = UInt64(number("NOTILOG_LAW_SEED", default: 20_260_301))
    private static let casesOfATrial = 30

    @Test("a projection is a function of the set of events", arguments: RandomEvents.Focus.allCases)
    func functionOfTheSet(focus: RandomEvents.Focus) async throws {
        let decoder = EventDecoder()
        let number = UInt64(RandomEvents.Focus.allCases.firstIndex(of: focus) ?? 0)
        for start in stride(from: 0, to: Self.casesOfEachFocus, by: Self.casesOfATrial) {
            let end = min(start + Self.casesOfATrial, Self.casesOfEachFocus)
            let cases = try (start..<end).map { index in
                try LawCase(
                    seed: Self.firstSeed &+ number &* 1_000_000_007 &+ UInt64(index),
                    focus: focus,
                    decoder: decoder
                )
            }
            let trial = LawTrial(cases: cases, seed: cases[0].seed)
            let verdicts = try await trial.verdictsOfEach()
            for (one, verdict) in zip(cases, verdicts) {
                guard let verdict else { continue }
                let (small, why) = try await LawShrinker(seed: trial.seed).smallest(one, verdict)
                Issue.record("\(LawReport(small, why, trial: trial.seed))")
                return
            }
        }
    }
}

/// A broken law in words: what to run again, what differs, and the events that show it.
struct LawReport: CustomStringConvertible {
    let description: String

    init(_ one: LawCase, _ verdict: String, trial: UInt64) {
        let events = one.events.enumerated().map { index, event in
            "    \(index) \(event.sent.at) \(event.sent.device) \(event.sent.id) \(event.sent.kind)"
                + " \(event.sent.notification ?? "") \(event.sent.occurrence.map(String.init) ?? "")"
                + " \(LawValue.object(event.sent.fields).text)"
        }
        let deliveries = one.deliveries.map { "    \($0.name): \($0.batches.filter { !$0.isEmpty })" }
        description =
            """
            case \(one.seed) of \(one.focus.rawValue), trial \(trial): \(verdict)
              events (effective_at, device, id, kind, notification, occurrence, fields):
            \(events.joined(separator: "\n"))
              batches:
            \(deliveries.joined(separator: "\n"))
            """
    }
}
