/// Text that others chose, on an operator's terminal.
package enum TerminalText {
    /// The text with a space for every character that a terminal takes as a command, or that changes the order of what is beside it:
    /// control characters, and those of the direction of text.
    ///
    /// - Parameter keepsLines: whether ends of lines stay.
    package static func clean(_ text: String, keepsLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            clean.append(isControl(scalar) && !(keepsLines && scalar == "\n") ? " " : scalar)
        }
        return String(clean)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
