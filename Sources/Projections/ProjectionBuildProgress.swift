/// How far a version that is built beside the one that serves has come.
public struct ProjectionBuildProgress: Sendable, Equatable {
    /// It began after this position of the log: the first that the log still holds.
    public var begunAfter: Int64
    /// Applied up to here.
    public var position: Int64
    /// How far the log was settled a moment ago.
    public var target: Int64

    /// From 0 to 1.
    public var fraction: Double {
        target > begunAfter ? min(1, max(0, Double(position - begunAfter) / Double(target - begunAfter))) : 1
    }

    /// ``fraction`` in whole hundredths, rounded down.
    public var percent: Int { Int(fraction * 100) }
}

/// Why a version could not be built or swapped, where it is not the database's doing.
public struct ProjectionBuildError: Error, Sendable, CustomStringConvertible {
    /// What happened, and what to do.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
