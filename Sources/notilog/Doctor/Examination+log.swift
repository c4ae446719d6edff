import EventLog
import Foundation
import Postgres

extension Examination {
    /// The log itself: whether it settles, whether it is complete, and how far ahead it has partitions.
    func log(_ facts: Diagnosis) -> [Finding] {
        [settling(facts.log), wholeness(facts)] + partitions(facts.partitions) + [
            quarantine(facts.quarantine), erasures(facts.pendingErasures),
        ]
    }

    private func erasures(_ pending: Int64) -> Finding {
        guard pending > 0 else { return .ok("erasure", "no erasure is unfinished") }
        return .warn(
            "erasure",
            "the erasure of \(pending) \(pending == 1 ? "device" : "devices") is unfinished",
            "a running `notilog serve` finishes it within a minute; if not, see its log"
        )
    }

    /// Whether the ledger can identify erased devices: without its keys no event is appended.
    func ledger(_ pool: Pool) async throws -> Finding {
        do {
            try await pool.query("SELECT FROM log.erasure_keys()")
            guard try await !LedgerSecret.isIgnored(pool) else {
                return .warn("ledger", LedgerSecret.ignored, LedgerSecret.whatToDoIfIgnored)
            }
            return .ok("ledger", "late events of erased devices can be identified")
        } catch let error as PostgresError where error.sqlState == SQLState.objectNotInPrerequisiteState {
            return .fail(
                "ledger",
                error.message,
                "set NOTILOG_ERASURE_SECRET to its value at the first erasure"
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
                "\(shown), because an append is still open",
                "end the session of the open append (see idle_transactions), or wait for its timeout"
            )
        }
        return .fail(
            "settling",
            shown,
            "start `notilog serve` with projections.enabled: no service settles the log"
        )
    }

    private func wholeness(_ facts: Diagnosis) -> Finding {
        let (log, ahead) = (facts.log, facts.checkpoints.filter { $0.position > facts.log.drawn })
        if log.highest > log.drawn {
            return .fail(
                "incarnation",
                "the log holds position \(log.highest), but its sequence is at \(log.drawn)",
                "the sequence was lost in a restore: SELECT setval('log.position', \(log.highest)) as the owner, before "
                    + "any event is written; then run `notilog projections verify`, as events that were written meanwhile "
                    + "are in no report before a rebuild"
            )
        }
        guard ahead.isEmpty, log.settled <= log.drawn else {
            let names = ahead.map(\.name).joined(separator: ", ")
            return .fail(
                "incarnation",
                "the log ends at \(log.drawn), but \(names.isEmpty ? "it was settled" : names) continued to "
                    + "\(max(log.settled, ahead.map(\.position).max() ?? 0))",
                "the log went back in time and its projections did not: restore both from one dump, or rebuild with "
                    + "`notilog projections rebuild`"
            )
        }
        return .ok("incarnation", "log, sequence and projections are consistent")
    }

    private func partitions(_ partitions: [Diagnosis.Partition]) -> [Finding] {
        let now = Date().timeIntervalSince1970
        let advice =
            "run `notilog serve`, which creates them daily, or SELECT log.ensure_partitions(now(), now() + interval '3 months')"
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
        // An empty table still has one page of an index.
        if let part = partitions.first(where: { $0.isDefault && $0.bytes > 8192 }) {
            findings.append(
                .warn(
                    "default_partition",
                    "log.\(part.name) holds \(part.bytes >> 10) kB of events without a partition",
                    "create their partitions, move the events, and keep the service running, which creates partitions ahead"
                )
            )
        }
        let oldest = ranged.map(\.1).min().map { (now - $0) / 86_400 } ?? 0
        let kept = Double(LogRetention(settings.reader).days)
        if oldest > kept + 31 {
            findings.append(
                .warn(
                    "retention",
                    "the oldest partition ended \(Int(oldest)) days ago, but events are kept for \(Int(kept)) days",
                    "run `notilog retention run`, for example daily by a timer"
                )
            )
        } else {
            findings.append(.ok("retention", "no partition is older than limits.retention_days (\(Int(kept)))"))
        }
        return findings
    }

    private func quarantine(_ quarantine: Diagnosis.Quarantine) -> Finding {
        let shown = "\(quarantine.items) items, \(quarantine.lastDay) in the last day"
        let advice =
            "find the senders' errors with `notilog quarantine list`, fix them, then run `notilog quarantine replay`"
        // An item is kept whole: the last bytes stay free.
        let limits = Quarantine.Limits(settings.reader)
        let full = quarantine.apps.filter {
            $0.items >= limits.itemsPerApp || Double($0.bytes) >= 0.99 * Double(limits.bytesPerApp)
        }
        guard full.isEmpty else {
            let names = full.map(\.name).joined(separator: ", ")
            return .fail("quarantine", "full for \(names): what is rejected is lost; \(shown)", advice)
        }
        guard quarantine.lastDay <= 1_000, quarantine.items <= 100_000 else {
            return .warn("quarantine", shown, advice)
        }
        if let days = quarantine.oldestDays, days > 120 {
            return .warn(
                "quarantine",
                "\(shown), the oldest \(Int(days)) days old",
                "run `notilog serve`, which deletes them after quarantine.days"
            )
        }
        return .ok("quarantine", shown)
    }
}
