// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// Apple: UNUserNotificationCenterDelegate, whose methods are optional there.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    )
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    )
    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
}

/// Apple: UNUserNotificationCenter. This one keeps what it is given, for tests to look at.
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private static let shared = UNUserNotificationCenter()
    open class func current() -> UNUserNotificationCenter { shared }

    open weak var delegate: (any UNUserNotificationCenterDelegate)?

    public var pending: [UNNotificationRequest] = []
    public var delivered: [UNNotification] = []
    public var categories: Set<UNNotificationCategory> = []
    public var settings = UNNotificationSettings()
    public var failure: (any Error)?

    open func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        // Who is asked agrees. After an answer nobody is asked again.
        if failure == nil, [.notDetermined, .provisional].contains(settings.authorizationStatus) {
            settings.authorizationStatus = options.contains(.provisional) ? .provisional : .authorized
        }
        completionHandler(failure == nil, failure)
    }

    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) { self.categories = categories }

    open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        completionHandler(settings)
    }

    open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        if failure == nil { pending.append(request) }
        completionHandler?(failure)
    }

    open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        pending.removeAll { identifiers.contains($0.identifier) }
    }

    open func removeAllPendingNotificationRequests() { pending = [] }

    open func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        completionHandler(delivered)
    }

    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        delivered.removeAll { identifiers.contains($0.request.identifier) }
    }

    open func removeAllDeliveredNotifications() { delivered = [] }
}

/// Apple: UNNotificationServiceExtension
open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}

    open func serviceExtensionTimeWillExpire() {}
}
