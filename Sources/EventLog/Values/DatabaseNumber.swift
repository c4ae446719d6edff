public import Postgres

/// A number of the database that has a type of its own, so that it cannot be taken for another.
public protocol DatabaseNumber: RawRepresentable, Hashable, Comparable, Codable, Sendable, PostgresDecodable,
    ExpressibleByIntegerLiteral, CustomStringConvertible
where RawValue: FixedWidthInteger & PostgresDecodable, IntegerLiteralType == RawValue.IntegerLiteralType {
    /// Makes it of the number.
    init(rawValue: RawValue)
}

extension DatabaseNumber {
    /// Makes it of the number.
    @inlinable
    public init(integerLiteral value: RawValue.IntegerLiteralType) {
        self.init(rawValue: RawValue(integerLiteral: value))
    }

    /// In the order of the numbers.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number.
    public var description: String { String(rawValue) }

    /// Reads the column type of the number.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> Self {
        Self(rawValue: try RawValue.decode(value))
    }
}
