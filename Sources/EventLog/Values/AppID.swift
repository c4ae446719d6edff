public import Postgres

/// The number of an app in the database (`app_id`).
public struct AppID: DatabaseNumber {
    /// As `notilog.app` has it.
    public let rawValue: Int32

    /// Makes an id of its number.
    @inlinable
    public init(rawValue: Int32) {
        self.rawValue = rawValue
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
