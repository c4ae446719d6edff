public import Settings

extension Standby {
    /// Where a standby is, and how far it may be behind.
    public struct Options: Sendable {
        /// Its URL or libpq connection string. It may hold a password: never log it.
        public let database: String
        /// The age of the oldest event that it lacks, in seconds, beyond which the primary is read instead.
        public let lagLimit: Double

        /// Reads the settings; nil without a standby.
        public init?(_ settings: SettingsReader) {
            let database = settings.text(
                "reports.database_url",
                isSecret: true,
                "a standby to read reports and exports of events from; default: the database"
            )
            lagLimit = settings.number(
                "reports.standby_lag_seconds",
                default: 60,
                atLeast: 0,
                "lag of the standby beyond which the database is read instead"
            )
            guard let database, !database.isEmpty else { return nil }
            self.database = database
        }
    }
}
