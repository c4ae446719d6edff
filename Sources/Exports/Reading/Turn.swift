/// Lets one caller after the other work, in the order in which they came.
actor Turn {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits until nobody else is at it, and works.
    func take<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
        defer { pass() }
        try Task.checkCancellation()
        return try await work()
    }

    /// The turn goes to the next without being free in between.
    private func pass() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
