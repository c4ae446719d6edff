/// How fast a kind of work is done, as it was seen during the last seconds.
public struct DrainRate: Sendable {
    private struct Period: Sendable {
        var since: ContinuousClock.Instant
        var done = 0
    }

    private var last: Period?
    private var current: Period?
    /// When something was done last.
    private var latest: ContinuousClock.Instant?

    private static let period = Duration.seconds(5)

    /// Nothing is known yet.
    public init() {}

    /// So much was done.
    public mutating func done(_ count: Int, now: ContinuousClock.Instant = .now) {
        turn(now)
        if current == nil { current = Period(since: now) }
        current?.done += count
        latest = now
    }

    /// How long it takes at that rate to do so much, in seconds. Where nothing was done of late, as long as it has stood
    /// still; 1 where nothing ever was.
    public func seconds(for count: Int, now: ContinuousClock.Instant = .now) -> Double {
        var copy = self
        copy.turn(now)
        guard let latest, let first = copy.last ?? copy.current else { return 1 }
        let done = (copy.last?.done ?? 0) + (copy.current?.done ?? 0)
        guard done > 0 else { return (now - latest) / .seconds(1) }
        return Double(count) * max((now - first.since) / .seconds(1), 0.1) / Double(done)
    }

    private mutating func turn(_ now: ContinuousClock.Instant) {
        guard let period = current, now - period.since >= Self.period else { return }
        let isRecent = now - period.since < Self.period * 2
        last = isRecent ? period : Period(since: now - Self.period)
        current = Period(since: isRecent ? period.since + Self.period : now)
    }
}
