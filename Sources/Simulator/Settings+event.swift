extension Settings {
    /// Writes the fields of a settings event: all of `UNNotificationSettings`, by name, or as the framework's raw
    /// integers.
    func write(to line: inout JSONLine, raw: Bool) {
        Self.value("authorization_status", authorization.rawValue, authorization.name, &line, raw)
        let granted = authorization == .authorized
        let quiet = authorization == .provisional
        Self.setting("alert", granted && alertStyle > 0, &line, raw)
        Self.setting("sound", granted && sound, &line, raw)
        Self.setting("badge", granted && badge, &line, raw)
        Self.setting("lock_screen", granted && lockScreen, &line, raw)
        Self.setting("notification_center", granted || quiet, &line, raw)
        Self.value("car_play", 0, "not_supported", &line, raw)
        Self.value("critical_alert", 0, "not_supported", &line, raw)
        if !raw {
            Self.setting("announcement", granted && announcement, &line, raw)
            Self.setting("time_sensitive", granted && timeSensitive, &line, raw)
            Self.setting("scheduled_delivery", granted && scheduledDelivery, &line, raw)
            Self.value("direct_messages", 0, "not_supported", &line, raw)
        }
        let style = granted ? alertStyle : 0
        Self.value("alert_style", style, ["none", "banner", "alert"][style], &line, raw)
        Self.value("show_previews", showPreviews, ["always", "when_authenticated", "never"][showPreviews], &line, raw)
        line.boolean("provides_app_notification_settings", true)
    }

    private static func setting(_ key: StaticString, _ isOn: Bool, _ line: inout JSONLine, _ raw: Bool) {
        value(key, isOn ? 2 : 1, isOn ? "enabled" : "disabled", &line, raw)
    }

    private static func value(_ key: StaticString, _ number: Int, _ name: String, _ line: inout JSONLine, _ raw: Bool) {
        if raw { line.integer(key, number) } else { line.string(key, name) }
    }
}
