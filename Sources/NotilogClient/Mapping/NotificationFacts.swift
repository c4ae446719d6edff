public import Foundation

extension Notilog {
    /// What is recorded of a `UNNotificationRequest`.
    public struct Request: Sendable, Hashable {
        /// `identifier`.
        public var identifier: String
        /// `content`.
        public var content: Content
        /// `trigger`; none is one that says ``Trigger/Kind/immediate``.
        public var trigger: Trigger

        /// Makes a request.
        public init(identifier: String, content: Content = Content(), trigger: Trigger = Trigger(.immediate)) {
            self.identifier = identifier
            self.content = content
            self.trigger = trigger
        }
    }

    /// What is recorded of a `UNNotification`.
    public struct Delivered: Sendable, Hashable {
        /// `request`.
        public var request: Request
        /// `date`: when it was delivered; `nil` where the system does not say, as before iOS 10.
        public var date: Date?

        /// Makes a notification.
        public init(_ request: Request, date: Date?) {
            self.request = request
            self.date = date
        }

        /// The firing of a repeating request, each of which is a notification of its own.
        var occurrence: Date? { request.trigger.repeats ? date : nil }
    }

    /// What is recorded of a `UNNotificationResponse`.
    public struct Response: Sendable, Hashable {
        /// `notification`.
        public var notification: Delivered
        /// `actionIdentifier`.
        public var actionIdentifier: String
        /// `userText` of a `UNTextInputNotificationResponse`.
        public var text: String?

        /// Makes a response.
        public init(_ notification: Delivered, actionIdentifier: String, text: String? = nil) {
            self.notification = notification
            self.actionIdentifier = actionIdentifier
            self.text = text
        }
    }

    /// Which callback a response came by.
    public enum Callback: String, Sendable {
        /// `userNotificationCenter(_:didReceive:withCompletionHandler:)`
        case didReceiveResponse = "did_receive_response"
        /// `application(_:didReceiveRemoteNotification:…)`, a tap only while the app is inactive.
        case didReceiveRemoteNotification = "did_receive_remote_notification"
        /// `application(_:didFinishLaunchingWithOptions:)`
        case didFinishLaunching = "did_finish_launching"
        /// `scene(_:willConnectTo:options:)`
        case sceneWillConnect = "scene_will_connect"
        /// `application(_:handleActionWithIdentifier:forRemoteNotification:…)`
        case handleAction = "handle_action"
        /// `UNNotificationContentExtension`'s `didReceive(_:…)`
        case contentExtension = "content_extension"
    }

    /// What the app was doing when it was told.
    public enum AppState: String, Sendable {
        /// It was started by this.
        case notRunning = "not_running"
        /// `UIApplication.State.background`
        case background
        /// `UIApplication.State.inactive`
        case inactive
        /// `UIApplication.State.active`
        case active

        /// From `UIApplication.State`'s raw value.
        public init?(rawState: Int) {
            switch rawState {
            case 0: self = .active
            case 1: self = .inactive
            case 2: self = .background
            default: return nil
            }
        }
    }

    /// How a delivery was seen.
    public enum DeliverySource: String, Sendable {
        /// By a `UNNotificationServiceExtension`.
        case serviceExtension = "service_extension"
        /// By `userNotificationCenter(_:willPresent:…)`.
        case willPresent = "will_present"
        /// By a look at the delivered list.
        case deliveredList = "delivered_list"
        /// By a wake in the background.
        case backgroundWake = "background_wake"
    }

    /// What a notification service extension did with a notification.
    public struct ExtensionOutcome: Sendable, Hashable {
        /// What came of it.
        public enum Result: String, Sendable {
            /// It handed changed content on.
            case modified
            /// It handed the content on as it came.
            case unmodified
            /// Its time ran out (`serviceExtensionTimeWillExpire`).
            case expired
            /// It handed on nothing to show.
            case filtered
        }

        /// What came of it.
        public var result: Result
        /// Seconds from `didReceive` to handing the content on.
        public var duration: TimeInterval
        /// Attachments that it loaded.
        public var attachmentsLoaded: Int
        /// Attachments that it could not load.
        public var attachmentsFailed: Int
        /// What it could not do, such as `decryption`; 1 to 64 bytes, and nothing of the content.
        public var failure: String?

        /// Makes an outcome.
        public init(_ result: Result, duration: TimeInterval, attachmentsLoaded: Int = 0, attachmentsFailed: Int = 0) {
            self.result = result
            self.duration = duration
            self.attachmentsLoaded = attachmentsLoaded
            self.attachmentsFailed = attachmentsFailed
        }
    }
}
