/// Looks again for those who bring a key that is not known, however many bring one: one look answers all who came before it
/// began, and the next one begins no sooner than a while after it.
actor SecondLook {
    private let interval: Duration
    private var last: ContinuousClock.Instant?
    /// A look that has not begun.
    private var next: Task<Void, Never>?

    init(interval: Duration = .milliseconds(250)) {
        self.interval = interval
    }

    /// Waits for a look that begins after this call.
    func take(_ look: @escaping @Sendable () async -> Void) async {
        if let next { return await next.value }
        let begins = last.map { $0 + interval } ?? .now
        let task = Task {
            try? await ContinuousClock().sleep(until: begins)
            began()
            await look()
        }
        next = task
        await task.value
    }

    private func began() {
        next = nil
        last = .now
    }
}
