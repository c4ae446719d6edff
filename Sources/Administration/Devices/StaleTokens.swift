public import Postgres
public import Settings

/// After what time without a registration an active token is stale: derived when it is read, never stored.
public struct StaleTokens: Sendable {
    private let days: Int?

    /// Reads the setting.
    public init(_ settings: SettingsReader) {
        // The bounds are those of the parameter stale_after of the report tokens.
        days = settings.integer(
            "tokens.stale_days",
            atLeast: 1,
            atMost: 3650,
            "days without a registration after which an active token is stale; default: 270"
        )
    }

    /// The database with the days in its sessions' settings: `reporting.stale_after` reads them there, for the report
    /// `tokens` and for devices alike.
    public func applied(to database: ConnectionConfiguration) -> ConnectionConfiguration {
        guard let days else { return database }
        return database.with(settings: ["notilog.token_stale_days": String(days)])
    }
}
