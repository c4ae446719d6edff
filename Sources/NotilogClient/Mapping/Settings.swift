extension Notilog {
    /// The recorded part of a `UNNotificationSettings`: the raw value of each setting; `nil` if this system does not
    /// have it.
    public struct Settings: Sendable, Hashable {
        /// `authorizationStatus`
        public var authorizationStatus: Int?
        /// `alertSetting`
        public var alert: Int?
        /// `soundSetting`
        public var sound: Int?
        /// `badgeSetting`
        public var badge: Int?
        /// `lockScreenSetting`
        public var lockScreen: Int?
        /// `notificationCenterSetting`
        public var notificationCenter: Int?
        /// `carPlaySetting`
        public var carPlay: Int?
        /// `criticalAlertSetting`
        public var criticalAlert: Int?
        /// `announcementSetting`
        public var announcement: Int?
        /// `timeSensitiveSetting`
        public var timeSensitive: Int?
        /// `scheduledDeliverySetting`
        public var scheduledDelivery: Int?
        /// `directMessagesSetting`
        public var directMessages: Int?
        /// `alertStyle`
        public var alertStyle: Int?
        /// `showPreviewsSetting`
        public var showPreviews: Int?
        /// `providesAppNotificationSettings`
        public var providesAppNotificationSettings: Bool?
        /// `ActivityAuthorizationInfo.areActivitiesEnabled`
        public var liveActivities: Bool?

        /// Creates settings without any values.
        public init() {}

        var rawValues: [(String, Int?)] {
            [
                ("authorization_status", authorizationStatus), ("alert", alert), ("sound", sound), ("badge", badge),
                ("lock_screen", lockScreen), ("notification_center", notificationCenter), ("car_play", carPlay),
                ("critical_alert", criticalAlert), ("announcement", announcement), ("time_sensitive", timeSensitive),
                ("scheduled_delivery", scheduledDelivery), ("direct_messages", directMessages),
                ("alert_style", alertStyle), ("show_previews", showPreviews),
            ]
        }
    }
}
