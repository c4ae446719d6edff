/// The device's notification settings for the app, as the person has them now.
struct Settings: Equatable {
    enum Authorization: Int {
        case notDetermined
        case denied
        case authorized
        case provisional

        var name: String {
            switch self {
            case .notDetermined: "not_determined"
            case .denied: "denied"
            case .authorized: "authorized"
            case .provisional: "provisional"
            }
        }

        var allowsAlerts: Bool { self == .authorized || self == .provisional }
    }

    var authorization = Authorization.notDetermined
    var sound = true
    var badge = true
    var lockScreen = true
    var announcement = false
    var scheduledDelivery = false
    var timeSensitive = true
    var alertStyle = 1
    var showPreviews = 0

    /// What people change besides: few leave all as it comes.
    mutating func personalise(_ random: inout DeterministicGenerator) {
        sound = !random.chance(0.16)
        badge = !random.chance(0.08)
        lockScreen = !random.chance(0.06)
        announcement = random.chance(0.12)
        scheduledDelivery = random.chance(0.05)
        alertStyle = random.chance(0.06) ? 0 : random.chance(0.05) ? 2 : 1
        showPreviews = [0, 1, 2][random.index(weights: [35, 55, 10])]
    }
}
