/// The rule for names that people give to what they make: views, rules of alerts.
public enum GivenName {
    /// Whether a text may be one: 1 to 100 bytes of UTF-8, on one line, not all of them white space.
    public static func isAccepted(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && !text.allSatisfy(\.isWhitespace) && !text.contains(where: \.isNewline)
            && !text.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
    }

    /// The rule of ``isAccepted(_:)`` in words.
    ///
    /// - Parameter owner: what has the name, such as `view`.
    public static func rule(of owner: String) -> String {
        "a \(owner)'s name has 1 to 100 bytes, on one line, and not white space alone"
    }
}
