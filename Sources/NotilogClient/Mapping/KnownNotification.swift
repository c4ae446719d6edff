public import Foundation

extension Notilog {
    /// What is remembered about a notification, so that its removal can name it. It stays on the device.
    public struct KnownNotification: Sendable, Hashable, Codable {
        /// `UNNotificationRequest.identifier`
        public var identifier: String
        /// Its mark.
        public var mark: Mark?
        /// `UNNotification.date`, once delivered.
        public var date: Date?
        /// Whether its request fires repeatedly.
        public var repeats: Bool
        /// When it will fire, if that is known.
        public var scheduledFor: Date?
        /// `categoryIdentifier`
        public var categoryID: String
        /// Whether it fires at an unknown time. That is so for a location trigger, or for a date that has no next
        /// firing.
        var isUndated: Bool?
        /// Whether it is known to have left the delivered list.
        var isGone: Bool?

        /// Creates it from a request.
        public init(_ request: Request) {
            identifier = request.identifier
            mark = request.content.mark
            repeats = request.trigger.repeats
            scheduledFor = request.trigger.nextDate
            categoryID = request.content.categoryID
            switch request.trigger.kind {
            case .push, .immediate: isUndated = false
            default: isUndated = request.trigger.nextDate == nil
            }
        }

        /// Creates it from a delivered notification.
        public init(_ notification: Delivered) {
            self.init(notification.request)
            date = notification.date
            scheduledFor = nil
            isUndated = false
        }

        /// Creates it from an identifier, if nothing else is known.
        public init(identifier: String) {
            self.init(Request(identifier: identifier))
        }

        /// Distinguishes one notification from another, as the service does.
        var key: String {
            (mark?.id ?? identifier) + (repeats ? "\u{0}" + (date?.rfc3339 ?? "") : "")
        }

        var fields: [String: Value] {
            Event("removal", at: .distantPast)
                .with("notification_id", mark?.id)
                .with("request_identifier", identifier)
                .with("delivered_at", date)
                .with("occurrence", repeats ? date : nil)
                .with("category_id", categoryID)
                .with("campaign_id", mark?.campaignID)
                .with("variant", mark?.variant)
                .fields
        }
    }
}
