/// What a standby is to its primary, as it was last seen.
public struct StandbyStatus: Sendable, Equatable {
    /// Whether it can be read, and if not, why.
    public enum State: String, Sendable {
        /// It has not been compared with its primary yet.
        case unknown
        /// It replays what the primary writes, and is read.
        case following
        /// It replays, but is further behind than it may be.
        case behind
        /// It does not answer, or accepts no connections yet.
        case away
        /// It is no standby any more, or never was: it takes writes of its own.
        case promoted
        /// It is a standby of another database, or of another history of this one.
        case foreign
    }

    /// How far it is behind its primary.
    public struct Lag: Sendable, Equatable {
        /// Of the write-ahead log, written by the primary and not replayed.
        public var bytes: Int64
        /// Settled on the primary and not on the standby.
        public var positions: Int64
        /// The age of the oldest event that is not settled on the standby, in seconds; 0 if there is none.
        public var seconds: Double
    }

    /// Whether it can be read.
    public var state: State
    /// How far it is behind; nil while one of the two does not answer.
    public var lag: Lag?
    /// Why one of the two did not answer, without names and addresses; nil if both did.
    public var cause: String?

    /// What that means for reports, in one sentence; nil while they are read from the standby.
    public var problem: String? {
        let because = cause.map { " (\($0))" } ?? ""
        let otherwise = "reports are read from the primary"
        return switch state {
        case .following: nil
        case .unknown: "the standby has not been compared with the primary yet\(because): \(otherwise)"
        case .behind: "the standby is too far behind: \(otherwise) until it has caught up"
        case .away: "the standby does not answer\(because): \(otherwise)"
        case .promoted: "the server was promoted and is no standby: \(otherwise)"
        case .foreign: "the server is not a standby of this database\(because): \(otherwise)"
        }
    }
}
