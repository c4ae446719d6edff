internal import Metrics
internal import NotificationEvents
internal import Postgres
internal import Synchronization

/// Measures appends, and reports their outcomes to the signal, the tally and the refusals.
final class AppendObserver: Sendable {
    private struct Key: Hashable {
        var kind: String
        var outcome: String
    }

    private let signal: LogSignal
    private let tally: Tally?
    private let batchSize = Recorder(label: "notilog_append_batch_events")
    private let commitTime = Timer(label: "notilog_append_commit_seconds")
    private let counters = Mutex<[Key: Counter]>([:])
    private let now: @Sendable () -> Int64
    private let refusals = AppendRefusals()

    init(signal: LogSignal, tally: Tally?, now: @escaping @Sendable () -> Int64) {
        self.signal = signal
        self.tally = tally
        self.now = now
    }

    /// Why PostgreSQL refused the newest events; nil once that may be over.
    var refusal: PostgresError.Refusal? { refusals.current() }

    /// Events were not stored, or no writer could connect.
    func failed(_ error: AppendError) {
        if let refusal = error.cause?.refusal { refusals.note(refusal) }
    }

    func committed(_ batch: [Submission], _ results: [[AppendResult]], took duration: Duration) {
        var counts: [Key: Int] = [:]
        var storedAny = false
        for (submission, results) in zip(batch, results) {
            for (event, result) in zip(submission.events, results) {
                let outcome: String
                switch result {
                case .stored:
                    outcome = "stored"
                    storedAny = true
                case .duplicate:
                    outcome = "duplicate"
                    tally?.count(app: submission.app, at: now(), kind: event.kind.name, outcome: "duplicate")
                case .conflict: outcome = "conflict"
                case .erased: outcome = "erased"
                case .tooOld: outcome = "too_old"
                case .rejected: outcome = "rejected"
                }
                counts[Key(kind: event.kind.name, outcome: outcome), default: 0] += 1
            }
        }
        if storedAny {
            refusals.clear()
            signal.appended()
        }
        batchSize.record(batch.reduce(0) { $0 + $1.events.count })
        commitTime.record(duration: duration)
        for (key, count) in counts { counter(key).increment(by: Int64(count)) }
    }

    private func counter(_ key: Key) -> Counter {
        counters.withLock { counters in
            if let known = counters[key] { return known }
            let new = Counter(
                label: "notilog_events_total",
                dimensions: [("kind", key.kind), ("outcome", key.outcome)]
            )
            counters[key] = new
            return new
        }
    }
}
