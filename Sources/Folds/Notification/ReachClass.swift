/// How the settings in force let a notification reach a person, the first that applies: the SQL function `reporting.reach_class`
/// for a push to a token that has not ended. Unknown where a setting that decides is.
package enum ReachClass: Sendable {
    case none, unknown, summaryOnly, banner, lockScreenOnly, listOnly, badgeOrSoundOnly

    init(_ settings: SettingsInForce, isCritical: Bool, isTimeSensitive: Bool) {
        self =
            switch settings.authorizationStatus {
            case .unknown: .unknown
            case .notDetermined, .denied: .none
            case .allowed:
                switch Self.isKept(settings, isCritical: isCritical, isTimeSensitive: isTimeSensitive) {
                case nil: .unknown
                case true?: .summaryOnly
                case false?: Self.shown(settings)
                }
            }
    }

    /// Whether it waits for the scheduled summary, which takes what is neither critical nor time-sensitive with that setting on;
    /// nil where that is not known.
    private static func isKept(_ settings: SettingsInForce, isCritical: Bool, isTimeSensitive: Bool) -> Bool? {
        if isCritical || isTimeSensitive && settings.timeSensitive == .enabled { return false }
        switch settings.scheduledDelivery {
        case .notSupported, .disabled: return false
        case .unknown: return nil
        case .enabled: return isTimeSensitive && settings.timeSensitive == .unknown ? nil : true
        }
    }

    /// Where it shows, once nothing keeps it back.
    private static func shown(_ settings: SettingsInForce) -> ReachClass {
        switch settings.alertStyle {
        case .unknown: return .unknown
        case .banner, .alert: return .banner
        case .none: break
        }
        for (setting, reachClass) in [(settings.lockScreen, lockScreenOnly), (settings.notificationCenter, listOnly)] {
            if setting == .unknown { return .unknown }
            if setting == .enabled { return reachClass }
        }
        if settings.sound == .enabled || settings.badge == .enabled { return .badgeOrSoundOnly }
        return settings.sound == .unknown || settings.badge == .unknown ? .unknown : .none
    }
}
