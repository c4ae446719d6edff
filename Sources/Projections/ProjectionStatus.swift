/// The progress of a projection.
public struct ProjectionStatus: Sendable, Equatable {
    /// The projection's name.
    public var name: String
    /// The projection whose checkpoint it shares; its own name if it has its own.
    public var leader: String
    /// Every event up to this position is applied.
    public var position: Int64
    /// The number of positions of the log beyond it, an upper bound of the number of events.
    public var lagEvents: Int64
    /// The age of the oldest event not applied, since its `received_at`; 0 if there is none.
    public var lagSeconds: Double
    /// Why the last batch failed; nil if it was applied.
    public var failure: String?
    /// Whether it is paused.
    public var isPaused: Bool
    /// When its checkpoint last moved, microseconds since 1970.
    public var updatedAt: Int64
    /// The number of events that it has set aside.
    public var setAside: Int64 = 0
    /// The progress of its next version; nil if none is under construction.
    public var rebuild: ProjectionBuildProgress?
    /// Up to where each of its lanes is complete; ``position`` is the lowest. Empty if it was never applied.
    public var lanes: [Int64] = []

    /// Its state in a word: `failing`, `paused`, `rebuilding` or `live`.
    public var state: String {
        if failure != nil { return "failing" }
        if isPaused { return "paused" }
        return rebuild == nil ? "live" : "rebuilding"
    }
}
