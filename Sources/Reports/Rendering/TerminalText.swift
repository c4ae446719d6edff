/// Text that others chose, on an operator's terminal, and its place in a table there.
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

    /// The text cleaned, and cut to a number of columns.
    package static func fitted(_ text: String, _ longest: Int) -> String {
        let clean = clean(text)
        guard width(clean) > longest else { return clean }
        var result = ""
        var used = 0
        for character in clean {
            used += width(of: character)
            guard used < longest else { break }
            result.append(character)
        }
        return result + "…"
    }

    /// The text with spaces after it up to a number of columns; before it if it is a number.
    package static func padded(_ text: String, to columns: Int, isNumber: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, columns - width(text)))
        return isNumber ? space + text : text + space
    }

    /// What is between the columns of a table.
    package static let gap = "  "

    /// A line of a table from its padded cells, without spaces at its end.
    package static func line(_ cells: [String]) -> String {
        var line = cells.joined(separator: gap)
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The columns that a text takes in a terminal.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width(of: $1) }
    }

    /// Two for the wide characters of East Asia and for emoji (Unicode Standard Annex 11).
    private static func width(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            return 1
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
