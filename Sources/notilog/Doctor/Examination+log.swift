import Foundation
import Postgres
import Service

extension Examination {
    /// The log itself: whether it moves, whether it is whole, and how far ahead it has room.
    func log(_ facts: Diagnosis) -> [Finding] {
        [settling(facts.log), wholeness(facts)] + partitions(facts.partitions) + [
            quarantine(facts.quarantine), erasures(facts.pendingErasures),
        ]
    }

    private func erasures(_ pending: Int64) -> Finding {
        guard pending > 0 else { return .ok("erasure", "none is left half done") }
        return .warn(
            "erasure",
            "\(pending) \(pending == 1 ? "device" : "devices") asked to be erased still in the log",
            "a running `notilog serve` finishes within a minute; where it does not, its log says why"
        )
    }

    /// Whether what is refused for ever can be told: nothing is appended without.
    func ledger(_ pool: Pool) async throws -> Finding {
        do {
            try await pool.query("SELECT FROM log.erasure_keys()")
            return .ok("ledger", "late events of erased devices can be told")
        } catch let error as PostgresError where error.sqlState == "55000" {
            return .fail(
                "ledger",
                error.message,
                "set NOTILOG_ERASURE_SECRET to what it was when the first device was erased"
            )
        }
    }

    private func settling(_ log: Diagnosis.Log) -> Finding {
        guard let seconds = log.unsettledSeconds, seconds > 15 else {
            return .ok("settling", "settled up to \(log.settled) of \(log.drawn)")
        }
        let shown = "an event \(Int(seconds)) s old is not settled (\(log.settled) of \(log.drawn))"
        guard log.openEpochs < 1 else {
            return .fail(
                "settling",
                "\(shown), as an append has not ended",
                "end the session that holds an append open (see idle_transactions), or wait for its timeout"
            )
        }
        return .fail(
            "settling",
            shown,
            "start a `notilog serve` with projections.enabled: none is settling the log"
        )
    }

    private func wholeness(_ facts: Diagnosis) -> Finding {
        let (log, ahead) = (facts.log, facts.checkpoints.filter { $0.position > facts.log.drawn })
        if log.highest > log.drawn {
            return .fail(
                "incarnation",
                "the log holds position \(log.highest), its sequence stands at \(log.drawn)",
                "the sequence was lost in a restore: SELECT setval('log.position', \(log.highest)) as the owner, before "
                    + "anything is written"
            )
        }
        guard ahead.isEmpty, log.settled <= log.drawn else {
            let names = ahead.map(\.name).joined(separator: ", ")
            return .fail(
                "incarnation",
                "the log ends at \(log.drawn), but \(names.isEmpty ? "it was settled" : names) went on to "
                    + "\(max(log.settled, ahead.map(\.position).max() ?? 0))",
                "the log went back in time without its projections: restore both from one dump, or rebuild with "
                    + "`notilog projections rebuild`"
            )
        }
        return .ok("incarnation", "log, sequence and projections fit together")
    }

    private func partitions(_ partitions: [Diagnosis.Partition]) -> [Finding] {
        let now = Date().timeIntervalSince1970
        let advice =
            "run `notilog serve`, which makes them daily, or SELECT log.ensure_partitions(now(), now() + interval '3 months')"
        var findings: [Finding] = []
        let ranged = partitions.compactMap { part in
            part.fromSeconds.flatMap { from in part.toSeconds.map { (from, $0) } }
        }
        let shown = "\(ranged.count) partitions"
        let ahead = ranged.map(\.1).max().map { ($0 - now) / 86_400 } ?? 0
        if !ranged.contains(where: { $0.0 <= now && now < $0.1 }) {
            findings.append(.fail("partitions", "\(shown), none for this month", advice))
        } else if ahead < 31 {
            findings.append(.warn("partitions", "\(shown), \(Int(ahead)) days ahead", advice))
        } else {
            findings.append(.ok("partitions", "\(shown), \(Int(ahead)) days ahead"))
        }
        // A table without rows still has the page of an index.
        if let part = partitions.first(where: { $0.isDefault && $0.bytes > 8192 }) {
            findings.append(
                .warn(
                    "default_partition",
                    "log.\(part.name) holds \(part.bytes >> 10) kB of events for which there was no partition",
                    "make the partitions that they belong to, move the events, and keep the service running, which makes them ahead"
                )
            )
        }
        let oldest = ranged.map(\.1).min().map { (now - $0) / 86_400 } ?? 0
        let kept = Double(settings.service.retentionDays)
        if oldest > kept + 31 {
            findings.append(
                .warn(
                    "retention",
                    "the oldest partition ended \(Int(oldest)) days ago, events are kept for \(Int(kept))",
                    "run `notilog retention run`, daily by a timer"
                )
            )
        } else {
            findings.append(.ok("retention", "nothing is older than limits.retention_days (\(Int(kept)))"))
        }
        return findings
    }

    private func quarantine(_ quarantine: Diagnosis.Quarantine) -> Finding {
        let shown = "\(quarantine.items) items, \(quarantine.lastDay) of the last day"
        let advice =
            "see what senders get wrong with `notilog quarantine list`, mend it, then `notilog quarantine replay`"
        guard quarantine.lastDay <= 1_000, quarantine.items <= 100_000 else {
            return .warn("quarantine", shown, advice)
        }
        if let days = quarantine.oldestDays, days > 120 {
            return .warn(
                "quarantine",
                "\(shown), the oldest \(Int(days)) days old",
                "run `notilog serve`, which removes them after quarantine.days"
            )
        }
        return .ok("quarantine", shown)
    }
}
