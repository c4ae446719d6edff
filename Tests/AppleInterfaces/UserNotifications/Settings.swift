// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// Apple: UNAuthorizationStatus
public enum UNAuthorizationStatus: Int, Sendable {
    case notDetermined, denied, authorized, provisional, ephemeral
}

/// Apple: UNNotificationSetting
public enum UNNotificationSetting: Int, Sendable {
    case notSupported, disabled, enabled
}

/// Apple: UNAlertStyle
public enum UNAlertStyle: Int, Sendable {
    case none, banner, alert
}

/// Apple: UNShowPreviewsSetting
public enum UNShowPreviewsSetting: Int, Sendable {
    case always, whenAuthenticated, never
}

/// Apple: UNNotificationSettings; settable here, for tests.
open class UNNotificationSettings: NSObject, @unchecked Sendable {
    public var authorizationStatus = UNAuthorizationStatus.notDetermined
    public var soundSetting = UNNotificationSetting.notSupported
    public var badgeSetting = UNNotificationSetting.notSupported
    public var alertSetting = UNNotificationSetting.notSupported
    public var notificationCenterSetting = UNNotificationSetting.notSupported
    public var lockScreenSetting = UNNotificationSetting.notSupported
    public var carPlaySetting = UNNotificationSetting.notSupported
    public var alertStyle = UNAlertStyle.none
    public var showPreviewsSetting = UNShowPreviewsSetting.always
    public var criticalAlertSetting = UNNotificationSetting.notSupported
    public var providesAppNotificationSettings = false
    public var announcementSetting = UNNotificationSetting.notSupported
    public var timeSensitiveSetting = UNNotificationSetting.notSupported
    public var scheduledDeliverySetting = UNNotificationSetting.notSupported
    public var directMessagesSetting = UNNotificationSetting.notSupported
}

/// Apple: UNAuthorizationOptions
public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = UNAuthorizationOptions(rawValue: 1)
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    public static let alert = UNAuthorizationOptions(rawValue: 4)
    public static let provisional = UNAuthorizationOptions(rawValue: 64)
}

/// Apple: UNNotificationPresentationOptions
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let badge = UNNotificationPresentationOptions(rawValue: 1)
    public static let sound = UNNotificationPresentationOptions(rawValue: 2)
    public static let list = UNNotificationPresentationOptions(rawValue: 8)
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}
