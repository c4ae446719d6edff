internal import Postgres

/// A period in which the log cannot be settled. It is logged when it begins, when its cause changes and when it ends, but not
/// at each attempt.
struct SettlerOutage {
    /// What failures of one cause have in common: not their words, which may have numbers in them.
    private struct Cause: Equatable {
        let type: String
        let code: PostgresError.Code?
        let sqlState: String?
        let refusal: PostgresError.Refusal?

        init(_ error: any Error) {
            let failure = error as? PostgresError
            type = "\(Swift.type(of: error))"
            code = failure?.code
            sqlState = failure?.sqlState
            refusal = failure?.refusal
        }
    }

    private var since: ContinuousClock.Instant?
    private var cause: Cause?

    /// An attempt failed.
    ///
    /// - Returns: whether to log it.
    mutating func failed(_ error: any Error, at moment: ContinuousClock.Instant = .now) -> Bool {
        let before = cause
        cause = Cause(error)
        since = since ?? moment
        return cause != before
    }

    /// Whether only other services settle the log, because this login lacks the right.
    var isLeftToOthers: Bool { cause?.refusal == .permission }

    /// The log is settled.
    ///
    /// - Returns: how long the outage lasted; nil if there was none.
    mutating func ended(at moment: ContinuousClock.Instant = .now) -> Duration? {
        defer { (since, cause) = (nil, nil) }
        return since.map { moment - $0 }
    }
}
