/// Texts in the columns of a terminal.
enum TableText {
    /// A text cut to a number of columns, cleaned for a terminal.
    static func fitted(_ text: String, _ longest: Int) -> String {
        let clean = TerminalText.clean(text)
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

    /// The columns that a text takes in a terminal.
    static func width(_ text: String) -> Int {
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
}
