/// Platform, model and system of a device.
struct Hardware {
    let platform: String
    let model: String
    var system: String
    /// The system that a device on an up-to-date one gets in the course of the simulation.
    let systemUpdate: String

    /// iOS before 10 has no UserNotifications: its delegate gets taps in another way, and often twice.
    var hasUserNotifications: Bool { system != Self.last9 }
    /// From iOS 14 an app asks for list and banner where it asked for alert before.
    var hasBannerOption: Bool { ![Self.last9, "12.5.7"].contains(system) }
    /// Scenes came with iOS 13.
    var hasScenes: Bool { platform != "watchos" && hasBannerOption }
    var takesServiceExtension: Bool { (platform == "ios" || platform == "ipados") && hasUserNotifications }

    private static let last9 = "9.3.5"

    init(from random: inout DeterministicGenerator) {
        switch random.index(weights: [845, 75, 45, 35]) {
        case 0:
            platform = "ios"
            system =
                ["26.1", "18.6.2", "17.7.1", "16.7.11", "15.8.4", "12.5.7", Self.last9][
                    random.index(weights: [42, 31, 13, 7, 4, 1, 2])
                ]
            systemUpdate = "26.2"
            model =
                system == Self.last9
                ? "iPhone4,1"
                : system == "12.5.7"
                    ? "iPhone7,2"
                    : ["iPhone17,1", "iPhone16,2", "iPhone15,4", "iPhone14,5", "iPhone13,2", "iPhone12,8"][
                        random.index(weights: [20, 18, 20, 18, 14, 10])
                    ]
        case 1:
            platform = "ipados"
            system = ["26.1", "18.6.2", "17.7.10"][random.index(weights: [45, 40, 15])]
            systemUpdate = "26.2"
            model = ["iPad14,8", "iPad13,18", "iPad16,3"][random.index(weights: [3, 4, 2])]
        case 2:
            platform = "watchos"
            system = ["26.1", "11.6.1", "10.6.1"][random.index(weights: [5, 4, 1])]
            systemUpdate = "26.2"
            model = ["Watch7,5", "Watch6,14"][random.index(weights: [1, 1])]
        default:
            platform = "macos"
            system = ["26.1", "15.7.1", "14.8.1"][random.index(weights: [4, 4, 2])]
            systemUpdate = "26.2"
            model = ["Mac15,3", "Mac14,2", "Mac16,10"][random.index(weights: [3, 4, 2])]
        }
    }

    /// Releases that the system can run.
    var newestRelease: Release { hasBannerOption ? .new : .old }
}
