public import Foundation

extension Notilog {
    /// The recorded part of a `UNNotificationRequest`.
    public struct Request: Sendable, Hashable {
        /// `identifier`.
        public var identifier: String
        /// `content`.
        public var content: Content
        /// `trigger`. A request without one has ``Trigger/Kind/immediate``.
        public var trigger: Trigger

        /// Creates a request.
        public init(identifier: String, content: Content = Content(), trigger: Trigger = Trigger(.immediate)) {
            self.identifier = identifier
            self.content = content
            self.trigger = trigger
        }
    }

    /// The recorded part of a `UNNotification`.
    public struct Delivered: Sendable, Hashable {
        /// `request`.
        public var request: Request
        /// `date`: when it was delivered; `nil` if the system does not say, as before iOS 10.
        public var date: Date?

        /// Creates a notification.
        public init(_ request: Request, date: Date?) {
            self.request = request
            self.date = date
        }

        /// The firing of a repeating request. Each firing is a notification of its own.
        var occurrence: Date? { request.trigger.repeats ? date : nil }
    }

    /// The recorded part of a `UNNotificationResponse`.
    public struct Response: Sendable, Hashable {
        /// `notification`.
        public var notification: Delivered
        /// `actionIdentifier`.
        public var actionIdentifier: String
        /// `userText` of a `UNTextInputNotificationResponse`.
        public var text: String?

        /// Creates a response.
        public init(_ notification: Delivered, actionIdentifier: String, text: String? = nil) {
            self.notification = notification
            self.actionIdentifier = actionIdentifier
            self.text = text
        }
    }

    /// The callback that reported a response.
    public enum Callback: String, Sendable {
        /// `userNotificationCenter(_:didReceive:withCompletionHandler:)`
        case didReceiveResponse = "did_receive_response"
        /// `application(_:didReceiveRemoteNotification:…)`, which means a tap only while the app is inactive.
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

    /// The state of the app at the callback.
    public enum AppState: String, Sendable {
        /// The notification started the app.
        case notRunning = "not_running"
        /// `UIApplication.State.background`
        case background
        /// `UIApplication.State.inactive`
        case inactive
        /// `UIApplication.State.active`
        case active

        /// Creates a state from the raw value of `UIApplication.State`.
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
        /// By a sweep of the delivered list.
        case deliveredList = "delivered_list"
        /// By a wake in the background.
        case backgroundWake = "background_wake"
    }

    /// What a notification service extension did with a notification.
    public struct ExtensionOutcome: Sendable, Hashable {
        /// The result of an extension's work.
        public enum Result: String, Sendable {
            /// It passed on changed content.
            case modified
            /// It passed on the content unchanged.
            case unmodified
            /// Its time ran out (`serviceExtensionTimeWillExpire`).
            case expired
            /// It passed on nothing to show.
            case filtered
        }

        /// The result.
        public var result: Result
        /// Seconds from `didReceive` until the content was passed on.
        public var duration: TimeInterval
        /// The number of attachments that it loaded.
        public var attachmentsLoaded: Int
        /// The number of attachments that failed to load.
        public var attachmentsFailed: Int
        /// What failed, such as `decryption`. It has 1 to 64 bytes, and nothing from the content.
        public var failure: String?

        /// Creates an outcome.
        public init(_ result: Result, duration: TimeInterval, attachmentsLoaded: Int = 0, attachmentsFailed: Int = 0) {
            self.result = result
            self.duration = duration
            self.attachmentsLoaded = attachmentsLoaded
            self.attachmentsFailed = attachmentsFailed
        }
    }
}
