public import NotificationEvents

/// A partition of the log that retention may drop, has dropped, or has to keep.
public struct RetentionStep: Sendable, Equatable {
    /// The partition's table in the schema `log`.
    public var partition: String
    /// It holds events received from this time on,
    public var from: Timestamp
    /// and before this time.
    public var to: Timestamp
    /// Its size on disk with its indexes, in bytes.
    public var bytes: Int64
    /// The readers that have not passed it, each with its position; empty if it may be dropped.
    public var heldBy: [String]
    /// The number of events it held; nil until it is dropped.
    public var events: Int64?
}

/// Why retention stopped. The next run resumes it.
public struct RetentionError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Kind { case busy, held, locked, baseline }
    private let kind: Kind
    /// What happened and what to do, in one sentence.
    public let description: String

    /// Another process is running retention.
    public var isBusy: Bool { kind == .busy }
    /// A projection or another reader of the log has not passed a partition.
    public var isHeld: Bool { kind == .held }
    /// An open transaction keeps a partition from being dropped.
    public var isLocked: Bool { kind == .locked }

    static let busy = RetentionError(
        kind: .busy,
        description: "another process is running retention: wait until it ends"
    )

    static func held(_ step: RetentionStep) -> RetentionError {
        RetentionError(
            kind: .held,
            description: "partition \(step.partition) is held by \(step.heldBy.joined(separator: ", ")): "
                + "see `notilog projections list` and `notilog export cursors list`, and run retention again when they have passed it"
                + advice(step)
        )
    }

    /// What ends the wait for a version beside the one in use, which has passed the partition only when it is done.
    private static func advice(_ step: RetentionStep) -> String {
        let rebuild = step.heldBy.lazy.compactMap {
            $0.firstMatch(of: /^version projection_next_([a-z_]+)\./)?.output.1
        }.first
        if let rebuild { return "; `notilog projections rebuild \(rebuild)` continues a rebuild that was stopped" }
        return step.heldBy.contains { $0.hasPrefix("version projection_verify_") }
            ? "; a verification is under way: wait for it, or stop it" : ""
    }

    static func locked(_ partition: String, by pids: String) -> RetentionError {
        RetentionError(
            kind: .locked,
            description: "partition \(partition) is in use by open transactions (server processes \(pids)): "
                + "end them and run retention again"
        )
    }

    static func baseline(_ leader: String, _ reason: String) -> RetentionError {
        RetentionError(kind: .baseline, description: "the baseline of \(leader) \(reason)")
    }

    static func ofAnotherRelease(_ leader: String) -> RetentionError {
        baseline(leader, "belongs to another release: run retention with the release that migrated the database")
    }
}
