public import NotificationEvents

/// A partition of the log that retention may drop, has dropped, or has to leave.
public struct RetentionStep: Sendable, Equatable {
    /// The partition's table in the schema `log`.
    public var partition: String
    /// What was received from this moment on is in it;
    public var from: Timestamp
    /// and what was received before this one.
    public var to: Timestamp
    /// What it takes on disk with its indexes.
    public var bytes: Int64
    /// Whoever has still to read in it, each with the position reached; empty where it may go.
    public var heldBy: [String]
    /// How many events it held; nil until it is dropped.
    public var events: Int64?
}

/// Why retention did not go on. What it has begun it takes up again the next time.
public struct RetentionError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Kind { case busy, held, locked, baseline }
    private let kind: Kind
    /// What happened and what to do, in one sentence.
    public let description: String

    /// Whether another process is at it.
    public var isBusy: Bool { kind == .busy }
    /// Whether a partition has still to be read, by a projection or by whoever else reads the log.
    public var isHeld: Bool { kind == .held }
    /// Whether a transaction that has been open all the while keeps a partition from being dropped.
    public var isLocked: Bool { kind == .locked }

    static let busy = RetentionError(kind: .busy, description: "another process is running retention: let it finish")

    static func held(_ step: RetentionStep) -> RetentionError {
        RetentionError(
            kind: .held,
            description: "partition \(step.partition) is held back by \(step.heldBy.joined(separator: ", ")): "
                + "see `notilog projections list`, and run retention again when they have passed it"
        )
    }

    static func locked(_ partition: String, by pids: String) -> RetentionError {
        RetentionError(
            kind: .locked,
            description: "partition \(partition) is in use by transactions that do not end (server processes \(pids)): "
                + "end them and run retention again"
        )
    }

    static func baseline(_ leader: String, _ reason: String) -> RetentionError {
        RetentionError(kind: .baseline, description: "the baseline of \(leader) \(reason)")
    }
}
