// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import AppleCoreLocation
public import Foundation

/// Apple: UNNotificationTrigger
open class UNNotificationTrigger: NSObject, @unchecked Sendable {
    public let repeats: Bool

    /// For tests.
    public init(repeats: Bool) { self.repeats = repeats }
}

/// Apple: UNPushNotificationTrigger
open class UNPushNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {}

/// Apple: UNTimeIntervalNotificationTrigger
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    public let timeInterval: TimeInterval

    public init(timeInterval: TimeInterval, repeats: Bool) {
        self.timeInterval = timeInterval
        super.init(repeats: repeats)
    }

    open func nextTriggerDate() -> Date? { Date(timeIntervalSinceNow: timeInterval) }
}

/// Apple: UNCalendarNotificationTrigger
open class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    public let dateComponents: DateComponents

    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        self.dateComponents = dateComponents
        super.init(repeats: repeats)
    }

    open func nextTriggerDate() -> Date? {
        Calendar.current.nextDate(after: Date(), matching: dateComponents, matchingPolicy: .nextTime)
    }
}

/// Apple: UNLocationNotificationTrigger
open class UNLocationNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    public let region: CLRegion

    public init(region: CLRegion, repeats: Bool) {
        self.region = region
        super.init(repeats: repeats)
    }
}
