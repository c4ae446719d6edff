internal import Postgres
internal import Synchronization

/// Why PostgreSQL refused to store events, as the log's writers saw it last.
final class AppendRefusals: Sendable {
    private let last = Mutex<(refusal: PostgresError.Refusal, at: ContinuousClock.Instant)?>(nil)

    /// How long a refusal counts while no event is stored. Without this limit, nothing would notice that it is over.
    static let lifetime = Duration.seconds(60)

    /// PostgreSQL refused events.
    func note(_ refusal: PostgresError.Refusal, at moment: ContinuousClock.Instant = .now) {
        last.withLock { $0 = (refusal, moment) }
    }

    /// PostgreSQL stored events.
    func clear() {
        last.withLock { $0 = nil }
    }

    /// The refusal that counts; nil for none.
    func current(at moment: ContinuousClock.Instant = .now) -> PostgresError.Refusal? {
        last.withLock { last in
            guard let found = last, moment - found.at < Self.lifetime else { return nil }
            return found.refusal
        }
    }
}
