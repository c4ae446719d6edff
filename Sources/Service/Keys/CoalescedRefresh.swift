/// Refreshes for callers that bring an unknown key, however many there are. A refresh serves everybody who asked before it began,
/// and the next one begins no sooner than an interval later.
actor CoalescedRefresh {
    private let interval: Duration
    private var last: ContinuousClock.Instant?
    /// A refresh that has not begun.
    private var next: Task<Void, Never>?

    init(interval: Duration = .milliseconds(250)) {
        self.interval = interval
    }

    /// Waits for a refresh that begins after this call.
    func run(_ refresh: @escaping @Sendable () async -> Void) async {
        if let next { return await next.value }
        let begins = last.map { $0 + interval } ?? .now
        let task = Task {
            try? await ContinuousClock().sleep(until: begins)
            began()
            await refresh()
        }
        next = task
        await task.value
    }

    private func began() {
        next = nil
        last = .now
    }
}
