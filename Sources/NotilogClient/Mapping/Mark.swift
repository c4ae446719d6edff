import Foundation

extension Notilog {
    /// The value for the key `notilog` in a notification's `userInfo` or payload. It lets every callback identify the
    /// notification: one alert to one person.
    ///
    ///     "notilog": {"id": "0198c0de-…", "campaign_id": "spring", "variant": "b"}
    public struct Mark: Sendable, Hashable, Codable {
        /// The notification's id. It distinguishes notifications with the same request identifier. All updates of one
        /// notification share it.
        public var id: String?
        /// The campaign.
        public var campaignID: String?
        /// The variant of an experiment.
        public var variant: String?

        /// The key in `userInfo` and payload.
        public static let key = "notilog"

        /// Creates a mark with a fresh id.
        public init(campaignID: String? = nil, variant: String? = nil) {
            let id = UUID.version7(at: Date()).uuidString.lowercased()
            self.init(id: id, campaignID: campaignID, variant: variant)
        }

        /// Creates a mark with the id of a notification.
        public init(id: String?, campaignID: String? = nil, variant: String? = nil) {
            self.id = id
            self.campaignID = campaignID
            self.variant = variant
        }

        /// Reads the mark of a `userInfo`; `nil` if it has none.
        public init?(userInfo: [AnyHashable: Any]) {
            guard let fields = userInfo[Self.key] as? [AnyHashable: Any] else { return nil }
            let campaign = fields["campaign_id"] ?? fields["campaign"]
            self.init(
                id: Self.text(fields["id"]),
                campaignID: Self.text(campaign),
                variant: Self.text(fields["variant"])
            )
        }

        /// A text, or a number as text, because some senders write ids as numbers.
        private static func text(_ value: Any?) -> String? {
            switch value {
            case let text as String: text.isEmpty ? nil : text
            case let number as NSNumber: number.stringValue
            default: nil
            }
        }

        /// The value for ``key``. It has only property list types.
        public var userInfo: [String: String] {
            var fields: [String: String] = [:]
            fields["id"] = id
            fields["campaign_id"] = campaignID
            fields["variant"] = variant
            return fields
        }

        /// Returns a `userInfo` with this mark. Its campaign and variant stay if the mark has none. An existing id is
        /// replaced, because a copied `userInfo` belongs to another notification.
        func stamped(on userInfo: [AnyHashable: Any]) -> [AnyHashable: Any] {
            let before = Mark(userInfo: userInfo)
            let mark = Mark(id: id, campaignID: campaignID ?? before?.campaignID, variant: variant ?? before?.variant)
            var userInfo = userInfo
            userInfo[Self.key] = mark.userInfo
            return userInfo
        }
    }
}
