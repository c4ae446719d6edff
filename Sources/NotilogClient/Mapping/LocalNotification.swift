public import Foundation

extension Notilog {
    /// The recorded part of a `UILocalNotification`, the local notification of iOS 4 to 9.
    public struct LocalNotification: Sendable, Hashable {
        /// Its content: the category, sound and badge, and the mark from its `userInfo`.
        public var content = Content()
        /// `fireDate`
        public var fireDate: Date?
        /// Whether it has a `repeatInterval`.
        public var repeats: Bool
        /// Whether it has a `region`.
        public var hasRegion: Bool

        /// Creates a local notification.
        ///
        /// - Parameters:
        ///   - userInfo: `userInfo`. Its mark identifies the notification; see
        ///     ``Notilog/stamp(_:identifier:campaignID:variant:)``.
        ///   - hasText: whether there is an `alertBody`.
        ///   - category: `category`, available since iOS 8.
        ///   - fireDate: `fireDate`.
        ///   - repeats: whether there is a `repeatInterval`.
        ///   - hasRegion: whether there is a `region`.
        public init(
            userInfo: [AnyHashable: Any],
            hasText: Bool = true,
            category: String? = nil,
            fireDate: Date? = nil,
            repeats: Bool = false,
            hasRegion: Bool = false
        ) {
            content.takeUserInfo(userInfo)
            content.hasText = hasText
            content.categoryID = category ?? ""
            self.fireDate = fireDate
            self.repeats = repeats
            self.hasRegion = hasRegion
        }

        /// The notification, which arrived when it fired. If it repeats, nothing tells which firing it is.
        var delivered: Delivered {
            let kind: Trigger.Kind = hasRegion ? .location : fireDate == nil ? .immediate : .calendar
            return Delivered(
                Request(identifier: "", content: content, trigger: Trigger(kind, repeats: repeats)),
                date: repeats || hasRegion ? nil : fireDate
            )
        }
    }
}
