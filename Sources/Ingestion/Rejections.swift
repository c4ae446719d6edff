internal import Administration
internal import Decoding
internal import EventLog
internal import Metrics
internal import NotificationEvents
internal import Synchronization

/// Counts what is not accepted, and keeps rejected items in quarantine.
final class Rejections: Sendable {
    private let quarantine: Quarantine
    private let tally: Tally
    private let factory: any MetricsFactory
    /// Items that were not kept as their app's quarantine is full.
    private let dropped: Counter
    private let counters = Mutex<[String: Counter]>([:])

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
    /// - Throws: `PostgresError`; they are then neither kept nor counted, and the sender sends them again.
    func keep(_ items: [(item: RejectedItem, pointer: String)], _ receipt: Receipt) async throws {
        guard !items.isEmpty else { return }
        let added = try await quarantine.add(
            items.filter { $0.item.error.code != .erased }
                .map { QuarantinedItem($0.item, pointer: $0.pointer, receipt) }
        )
        if added.full > 0 { dropped.increment(by: Int64(added.full)) }
        for (item, _) in items { count(kind: item.kind ?? "", code: item.error.code.rawValue, receipt) }
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
