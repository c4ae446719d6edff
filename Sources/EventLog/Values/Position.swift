public import Postgres

/// A position of the log: events are numbered from 1 on, in the order in which positions were drawn.
public struct Position: DatabaseNumber {
    /// As `log.event` has it.
    public let rawValue: Int64

    /// Makes a position of its number.
    @inlinable
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Before the first event.
    public static let start = Position(rawValue: 0)
}

extension Parameter {
    /// `bigint`.
    public static func position(_ position: Position?) -> Parameter {
        .int8(position?.rawValue)
    }
}
