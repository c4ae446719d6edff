/// The settings that a device had when a notification was counted, packed into one number: the column `settings` of
/// `notification`.
///
/// Each setting is the number of its word, 0 where no snapshot tells. The SQL function `reporting.settings_in_force` has the same
/// shifts and words.
package struct SettingsInForce: Equatable, Sendable {
    package private(set) var packed: Int32 = 0

    package init() {}

    /// - Parameter packed: as ``packed`` gave it.
    package init(packed: Int32) {
        self.packed = packed
    }

    private struct Setting: Sendable {
        /// As events name it.
        let key: StaticString
        let shift: Int32
        let words: [StaticString]
    }

    private static let support: [StaticString] = ["not_supported", "disabled", "enabled"]
    private static let all: [Setting] = [
        Setting(
            key: "authorization_status",
            shift: 0,
            words: ["not_determined", "denied", "authorized", "provisional", "ephemeral"]
        ),
        Setting(key: "alert_style", shift: 3, words: ["none", "banner", "alert"]),
        Setting(key: "lock_screen", shift: 5, words: support),
        Setting(key: "notification_center", shift: 7, words: support),
        Setting(key: "sound", shift: 9, words: support),
        Setting(key: "badge", shift: 11, words: support),
        Setting(key: "time_sensitive", shift: 13, words: support),
        Setting(key: "scheduled_delivery", shift: 15, words: support),
        Setting(key: "show_previews", shift: 17, words: ["always", "when_authenticated", "never"]),
    ]

    /// Takes in a member of a snapshot, as jsonb writes it.
    mutating func take(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        for setting in Self.all where key.isWord(setting.key) {
            if let word = setting.words.firstIndex(where: { value.isString($0) }) {
                packed |= Int32(word + 1) << setting.shift
            }
        }
    }

    /// authorization_status is denied.
    var isDenied: Bool { authorizationStatus == .denied }

    enum AuthorizationStatus { case unknown, notDetermined, denied, allowed }

    /// Authorized, provisional and ephemeral are allowed.
    var authorizationStatus: AuthorizationStatus {
        switch packed & 7 {
        case 0: .unknown
        case 1: .notDetermined
        case 2: .denied
        default: .allowed
        }
    }

    enum AlertStyle: Int32 { case unknown, none, banner, alert }

    var alertStyle: AlertStyle { AlertStyle(rawValue: packed >> 3 & 3) ?? .unknown }

    enum Support: Int32 { case unknown, notSupported, disabled, enabled }

    var lockScreen: Support { support(5) }
    var notificationCenter: Support { support(7) }
    var sound: Support { support(9) }
    var badge: Support { support(11) }
    var timeSensitive: Support { support(13) }
    var scheduledDelivery: Support { support(15) }

    private func support(_ shift: Int32) -> Support { Support(rawValue: packed >> shift & 3) ?? .unknown }
}
