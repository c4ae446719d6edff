extension Device {
    /// The app asks for permission: mostly by the system's question, sometimes provisionally, which asks nobody.
    mutating func ask(at time: Int64, _ outbox: inout Outbox) {
        guard isInstalled, settings.authorization == .notDetermined else { return }
        prompt(at: time - 3 * Span.second, continued: true, &outbox)
        let provisionally = hardware.hasBannerOption && random.chance(0.1)
        let failed = random.chance(0.004)
        let willing = ghosts.isEmpty ? isTelephone ? 0.57 : 0.7 : 0.85
        let granted = !failed && (provisionally || random.chance(willing + persuasion))
        begin(.authorizationRequest, at: time, &outbox)
        let options = ["alert", "badge", "sound"]
        outbox.line.strings(
            "options",
            provisionally ? options + ["provisional", "provides_app_notification_settings"] : options
        )
        outbox.line.boolean("granted", granted)
        if release.tellsStatusBefore { outbox.line.string("status_before", settings.authorization.name) }
        if failed { outbox.line.string("error", "notifications_not_allowed") }
        finish(.authorizationRequest, at: time, &outbox)
        guard !failed else { return }
        settings.authorization = granted ? provisionally ? .provisional : .authorized : .denied
        settings.personalise(&random)
        reportSettings(at: time + 900 * Span.millisecond, &outbox)
        setReminder(at: time + 2 * Span.second, &outbox)
        if provisionally { planConversion(after: time) }
    }

    /// A provisional notification asks whether to keep or turn off; many never answer.
    private mutating func planConversion(after time: Int64) {
        var decided = settings
        let draw = random.unit()
        guard draw < 0.45 else { return }
        decided.authorization = draw < 0.32 ? .authorized : .denied
        let delay = Span.minutes(random.logNormal(median: 4 * 1_440, sigma: 0.7))
        agenda.add(.change(decided), at: person.awakeTime(time + delay, in: zone, &random))
    }

    /// The person changes the settings, which the app learns when it next runs.
    mutating func change(to changed: Settings) {
        guard isInstalled, settings.authorization != .notDetermined else { return }
        settings = changed
    }

    mutating func reportSettings(at time: Int64, _ outbox: inout Outbox) {
        guard hardware.hasUserNotifications else { return }
        begin(.settings, at: time, &outbox)
        settings.write(to: &outbox.line, raw: release.sendsRawIntegers)
        finish(.settings, at: time, &outbox)
        reportedSettings = settings
        reportedSettingsAt = time
    }
}
