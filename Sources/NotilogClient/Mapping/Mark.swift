import Foundation

extension Notilog {
    /// What a notification carries under the key `notilog` of its `userInfo` or payload, so that every callback about it
    /// can say which one it is: one alert to one person.
    ///
    ///     "notilog": {"id": "0198c0de-…", "campaign_id": "spring", "variant": "b"}
    public struct Mark: Sendable, Hashable, Codable {
        /// The notification's id: reused request identifiers stay apart by it, and updates of one notification share it.
        public var id: String?
        /// The campaign.
        public var campaignID: String?
        /// The variant of an experiment.
        public var variant: String?

        /// The key in `userInfo` and payload.
        public static let key = "notilog"

        /// Makes a mark with a fresh id.
        public init(campaignID: String? = nil, variant: String? = nil) {
            let id = UUID.version7(at: Date()).uuidString.lowercased()
            self.init(id: id, campaignID: campaignID, variant: variant)
        }

        /// Makes a mark with the id of a notification.
        public init(id: String?, campaignID: String? = nil, variant: String? = nil) {
            self.id = id
            self.campaignID = campaignID
            self.variant = variant
        }

        /// Reads the mark of a `userInfo`; `nil` where it has none.
        public init?(userInfo: [AnyHashable: Any]) {
            guard let fields = userInfo[Self.key] as? [AnyHashable: Any] else { return nil }
            let campaign = fields["campaign_id"] ?? fields["campaign"]
            self.init(
                id: Self.text(fields["id"]),
                campaignID: Self.text(campaign),
                variant: Self.text(fields["variant"])
            )
        }

        /// A text, or a number as text, as some senders write ids.
        private static func text(_ value: Any?) -> String? {
            switch value {
            case let text as String: text.isEmpty ? nil : text
            case let number as NSNumber: number.stringValue
            default: nil
            }
        }

        /// The value for ``key``, of property list types alone.
        public var userInfo: [String: String] {
            var fields: [String: String] = [:]
            fields["id"] = id
            fields["campaign_id"] = campaignID
            fields["variant"] = variant
            return fields
        }

        /// A `userInfo` with this mark, whose campaign and variant stay where the mark says none. An id that is there
        /// already is replaced: a copied `userInfo` is of another notification.
        func stamped(on userInfo: [AnyHashable: Any]) -> [AnyHashable: Any] {
            let before = Mark(userInfo: userInfo)
            let mark = Mark(id: id, campaignID: campaignID ?? before?.campaignID, variant: variant ?? before?.variant)
            var userInfo = userInfo
            userInfo[Self.key] = mark.userInfo
            return userInfo
        }
    }
}
