/// How far the settings in force let a notification come, asked one after the other.
enum LawReach: String {
    case none
    case deadToken = "dead_token"
    case unknown
    case summaryOnly = "summary_only"
    case banner
    case lockScreenOnly = "lock_screen_only"
    case listOnly = "list_only"
    case badgeOrSoundOnly = "badge_or_sound_only"

    init(_ notification: LawNotification, _ tokens: LawTokens) {
        self.init(notification, isDead: notification.isPush && tokens.hasEnded(all: notification))
    }

    /// - Parameter isDead: whether it went to ended tokens alone.
    init(_ notification: LawNotification, isDead: Bool) {
        let settings = LawSettings(notification)
        if ["denied", "not_determined"].contains(settings["authorization_status"]) {
            self = .none
        } else if isDead {
            self = .deadToken
        } else if settings["authorization_status"] == "unknown" {
            self = .unknown
        } else if let kept = Self.isKept(settings, notification.interruptionLevel) {
            self = kept ? .summaryOnly : Self.shown(settings)
        } else {
            self = .unknown
        }
    }

    /// Whether it waits for the scheduled summary; nil where that is not known.
    private static func isKept(_ settings: LawSettings, _ level: String?) -> Bool? {
        guard level != "critical" else { return false }
        var isHurried: Bool? = false
        if level == "time_sensitive" {
            let setting = settings["time_sensitive_setting"]
            isHurried = setting == "unknown" ? nil : setting == "enabled"
        }
        switch (settings["scheduled_delivery"], isHurried) {
        case ("disabled", _), ("not_supported", _), (_, true): return false
        case ("enabled", false): return true
        default: return nil
        }
    }

    private static func shown(_ settings: LawSettings) -> LawReach {
        switch settings["alert_style"] {
        case "unknown": return .unknown
        case "banner", "alert": return .banner
        default: break
        }
        for (name, place) in [("lock_screen", LawReach.lockScreenOnly), ("notification_center", .listOnly)] {
            if settings[name] == "enabled" { return place }
            if settings[name] == "unknown" { return .unknown }
        }
        let rest = [settings["sound_setting"], settings["badge_setting"]]
        if rest.contains("enabled") { return .badgeOrSoundOnly }
        return rest.contains("unknown") ? .unknown : .none
    }
}

extension LawTokens {
    /// Whether the requests of a notification all name a token, and each of these was ended when it was counted.
    ///
    /// - Parameter isReplaced: whether a token that the device replaced by another counts as ended.
    func hasEnded(all notification: LawNotification, isReplaced: Bool = true) -> Bool {
        every(of: notification, supersedes: isReplaced) { $0.endedAt != nil }
    }

    /// The same of tokens that were misdirected.
    func isMisdirected(all notification: LawNotification) -> Bool {
        every(of: notification, supersedes: true) { $0.misdirections.contains { !$0.isAcceptedSince } }
    }

    /// Whether the device of a notification had registered a token when it was counted, which had not ended under every key.
    func isAlive(_ token: String?, for notification: LawNotification) -> Bool {
        guard let token, let cohort = notification.cohortAt else { return false }
        let own = lives(before: cohort + 1).filter { $0.key.device == notification.device && $0.key.token == token }
        return own.values.contains { $0.last.map { $0.endedAt == nil } ?? false }
    }

    private func every(of notification: LawNotification, supersedes: Bool, _ isSo: (Life) -> Bool) -> Bool {
        guard let cohort = notification.cohortAt, !notification.requests.isEmpty else { return false }
        let known = lives(before: cohort + 1, supersedes: supersedes)
        return Set(notification.requests.map(\.token)).allSatisfy { token in
            guard let token else { return false }
            let own = known.filter { $0.key.device == notification.device && $0.key.token == token }
            return !own.isEmpty && own.values.allSatisfy { $0.last.map(isSo) ?? false }
        }
    }
}
