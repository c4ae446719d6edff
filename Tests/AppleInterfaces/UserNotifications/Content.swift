// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

// The interfaces of Apple's UserNotifications that NotilogClient uses, written from their documentation, so that the code
// for Apple's platforms is compiled and run on Linux too. What Apple's classes do not offer, an initialiser for tests, is
// marked so.

/// Apple: UNNotificationSound
open class UNNotificationSound: NSObject, @unchecked Sendable {
    public static let `default` = UNNotificationSound()
    public static let defaultCritical = UNNotificationSound()
    /// Apple: `init(named:)`
    public convenience init(named name: String) { self.init() }
}

/// Apple: UNNotificationInterruptionLevel
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    case passive, active, timeSensitive, critical
}

/// Apple: UNNotificationAttachment
open class UNNotificationAttachment: NSObject {
    public let identifier: String
    public let type: String

    /// For tests.
    public init(identifier: String, type: String) {
        self.identifier = identifier
        self.type = type
    }
}

/// Apple: UNNotificationContent
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    fileprivate var fields = Fields()

    struct Fields {
        var attachments: [UNNotificationAttachment] = []
        var badge: NSNumber?
        var body = ""
        var categoryIdentifier = ""
        var sound: UNNotificationSound?
        var subtitle = ""
        var threadIdentifier = ""
        var title = ""
        var userInfo: [AnyHashable: Any] = [:]
        var interruptionLevel = UNNotificationInterruptionLevel.active
        var relevanceScore = 0.0
        var targetContentIdentifier: String?
    }

    public override init() {}

    open var attachments: [UNNotificationAttachment] { fields.attachments }
    open var badge: NSNumber? { fields.badge }
    open var body: String { fields.body }
    open var categoryIdentifier: String { fields.categoryIdentifier }
    open var sound: UNNotificationSound? { fields.sound }
    open var subtitle: String { fields.subtitle }
    open var threadIdentifier: String { fields.threadIdentifier }
    open var title: String { fields.title }
    open var userInfo: [AnyHashable: Any] { fields.userInfo }
    open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }
    open var relevanceScore: Double { fields.relevanceScore }
    open var targetContentIdentifier: String? { fields.targetContentIdentifier }

    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = UNNotificationContent()
        copy.fields = fields
        return copy
    }

    public func mutableCopy(with zone: NSZone? = nil) -> Any {
        let copy = UNMutableNotificationContent()
        copy.fields = fields
        return copy
    }
}

/// Apple: UNMutableNotificationContent
open class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    open override var attachments: [UNNotificationAttachment] {
        get { fields.attachments }
        set { fields.attachments = newValue }
    }
    open override var badge: NSNumber? {
        get { fields.badge }
        set { fields.badge = newValue }
    }
    open override var body: String {
        get { fields.body }
        set { fields.body = newValue }
    }
    open override var categoryIdentifier: String {
        get { fields.categoryIdentifier }
        set { fields.categoryIdentifier = newValue }
    }
    open override var sound: UNNotificationSound? {
        get { fields.sound }
        set { fields.sound = newValue }
    }
    open override var subtitle: String {
        get { fields.subtitle }
        set { fields.subtitle = newValue }
    }
    open override var threadIdentifier: String {
        get { fields.threadIdentifier }
        set { fields.threadIdentifier = newValue }
    }
    open override var title: String {
        get { fields.title }
        set { fields.title = newValue }
    }
    open override var userInfo: [AnyHashable: Any] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }
    open override var interruptionLevel: UNNotificationInterruptionLevel {
        get { fields.interruptionLevel }
        set { fields.interruptionLevel = newValue }
    }
    open override var relevanceScore: Double {
        get { fields.relevanceScore }
        set { fields.relevanceScore = newValue }
    }
    open override var targetContentIdentifier: String? {
        get { fields.targetContentIdentifier }
        set { fields.targetContentIdentifier = newValue }
    }
}
