/// The progress of a version that is built beside the one in use.
public struct ProjectionBuildProgress: Sendable, Equatable {
    /// It began after this position of the log: the one before the first that the log still holds.
    public var begunAfter: Int64
    /// Applied up to this position.
    public var position: Int64
    /// The settled position a moment ago.
    public var target: Int64

    /// From 0 to 1.
    public var fraction: Double {
        target > begunAfter ? min(1, max(0, Double(position - begunAfter) / Double(target - begunAfter))) : 1
    }

    /// ``fraction`` in whole hundredths, rounded down.
    public var percent: Int { Int(fraction * 100) }
}

/// Why a version could not be built or swapped, apart from errors of the database.
public struct ProjectionBuildError: Error, Sendable, CustomStringConvertible {
    /// What happened, and what to do.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
