import Foundation
import Testing

private let environment = ProcessInfo.processInfo.environment
private let tortureSeconds = environment["TORTURE_SECONDS"].flatMap { Int($0) }
private let tortureSeed = environment["TORTURE_SEED"].flatMap { UInt64($0) }

/// Guarantees 1 to 3 while cells move from server to server: whatever is killed meanwhile, no acknowledged event is lost, none is
/// stored twice, and every one reaches every projection once.
///
/// `TORTURE_SECONDS` makes it that long, `TORTURE_SEED` repeats what is killed, and when.
@Suite("Faults: moves of cells", .serialized)
struct CellMoveFaultTests {
    @Test(
        "nothing is lost or repeated while cells move and what takes part is killed",
        .timeLimit(.minutes((tortureSeconds ?? 0) / 30 + 15))
    )
    func nothingIsLost() async throws {
        let seed = tortureSeed ?? UInt64.random(in: 1...999_999)
        var run = CellMoveRun(
            seed: seed,
            duration: .seconds(tortureSeconds ?? 0),
            leastMoves: 2,
            clients: tortureSeconds == nil ? 3 : 6
        )
        if tortureSeconds != nil { run.progress = { print("  \($0.text)") } }
        let outcome = try await run.run()
        let summary = outcome.summary(seed: seed)
        print(summary)
        outcome.verdict.expectAll(of: outcome.ledger, summary)
        #expect(outcome.violations.isEmpty, "\(summary)")
        #expect(outcome.takers == 0, "\(summary)")
        #expect(outcome.ledger.positions.count > 100, "\(summary)")
    }
}

extension CellMoveRun.Outcome {
    /// What happened, for a person.
    fileprivate func summary(seed: UInt64) -> String {
        let times = moves.map(\.whole).sorted()
        let counts = Dictionary(grouping: moves, by: \.victim).map { "\($0.key.rawValue) \($0.value.count)" }
        let (commands, standbys) = (moves.map(\.commands).reduce(0, +), moves.map(\.standbys).reduce(0, +))
        var lines = [
            "seed \(seed): \(moves.count) moves, killed meanwhile: \(counts.sorted().joined(separator: ", "))",
            "\(commands) commands, \(standbys) standbys; a move with its standby took \(times[times.count / 2]) (median), "
                + "\(times[times.count - 1]) (longest)",
            "\(ledger.positions.count) events acknowledged in \(ledger.requests) requests; \(ledger.repeats) repeats recognised; "
                + "\(ledger.broken) requests without an answer, refused \(ledger.refused)",
            "\(verdict.lost) lost, \(verdict.twice) stored twice, \(verdict.stored) in the log, \(verdict.setAside.count) set aside; "
                + "\(takers) databases took events after their cell had left",
            verdict.differing.isEmpty
                ? "every projection equals a rebuild; \(leavers.erased) devices erased"
                : "projections that differ from a rebuild: \(verdict.differing.joined(separator: ", "))",
        ]
        lines += violations.prefix(10).map { "VIOLATION: \($0)" }
        return lines.joined(separator: "\n")
    }
}

extension CellMoveRun.Step {
    fileprivate var text: String {
        "\(victim) killed after \(killedAfter): \(commands) commands, \(standbys) standbys, \(whole)"
    }
}
