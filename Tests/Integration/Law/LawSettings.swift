/// The settings of a device that were in force when a notification was counted, worked out from its snapshots.
struct LawSettings {
    /// The dimensions, each with the name that a settings event has for it.
    static let names = [
        "authorization_status": "authorization_status", "alert_style": "alert_style", "lock_screen": "lock_screen",
        "notification_center": "notification_center", "sound_setting": "sound", "badge_setting": "badge",
        "time_sensitive_setting": "time_sensitive", "scheduled_delivery": "scheduled_delivery",
        "show_previews": "show_previews",
    ]

    private let said: LawValue?

    init(_ notification: LawNotification) {
        said = notification.cohortAt.flatMap { notification.devices.settings(of: notification.device, at: $0) }
    }

    /// A setting by its dimension; `unknown` where no snapshot tells.
    subscript(name: String) -> String { Self.names[name].flatMap { said?[$0]?.string } ?? "unknown" }

    /// As the column of `notification` holds them.
    var packed: Int {
        let support = ["not_supported", "disabled", "enabled"]
        let places: [(name: String, words: [String])] = [
            ("show_previews", ["always", "when_authenticated", "never"]), ("scheduled_delivery", support),
            ("time_sensitive_setting", support), ("badge_setting", support), ("sound_setting", support),
            ("notification_center", support), ("lock_screen", support), ("alert_style", ["none", "banner", "alert"]),
            ("authorization_status", ["not_determined", "denied", "authorized", "provisional", "ephemeral"]),
        ]
        return places.reduce(0) { packed, place in
            let number = place.words.firstIndex(of: self[place.name]).map { $0 + 1 } ?? 0
            return packed * (place.name == "authorization_status" ? 8 : 4) + number
        }
    }
}
