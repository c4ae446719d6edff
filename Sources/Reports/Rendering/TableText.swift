/// Values formatted for a terminal.
enum TableText {
    /// A fraction as percent with one decimal.
    static func percent(_ fraction: Double) -> String {
        decimal(fraction * 100, places: 1) + " %"
    }

    /// A difference of two fractions in percentage points with one decimal, and its sign.
    static func points(_ difference: Double) -> String {
        let text = decimal(difference * 100, places: 1)
        return (text.hasPrefix("-") || !text.contains { "123456789".contains($0) } ? "" : "+") + text + " pp"
    }

    /// A count with separators of thousands.
    static func grouped(_ number: Int64) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// Seconds in the unit that keeps two or three digits.
    static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<9.95: decimal(seconds, places: 1) + " s"
        case ..<119.5: decimal(seconds, places: 0) + " s"
        case ..<7170: decimal(seconds / 60, places: 0) + " min"
        case ..<172_620: decimal(seconds / 3600, places: 1) + " h"
        default: decimal(seconds / 86_400, places: 1) + " d"
        }
    }

    /// Any other number, with three significant digits.
    static func number(_ number: Double) -> String {
        let size = abs(number)
        guard size != 0, size.isFinite else { return size == 0 ? "0" : "\(number)" }
        guard size >= 0.0001 else { return number > 0 ? "<0.0001" : ">-0.0001" }
        guard size < 99.95 else { return size < 1e15 ? grouped(Int64(number.rounded())) : "\(number)" }
        var places = 1
        var bound = 9.995
        while size < bound, places < 6 {
            places += 1
            bound /= 10
        }
        return decimal(number, places: places)
    }

    private static func decimal(_ number: Double, places: Int) -> String {
        guard number.isFinite, abs(number) < 1e12 else { return "\(number)" }
        let scale = (0..<places).reduce(UInt64(1)) { scale, _ in scale * 10 }
        let scaled = Int64((number * Double(scale)).rounded())
        guard places > 0 else { return "\(scaled)" }
        let fraction = String(scaled.magnitude % scale)
        let zeros = String(repeating: "0", count: places - fraction.count)
        return "\(scaled < 0 ? "-" : "")\(scaled.magnitude / scale).\(zeros)\(fraction)"
    }

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
