import Foundation

extension FaultRun.Outcome {
    /// What happened, for a person.
    func summary(seed: UInt64) -> String {
        var lines = ["seed \(seed): \(faults.count) faults"]
        let byKind = Dictionary(grouping: faults, by: { $0.fault.kind })
        for kind in FaultKind.allCases {
            guard let list = byKind[kind] else { continue }
            let times = list.map(\.recovery).sorted()
            lines.append(
                "  \(kind.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0)) \(list.count) times, "
                    + "back after \(times[times.count / 2].text) (median), \(times[times.count - 1].text) (longest)"
            )
        }
        if !skipped.isEmpty { lines.append("  not made here: \(skipped.map(\.rawValue).joined(separator: ", "))") }
        let times = faults.map(\.recovery).sorted()
        if !times.isEmpty {
            lines.append(
                "time to recover: \(times[times.count / 2].text) median, \(times[times.count - 1].text) longest"
            )
        }
        lines += [
            "\(ledger.positions.count) events acknowledged in \(ledger.requests) requests; "
                + "\(ledger.repeats) repeats recognised; \(ledger.broken) requests without an answer, refused \(ledger.refused)",
            "\(verdict.lost) lost, \(verdict.twice) stored twice, \(verdict.stored) in the log, \(verdict.setAside.count) set aside",
        ]
        lines += verdict.setAside.map { "set aside: \($0)" }
        lines += [
            verdict.differing.isEmpty
                ? "every projection equals a rebuild; the last event was in all of them after \(drained.text)"
                : "projections that differ from a rebuild: \(verdict.differing.joined(separator: ", "))",
            "\(history.reads.count) reads with min_position, of \(history.categories.count) categories; "
                + "no answer to others \(history.unanswered)",
            "\(leavers.erased) devices erased; \(operators.exports) exports and \(operators.rebuilds) rebuilds done, "
                + "\(operators.killed) killed",
            "\(lanes) lanes at the start; rebuilds that chose lanes: "
                + operators.lanes.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", "),
            "the larger service took \(residentMegabytes) MiB at the end",
        ]
        lines += violations.prefix(10).map { "VIOLATION: \($0)" }
        return lines.joined(separator: "\n")
    }
}

extension Duration {
    fileprivate var text: String {
        "\(Int(self / .milliseconds(1))) ms"
    }
}
