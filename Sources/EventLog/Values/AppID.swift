public import Postgres

/// The number of an app in the database, `app_id`: whose events, keys and devices are meant.
public struct AppID: RawRepresentable, Hashable, Sendable {
    /// As `notilog.app` has it.
    public let rawValue: Int32

    /// Makes an id of its number.
    @inlinable
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}

extension AppID: ExpressibleByIntegerLiteral {
    /// Makes an id of its number.
    @inlinable
    public init(integerLiteral value: Int32) {
        self.init(rawValue: value)
    }
}

extension AppID: Comparable {
    /// In the order of their numbers.
    @inlinable
    public static func < (left: AppID, right: AppID) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension AppID: CustomStringConvertible {
    /// The number.
    public var description: String { String(rawValue) }
}

extension AppID: Codable {}

extension AppID: PostgresDecodable {
    /// Reads `integer`.
    public static func decode(_ value: ColumnValue) throws(PostgresError) -> AppID {
        AppID(rawValue: try Int32.decode(value))
    }
}

extension Parameter {
    /// `integer`.
    public static func app(_ app: AppID) -> Parameter {
        .int4(app.rawValue)
    }

    /// `integer[]`.
    public static func apps(_ apps: [AppID]) -> Parameter {
        .int4s(apps.map(\.rawValue))
    }
}
