internal import Administration
internal import Decoding
internal import EventLog
internal import Metrics
internal import NotificationEvents
internal import Pacing
internal import Postgres
internal import Synchronization

/// Counts what is not accepted, and keeps rejected items in quarantine.
final class Rejections: Sendable {
    private let quarantine: Quarantine
    private let tally: Tally
    private let factory: any MetricsFactory
    /// Items that were not kept as their app's quarantine is full.
    private let dropped: Counter
    private let counters = Mutex<[String: Counter]>([:])
    /// Adding locks an app's quarantine: bodies that wait for that hold one connection, and leave one for another app and one for keys
    /// and the clock.
    private let turns = Turns<AppID>(limit: 2)
    /// As long as the pool's own wait for a connection.
    private static let longestWait = Duration.seconds(5)

    /// - Parameters:
    ///   - quarantine: keeps items.
    ///   - tally: counts them in the database.
    ///   - factory: counts them in metrics.
    init(quarantine: Quarantine, tally: Tally, factory: any MetricsFactory) {
        self.quarantine = quarantine
        self.tally = tally
        self.factory = factory
        dropped = Counter(label: "notilog_quarantine_full_total", factory: factory)
    }

    /// Keeps items in quarantine, as far as there is room, and counts them. Of an erased device nothing is kept.
    ///
    /// - Throws: `PostgresError`; they are then neither kept nor counted, and the sender sends them again. `CancellationError`.
    func keep(_ items: [(item: RejectedItem, pointer: String)], _ receipt: Receipt) async throws {
        guard !items.isEmpty else { return }
        let kept = items.filter { $0.item.error.code != .erased }
            .map { QuarantinedItem($0.item, pointer: $0.pointer, receipt) }
        if !kept.isEmpty {
            let added = try await add(kept, app: receipt.grant.appID)
            if added.full > 0 { dropped.increment(by: Int64(added.full)) }
        }
        for (item, _) in items { count(kind: item.kind ?? "", code: item.error.code.rawValue, receipt) }
    }

    private func add(_ items: [QuarantinedItem], app: AppID) async throws -> Quarantine.Added {
        let deadline = ContinuousClock.now + Self.longestWait
        return try await turns.take(app) { [quarantine] in
            guard ContinuousClock.now < deadline else { throw Pool.timeoutError }
            return try await quarantine.add(items)
        }
    }

    /// Counts a body that was refused as a whole, of which nothing is kept.
    func count(_ error: BodyError, _ receipt: Receipt) {
        count(kind: "", code: error.code, receipt)
    }

    private func count(kind: String, code: String, _ receipt: Receipt) {
        tally.count(app: receipt.grant.appID, at: receipt.receivedAt.microseconds, kind: kind, outcome: code)
        let counter = counters.withLock { counters in
            let key = kind + "\n" + code
            if let known = counters[key] { return known }
            let new = Counter(
                label: "notilog_events_rejected_total",
                dimensions: [("kind", kind), ("code", code)],
                factory: factory
            )
            counters[key] = new
            return new
        }
        counter.increment()
    }
}
