internal import Postgres

/// The time in which the log cannot be settled. It is told as it begins, as its cause changes, and as it ends: not at each attempt.
struct SettlerOutage {
    private var since: ContinuousClock.Instant?
    private var cause: String?
    private var isDenied = false

    /// An attempt failed.
    ///
    /// - Returns: whether that is to be told.
    mutating func failed(_ error: any Error, at moment: ContinuousClock.Instant = .now) -> Bool {
        let before = cause
        cause = "\(error)"
        isDenied = (error as? PostgresError)?.refusal == .permission
        since = since ?? moment
        return cause != before
    }

    /// Whether the log is settled by another service alone: this login lacks the right.
    var isLeftToOthers: Bool { isDenied }

    /// The log is settled.
    ///
    /// - Returns: how long it was not; nil if it was before.
    mutating func ended(at moment: ContinuousClock.Instant = .now) -> Duration? {
        defer { (since, cause, isDenied) = (nil, nil, false) }
        return since.map { moment - $0 }
    }
}
