/// Limits callers that each use a session of their own: one at a time of each key, and a number in all. A turn goes to the key
/// whose last one began longest ago, and of that to the first who came: however many wait for some keys, they keep another
/// waiting for a turn of each at most. A waiter holds no session.
public actor Turns<Key: Hashable & Sendable> {
    private let limit: Int
    private var working: Set<Key> = []
    private var waiting: [(key: Key, continuation: CheckedContinuation<Void, Never>)] = []
    /// The number of the last turn of each key, since there was nobody who waited.
    private var served: [Key: UInt64] = [:]
    private var turns: UInt64 = 0

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
            begin(key)
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

    private func begin(_ key: Key) {
        working.insert(key)
        turns += 1
        served[key] = turns
    }

    /// The turn goes to the next who may have it, without being free in between.
    private func pass(_ key: Key) {
        working.remove(key)
        func turn(_ index: Int) -> UInt64 { served[waiting[index].key, default: 0] }
        let free = waiting.indices.filter { isFree(waiting[$0].key) }
        if let next = free.min(by: { turn($0) < turn($1) }) {
            let (key, continuation) = waiting.remove(at: next)
            begin(key)
            continuation.resume()
        }
        // One who loops comes back at once, and is to be served after those who waited meanwhile.
        if waiting.isEmpty { served = served.filter { working.contains($0.key) } }
    }
}
