public import Settings

extension Quarantine.Limits {
    /// Reads the settings of the quarantine.
    public init(_ settings: SettingsReader) {
        let standard = Self()
        self.init(
            days: settings.integer(
                "quarantine.days",
                default: standard.days,
                atLeast: 1,
                atMost: 36_500,
                "how long rejected items are kept"
            ),
            itemsPerApp: settings.integer(
                "quarantine.items_per_app",
                default: standard.itemsPerApp,
                atLeast: 0,
                atMost: 1_000_000_000,
                "maximum number of rejected items of each app"
            ),
            bytesPerApp: settings.integer(
                "quarantine.bytes_per_app",
                default: standard.bytesPerApp,
                atLeast: 0,
                atMost: 1 << 50,
                "maximum bytes of rejected items of each app"
            )
        )
    }
}
