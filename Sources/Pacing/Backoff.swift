/// Growing pauses between attempts to reach a server that is away, each shortened at random so that many processes do
/// not come back in step.
public struct Backoff: Sendable {
    private let first: Duration
    private let longest: Duration
    private var current: Duration

    /// - Parameters:
    ///   - first: the first pause.
    ///   - longest: what the pause grows to, doubling each time.
    public init(first: Duration = .milliseconds(50), longest: Duration = .seconds(2)) {
        self.first = first
        self.longest = longest
        current = first
    }

    /// Starts over, after a success.
    public mutating func reset() {
        current = first
    }

    /// The next pause.
    public mutating func next() -> Duration {
        defer { current = min(current * 2, longest) }
        return current * Double.random(in: 0.5...1)
    }

    /// Waits for the next pause; returns early where the task is cancelled.
    public mutating func wait() async {
        try? await ContinuousClock().sleep(for: next())
    }
}
