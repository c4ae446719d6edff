public import NotificationEvents

/// What an app's people noted at a time, such as a release.
public struct Annotation: Sendable, Equatable {
    /// Its number.
    public var id: Int64
    /// The time that it is about.
    public var at: Timestamp
    /// What was noted.
    public var label: String

    /// Whether a text may be noted: 1 to 200 bytes of UTF-8, on one line.
    public static func isLabel(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count) && !text.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
    }

    /// The rule of ``isLabel(_:)``, in words.
    public static let labelRule = "a label has 1 to 200 bytes, on one line"
}
