#if canImport(UserNotifications)
    public import UserNotifications

    extension Notilog.Settings {
        /// Creates settings from a `UNNotificationSettings`, as far as this system has them.
        public init(_ settings: UNNotificationSettings) {
            self.init()
            authorizationStatus = settings.authorizationStatus.rawValue
            #if !os(watchOS)
                badge = settings.badgeSetting.rawValue
            #endif
            #if !os(tvOS)
                sound = settings.soundSetting.rawValue
                alert = settings.alertSetting.rawValue
                notificationCenter = settings.notificationCenterSetting.rawValue
                criticalAlert = settings.criticalAlertSetting.rawValue
                timeSensitive = settings.timeSensitiveSetting.rawValue
                directMessages = settings.directMessagesSetting.rawValue
                scheduledDelivery = settings.scheduledDeliverySetting.rawValue
            #endif
            #if !os(tvOS) && !os(watchOS)
                lockScreen = settings.lockScreenSetting.rawValue
                alertStyle = settings.alertStyle.rawValue
                showPreviews = settings.showPreviewsSetting.rawValue
                providesAppNotificationSettings = settings.providesAppNotificationSettings
            #endif
            #if !os(tvOS) && !os(macOS)
                announcement = settings.announcementSetting.rawValue
            #endif
            #if !os(tvOS) && !os(macOS) && !os(watchOS) && !os(visionOS)
                carPlay = settings.carPlaySetting.rawValue
            #endif
            #if canImport(ActivityKit) && !os(macOS) && !os(visionOS) && !os(tvOS) && !os(watchOS)
                liveActivities = Self.areActivitiesEnabled
            #endif
        }
    }
#endif
