/// The time in which the log cannot be settled. It is told as it begins, as its cause changes, and as it ends: not at each attempt.
struct SettlerOutage {
    private var since: ContinuousClock.Instant?
    private var cause: String?

    /// An attempt failed.
    ///
    /// - Returns: whether that is to be told.
    mutating func failed(_ error: any Error, at moment: ContinuousClock.Instant = .now) -> Bool {
        let before = cause
        cause = "\(error)"
        since = since ?? moment
        return cause != before
    }

    /// The log is settled.
    ///
    /// - Returns: how long it was not; nil if it was before.
    mutating func ended(at moment: ContinuousClock.Instant = .now) -> Duration? {
        defer { (since, cause) = (nil, nil) }
        return since.map { moment - $0 }
    }
}
