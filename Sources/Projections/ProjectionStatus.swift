/// How far a projection is.
public struct ProjectionStatus: Sendable, Equatable {
    /// The projection's name.
    public var name: String
    /// The projection whose checkpoint it shares; its own name where it has one itself.
    public var leader: String
    /// Every event up to this position is applied.
    public var position: Int64
    /// Positions of the log beyond it; at most as many events.
    public var lagEvents: Int64
    /// The age of the oldest event not applied, since its `received_at`; 0 where there is none.
    public var lagSeconds: Double
    /// Why the last batch could not be applied; nil where it was.
    public var failure: String?
    /// Whether it was told to stand still.
    public var isPaused: Bool
    /// When its checkpoint last moved, microseconds since 1970.
    public var updatedAt: Int64
    /// Events that it could not apply and went on without.
    public var setAside: Int64 = 0
    /// How far its next version is; nil where none is being built, or waits to be taken up.
    public var rebuild: ProjectionBuildProgress?

    /// What it is doing, in a word: `failing`, `paused`, `rebuilding` or `live`.
    public var state: String {
        if failure != nil { return "failing" }
        if isPaused { return "paused" }
        return rebuild == nil ? "live" : "rebuilding"
    }
}
