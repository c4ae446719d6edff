import Foundation
import NotificationEvents

extension Notilog {
    /// The recorded part of a `UNNotificationContent`. It contains none of its words.
    public struct Content: Sendable, Hashable {
        /// `categoryIdentifier`.
        public var categoryID = ""
        /// `threadIdentifier`.
        public var threadID = ""
        /// Whether there is a title, subtitle or body.
        public var hasText = false
        /// `badge`.
        public var badge: Int?
        /// The kind of sound; `nil` if there is none.
        public var sound: Sound?
        /// The raw value of `interruptionLevel`.
        public var interruptionLevel: Int?
        /// `relevanceScore`.
        public var relevanceScore: Double?
        /// The uniform type of each attachment, such as `public.jpeg`.
        public var attachmentTypes: [String] = []
        /// The notification's mark.
        public var mark: Mark?
        /// Whether the payload has `mutable-content`.
        var isMutable = false
        /// Distinguishes this payload from others; see ``fingerprint(_:)``.
        public var fingerprint: UInt64?

        /// The kind of a sound.
        public enum Sound: String, Sendable {
            /// The system's sound.
            case standard = "default"
            /// A sound of the app.
            case custom
            /// The sound of a critical alert.
            case critical
        }

        /// Creates empty content.
        public init() {}

        /// Creates content from the payload of a push, which `userInfo` holds on any version of iOS.
        ///
        /// Source: Apple, "Generating a remote notification".
        public init(payload: [AnyHashable: Any]) {
            takeUserInfo(payload)
            guard let aps = payload["aps"] as? [AnyHashable: Any] else { return }
            categoryID = aps["category"] as? String ?? ""
            threadID = aps["thread-id"] as? String ?? ""
            hasText = Self.hasWords(aps["alert"])
            badge = (aps["badge"] as? NSNumber)?.intValue
            switch aps["sound"] {
            case "default" as String: sound = .standard
            case let name as String: sound = name.isEmpty ? nil : .custom
            case let fields as [AnyHashable: Any]:
                let isCritical = (fields["critical"] as? NSNumber)?.boolValue ?? false
                sound =
                    isCritical ? .critical : (fields["name"] as? String ?? "default") == "default" ? .standard : .custom
            default: break
            }
            interruptionLevel = (aps["interruption-level"] as? String).flatMap {
                Vocabulary.rawValue(hyphenated: $0, "interruption_level", of: .delivery)
            }
            relevanceScore = (aps["relevance-score"] as? NSNumber)?.doubleValue
        }

        /// An alert is a text or a dictionary; an empty one shows nothing.
        private static func hasWords(_ alert: Any?) -> Bool {
            switch alert {
            case let text as String: !text.isEmpty
            case let fields as [AnyHashable: Any]: !fields.isEmpty
            default: alert != nil
            }
        }

        /// Reads from `userInfo` the mark, and what distinguishes this payload from others.
        public mutating func takeUserInfo(_ userInfo: [AnyHashable: Any]) {
            mark = Mark(userInfo: userInfo)
            isMutable = ((userInfo["aps"] as? [AnyHashable: Any])?["mutable-content"] as? NSNumber)?.intValue == 1
            fingerprint = userInfo.isEmpty ? nil : Self.fingerprint(userInfo)
        }

        /// A number that is the same for equal payloads (FNV-1a over their JSON). It never leaves the process.
        static func fingerprint(_ userInfo: [AnyHashable: Any]) -> UInt64? {
            let fields = Dictionary(userInfo.map { (String(describing: $0.key), $0.value) }) { first, _ in first }
            guard JSONSerialization.isValidJSONObject(fields),
                let json = try? JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
            else { return nil }
            return fingerprint(json: json)
        }

        static func fingerprint(json: Data) -> UInt64 {
            json.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }

        /// Whether the push asks for a service extension. The system starts none if there are no words to change.
        var asksForExtension: Bool { isMutable && hasText }

        /// Whether it is noticeable. Content without words, sound or badge is not an alert.
        var isAlerting: Bool { hasText || sound != nil || badge != nil }

        var levelName: String? {
            Vocabulary.name(interruptionLevel, "interruption_level", of: .delivery)?.text
        }

        /// The kinds of media that Apple documents for `UNNotificationAttachment`.
        var attachments: [Value] {
            attachmentTypes.compactMap { type in
                switch type {
                case "public.jpeg", "public.png", "com.compuserve.gif", "public.heic", "public.heif", "public.image":
                    "image"
                case "public.aiff-audio", "com.microsoft.waveform-audio", "public.mp3", "public.mpeg-4-audio",
                    "public.audio":
                    "audio"
                case "public.mpeg", "public.mpeg-2-video", "public.mpeg-4", "public.avi", "public.movie",
                    "com.apple.quicktime-movie", "public.video":
                    "video"
                default: nil
                }
            }
        }
    }
}
