public import Foundation
import NotificationEvents

/// What happened to the device's permission, settings, token and categories.
extension Notilog.Event {
    /// The app asked for permission (Apple: `requestAuthorization(options:)`).
    ///
    /// - Parameters:
    ///   - options: the raw value of `UNAuthorizationOptions`.
    ///   - granted: the answer.
    ///   - error: the error of the request.
    ///   - statusBefore: the raw value of `UNAuthorizationStatus` just before the request. The person is asked once,
    ///     and asking again returns the old answer.
    ///   - date: when the app asked.
    public static func authorization(
        options: UInt,
        granted: Bool,
        error: (any Error)? = nil,
        statusBefore: Int? = nil,
        at date: Date
    ) -> Self {
        Self("authorization_request", at: date)
            .with("options", Vocabulary.names(options, "options", of: .authorizationRequest))
            .with("granted", granted)
            .with("status_before", Vocabulary.name(statusBefore, "status_before", of: .authorizationRequest))
            .with("error", error.map { Failure($0).name })
    }

    /// The person opened the app's notification settings from the system's settings (Apple: `openSettingsFor`).
    public static func openSettings(at date: Date) -> Self {
        Self("open_settings", at: date)
    }

    /// The same, with its origin: a notification, or the system's settings if Apple passes no notification. The event's
    /// kind belongs to the device, so the origin and the category are in `attributes`.
    public static func openSettings(from notification: Notilog.Delivered?, at date: Date) -> Self {
        var way: [String: Notilog.Value] = ["opened_from": notification == nil ? "settings" : "notification"]
        if let category = notification?.request.content.categoryID, !category.isEmpty {
            way["category_id"] = .string(category)
        }
        return openSettings(at: date).with("attributes", .object(way))
    }

    /// The current settings (Apple: `UNNotificationSettings`).
    public static func settings(_ settings: Notilog.Settings, at date: Date) -> Self {
        var event = Self("settings", at: date)
            .with("provides_app_notification_settings", settings.providesAppNotificationSettings)
        for (name, raw) in settings.rawValues {
            event = event.with(name, Vocabulary.name(raw, name, of: .settings))
        }
        return event.with("live_activities", settings.liveActivities.map { $0 ? "enabled" : "disabled" })
    }

    /// The app registered its categories (Apple: `setNotificationCategories(_:)`).
    public static func categories(_ categories: [Notilog.Category], at date: Date) -> Self {
        // A set has no order; the event is the same each time all the same.
        let sorted = categories.sorted { $0.identifier < $1.identifier }
        return Self("category_registration", at: date, fields: ["categories": .list(sorted.map(\.value))])
    }

    /// The device received a token (Apple: `didRegisterForRemoteNotificationsWithDeviceToken`).
    ///
    /// - Parameters:
    ///   - token: the token from APNs. The service keeps only its digest.
    ///   - activityID: the Live Activity of the token; `nil` for the device token.
    ///   - topic: usually the app's bundle identifier.
    public static func token(
        _ token: Data,
        activityID: String? = nil,
        topic: String?,
        isSandbox: Bool,
        at date: Date
    ) -> Self {
        Self("token", at: date)
            .with("state", "registered")
            .with("provider", "apns")
            .with("token", String(hexadecimal: token))
            .with("type", activityID == nil ? nil : "live_activity")
            .with("activity_id", activityID)
            .with("topic", topic)
            .with("environment", isSandbox ? "sandbox" : "production")
    }

    /// The device received no token (Apple: `didFailToRegisterForRemoteNotificationsWithError`).
    public static func tokenFailure(_ error: any Error, topic: String?, isSandbox: Bool, at date: Date) -> Self {
        Self("token", at: date)
            .with("state", "registration_failed")
            .with("provider", "apns")
            .with("error", Failure(error).name)
            .with("topic", topic)
            .with("environment", isSandbox ? "sandbox" : "production")
    }
}
