/// Limits callers that each use a session of their own, first come, first served: one at a time of each key, and a number in
/// all. A waiter holds no session, and delays no caller of another key.
public actor Turns<Key: Hashable & Sendable> {
    private let limit: Int
    private var working: Set<Key> = []
    private var waiting: [(key: Key, continuation: CheckedContinuation<Void, Never>)] = []

    /// - Parameter limit: the most at a time.
    public init(limit: Int) {
        self.limit = limit
    }

    /// How many wait.
    var waitingCount: Int { waiting.count }

    /// Waits until it is this one's turn, and works.
    ///
    /// - Throws: what the work throws; `CancellationError` where the task was cancelled while it waited.
    public func take<Value: Sendable>(
        _ key: Key,
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        if isFree(key) {
            working.insert(key)
        } else {
            await withCheckedContinuation { waiting.append((key, $0)) }
        }
        defer { pass(key) }
        try Task.checkCancellation()
        return try await work()
    }

    private func isFree(_ key: Key) -> Bool {
        working.count < limit && !working.contains(key)
    }

    /// The turn goes to the next who may have it, without being free in between.
    private func pass(_ key: Key) {
        working.remove(key)
        guard let next = waiting.firstIndex(where: { isFree($0.key) }) else { return }
        let (key, continuation) = waiting.remove(at: next)
        working.insert(key)
        continuation.resume()
    }
}
