public import Postgres

/// A position of the log: events are numbered from 1 on, in the order in which positions were drawn.
public struct Position: RawRepresentable, Hashable, Sendable {
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

extension Position: ExpressibleByIntegerLiteral {
    /// Makes a position of its number.
    @inlinable
    public init(integerLiteral value: Int64) {
        self.init(rawValue: value)
    }
}

extension Position: Comparable {
    /// Whether one is before the other in the log.
    @inlinable
    public static func < (left: Position, right: Position) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Position: CustomStringConvertible {
    /// The number.
    public var description: String { String(rawValue) }
}

extension Position: Codable {}

extension Position: PostgresDecodable {
    /// Reads `bigint`.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> Position {
        Position(rawValue: try Int64.decode(value))
    }
}

extension Parameter {
    /// `bigint`.
    public static func position(_ position: Position?) -> Parameter {
        .int8(position?.rawValue)
    }
}
