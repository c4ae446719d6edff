public import Foundation

extension Notilog {
    /// What is recorded of a `UILocalNotification`, the local notification of iOS 4 to 9.
    public struct LocalNotification: Sendable, Hashable {
        /// Its content: category, sound and badge, and the mark of its `userInfo`.
        public var content = Content()
        /// `fireDate`
        public var fireDate: Date?
        /// Whether it has a `repeatInterval`.
        public var repeats: Bool
        /// Whether it has a `region`.
        public var hasRegion: Bool

        /// Makes a local notification.
        ///
        /// - Parameters:
        ///   - userInfo: `userInfo`, which names it by its mark; see ``Notilog/stamp(_:identifier:campaignID:variant:)``.
        ///   - hasText: whether there is an `alertBody`.
        ///   - category: `category`, since iOS 8.
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

        /// The notification, which arrived when it fired. Of a repeating one, nothing says which firing it is.
        var delivered: Delivered {
            let kind: Trigger.Kind = hasRegion ? .location : fireDate == nil ? .immediate : .calendar
            return Delivered(
                Request(identifier: "", content: content, trigger: Trigger(kind, repeats: repeats)),
                date: repeats || hasRegion ? nil : fireDate
            )
        }
    }
}
