/// A value that is costly to find. It is kept for `lifetime`; callers who ask while it is being found share one search.
package actor Recent<Value: Sendable> {
    private let lifetime: Duration
    private let find: @Sendable () async -> Value
    private var kept: (value: Value, end: ContinuousClock.Instant)?
    /// Those who wait for the look that is under way; there is none while nobody is here.
    private var waiters: [AsyncStream<Value>.Continuation] = []

    /// - Parameters:
    ///   - lifetime: how long what was found is kept, be it good or bad.
    ///   - find: looks; it must end by itself.
    package init(for lifetime: Duration, _ find: @escaping @Sendable () async -> Value) {
        self.lifetime = lifetime
        self.find = find
    }

    /// How many wait for a look.
    package var waiting: Int { waiters.count }

    /// What was found last, or is found now.
    ///
    /// - Throws: `CancellationError` where the caller is cancelled as it waits.
    package func value() async throws -> Value {
        if let kept, ContinuousClock.now < kept.end { return kept.value }
        for await value in wait().found { return value }
        // The stream ends without a value for a cancelled task only.
        throw CancellationError()
    }

    /// The same; nil where it takes longer than a limit. The look goes on, and whoever asks meanwhile waits for it too.
    ///
    /// - Throws: `CancellationError` where the caller is cancelled as it waits.
    package func value(within limit: Duration) async throws -> Value? {
        if let kept, ContinuousClock.now < kept.end { return kept.value }
        let (found, waiter) = wait()
        let timer = Task {
            try await Task.sleep(for: limit)
            waiter.finish()
        }
        defer { timer.cancel() }
        for await value in found { return value }
        try Task.checkCancellation()
        return nil
    }

    /// What the look that is under way finds; one begins if there is none.
    private func wait() -> (found: AsyncStream<Value>, waiter: AsyncStream<Value>.Continuation) {
        let (found, waiter) = AsyncStream<Value>.makeStream()
        waiters.append(waiter)
        // A task of its own, as whoever comes first may leave before the others.
        if waiters.count == 1 { Task { keep(await find()) } }
        return (found, waiter)
    }

    private func keep(_ value: Value) {
        // From its end on, so that a look that takes long is not followed by the next at once.
        kept = (value, ContinuousClock.now + lifetime)
        for waiter in waiters {
            waiter.yield(value)
            waiter.finish()
        }
        waiters = []
    }
}
