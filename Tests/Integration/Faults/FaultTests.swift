import Foundation
import Testing

private let environment = ProcessInfo.processInfo.environment
private let tortureSeconds = environment["TORTURE_SECONDS"].flatMap { Int($0) }
private let tortureSeed = environment["TORTURE_SEED"].flatMap { UInt64($0) }
private let tortureCells = environment["TORTURE_CELLS"].flatMap { Int($0) }
private let tortureLanes = environment["TORTURE_LANES"].flatMap { Int($0) }
private let tortureVacuums = environment["TORTURE_AUTOVACUUM"] != "off"

/// Guarantees 1, 2 and 3 together: whatever is killed, frozen, cut or filled up, no acknowledged event is lost, none is
/// stored twice, and every one reaches every projection once.
///
/// `TORTURE_SECONDS` makes it that long (`make torture`), `TORTURE_SEED` repeats a schedule,
/// `TORTURE_CELLS` chooses how many databases share the devices, `TORTURE_LANES` how many lanes the services share at the start,
/// `TORTURE_AUTOVACUUM=off` leaves tables and their statistics as they become.
@Suite("Faults", .serialized)
struct FaultTests {
    @Test(
        "nothing is lost or repeated under faults, in one database or in several cells",
        .timeLimit(.minutes((tortureSeconds ?? 0) / 30 + 20)),
        arguments: [tortureCells ?? 1]
    )
    func nothingIsLost(cells: Int) async throws {
        let seed = tortureSeed ?? UInt64.random(in: 1...999_999)
        let isLong = tortureSeconds != nil
        var run = FaultRun(
            seed: seed,
            duration: .seconds(tortureSeconds ?? 12),
            leastFaults: 4,
            kinds: isLong ? FaultKind.allCases : FaultKind.allCases.filter { !$0.lasts },
            diskMegabytes: isLong ? 4096 : 512,
            vacuums: tortureVacuums,
            clients: isLong ? 8 : 6,
            cells: cells,
            lanes: tortureLanes ?? [1, 2, 4][Int(seed % 3)]
        )
        if isLong {
            print("torture: seed \(seed), \(tortureSeconds ?? 0) s, \(cells) cells")
            run.progress = { fault, recovery in print("  \(fault): back after \(recovery)") }
        }
        let outcome = try await run.run()
        let summary = outcome.summary(seed: seed)
        print(summary)
        outcome.verdict.expectAll(of: outcome.ledger, summary)
        #expect(outcome.violations.isEmpty, "\(summary)")
        #expect(!outcome.history.reads.isEmpty, "\(summary)")
        #expect(outcome.leavers.erased > 0, "\(summary)")
        #expect(outcome.ledger.positions.count > 200, "\(summary)")
    }

    @Test("a schedule follows from its seed, and holds every kind")
    func schedule() {
        let kinds = FaultKind.allCases
        func first(_ count: Int, _ seed: UInt64) -> [Fault] {
            var schedule = FaultSchedule(seed: seed, kinds: kinds)
            return (0..<count).map { _ in schedule.next() }
        }
        #expect(first(50, 7) == first(50, 7))
        #expect(first(50, 7) != first(50, 8))
        #expect(Set(first(FaultKind.allCases.count, 9).map(\.kind)).count == FaultKind.allCases.count)
    }
}
