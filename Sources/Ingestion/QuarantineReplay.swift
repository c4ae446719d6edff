public import Administration
public import Decoding
public import EventLog
public import NotificationEvents
internal import Pacing
public import Postgres

/// Takes what is in quarantine in again: decoded, validated, appended, with the times at which it was sent and received.
/// Twice is as good as once.
public struct QuarantineReplay: Sendable {
    /// What became of the items.
    public struct Summary: Sendable, Equatable {
        /// Items that are stored now.
        public var stored = 0
        /// Items that were stored before.
        public var duplicate = 0
        /// Items that are still refused, by their error's code. They stay.
        public var rejected: [String: Int] = [:]
        /// Items that never parsed, of which only length and digest are kept.
        public var unreadable = 0
    }

    private let pool: Pool
    private let quarantine: Quarantine
    private let limits: DecodingLimits
    private let ids: IDHashing
    private let decoder = EventDecoder()

    /// - Parameters:
    ///   - pool: lends connections.
    ///   - quarantine: where the items are.
    ///   - limits: those of the service.
    ///   - ids: how apps hash their ids.
    public init(_ pool: Pool, quarantine: Quarantine, limits: DecodingLimits, ids: IDHashing) {
        self.pool = pool
        self.quarantine = quarantine
        self.limits = limits
        self.ids = ids
    }

    /// Replays items, of each app in the order in which they came. Apps take turns of a page, so that none waits behind all
    /// that another has. One whose items cannot be replayed loses its turns, and keeps nobody else's waiting.
    ///
    /// - Parameters:
    ///   - filter: which.
    ///   - scope: what the items' keys may do; nil for what each key's scope allowed.
    ///   - log: takes the events; it must be running.
    ///   - progress: called with the number of items seen so far.
    /// - Throws: the first error, when all apps have had their turns: `AdministrationError` where ids are to be hashed and there
    ///   is no secret, or another one; `PostgresError`; `AppendError`.
    public func run(
        _ filter: QuarantineFilter,
        as scope: Scope? = nil,
        into log: CellLog,
        progress: (Int) -> Void = { _ in }
    ) async throws -> Summary {
        let apps = try await Administration(pool).apps().filter { filter.app == nil || filter.app == $0.name }
        let ids = apps.contains(where: \.hashesIDs) ? try await Administration(pool).settled(ids) : ids
        var turns = apps.map { (app: $0, last: Int64(0)) }
        var summary = Summary()
        var seen = 0
        var failure: (any Error)?
        while !turns.isEmpty {
            var next: [(app: App, last: Int64)] = []
            for (app, last) in turns {
                var own = filter
                own.app = app.name
                do {
                    let page = try await quarantine.items(own, after: last, limit: Self.pageItems)
                    try await replay(page, of: app, as: scope, ids, into: log, &summary)
                    seen += page.count
                    progress(seen)
                    if page.count == Self.pageItems, let end = page.last { next.append((app, end.id)) }
                } catch {
                    try Task.checkCancellation()
                    failure = failure ?? error
                }
            }
            turns = next
        }
        if let failure { throw failure }
        return summary
    }

    private static let pageItems = 500

    private func replay(
        _ records: [QuarantineRecord],
        of app: App,
        as scope: Scope?,
        _ ids: IDHashing,
        into log: CellLog,
        _ summary: inout Summary
    ) async throws {
        var outcomes: [ReplayOutcome] = []
        var items: [(id: Int64, item: DecodedItem)] = []
        for record in records {
            guard let text = record.item else {
                summary.unreadable += 1
                continue
            }
            var policy = DecodingPolicy(
                scope: scope ?? record.keyScope.flatMap(Scope.init(rawValue:)) ?? .write,
                keepReplyText: app.keepsReplyText,
                limits: limits,
                isReplay: true
            )
            policy.idHashKey = try ids.key(of: app)
            do throws(EventError) {
                let event = try decode(text, record, policy)
                items.append((record.id, DecodedItem(item: .accepted(event, warnings: []), index: 0, pointer: "")))
            } catch {
                outcomes.append(ReplayOutcome(id: record.id, error: error))
            }
        }
        let taken = try await log.append(items.map(\.item), app: app.id)
        for ((id, _), taken) in zip(items, taken) {
            switch taken.outcome {
            case .accepted:
                summary.stored += 1
                outcomes.append(ReplayOutcome(id: id, error: nil))
            case .duplicate:
                summary.duplicate += 1
                outcomes.append(ReplayOutcome(id: id, error: nil))
            case .rejected(_, let error): outcomes.append(ReplayOutcome(id: id, error: error))
            }
        }
        // What was stored before, perhaps as of another scope, is not lost for being refused now.
        let stored = Set(records.filter { $0.replayedAt != nil }.map(\.id))
        summary.duplicate += outcomes.count { $0.error != nil && stored.contains($0.id) }
        outcomes.removeAll { $0.error != nil && stored.contains($0.id) }
        for case let error? in outcomes.map(\.error) { summary.rejected[error.code.rawValue, default: 0] += 1 }
        try await quarantine.replayed(outcomes, app: app.id)
    }

    private func decode(
        _ item: String,
        _ record: QuarantineRecord,
        _ policy: DecodingPolicy
    ) throws(EventError) -> NormalisedEvent {
        // The partition that it would go to may be gone, and with it what tells a repeat.
        let horizon = SystemClock.microseconds() - limits.retentionSeconds * 1_000_000
        guard record.receivedAt.microseconds >= horizon else {
            throw EventError(
                code: .tooOld,
                pointer: "/occurred_at",
                message:
                    "the item was received before the \(limits.retentionSeconds / 86_400) days that events are kept"
            )
        }
        var policy = policy
        // What was within the limit as it was sent may be longer as it is kept: digests, and a space after each comma. All but
        // the items that were too large were within it; the log's own rejections record the length as kept.
        if record.code != EventError.Code.tooLarge.rawValue || Int(record.length) <= policy.limits.eventBytes {
            policy.limits.eventBytes = max(policy.limits.eventBytes, item.utf8.count)
        }
        let decoded: [DecodedItem]
        do {
            decoded = try decoder.decode(
                Array(item.utf8),
                format: .json,
                policy: policy,
                receivedAt: record.receivedAt,
                sentAt: record.sentAt
            )
        } catch {
            throw EventError(code: .init(rawValue: error.code), pointer: "", message: error.message)
        }
        switch decoded.first?.item {
        case .accepted(let event, _): return event
        case .rejected(let rejected): throw rejected.error
        case nil: throw EventError(code: .invalidJSON, pointer: "", message: "the item is empty")
        }
    }
}
