internal import Foundation
internal import NotificationEvents

/// Figures and days as people read them. What is not known is a dash, never a nought.
enum DigestWords {
    static let unknown = "–"

    /// A value in its unit.
    static func value(_ value: Double?, unit: String?) -> String {
        guard let value else { return unknown }
        switch unit {
        case "fraction": return percent(value)
        case "seconds": return duration(value)
        default: return count(value)
        }
    }

    /// A figure's value in its unit: a difference of two rates in points, as its change is.
    static func value(_ figure: DigestMessage.Figure) -> String {
        guard figure.isDifference == true, let difference = figure.value else {
            return value(figure.value, unit: figure.unit)
        }
        return signed(difference, "%+.1f points")
    }

    /// A count with its thousands apart.
    static func count(_ value: Double) -> String {
        guard value.rounded() == value, abs(value) < 1e15 else { return String(format: "%.4g", value) }
        var text = "\(Int64(abs(value)))"
        var end = text.count - 3
        while end > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: end))
            end -= 3
        }
        return value < 0 ? "-\(text)" : text
    }

    /// A fraction as a percentage; small ones keep two digits that count.
    static func percent(_ value: Double) -> String {
        String(format: value != 0 && abs(value) < 0.01 ? "%.2f %%" : "%.1f %%", value * 100)
    }

    /// Seconds in the largest unit that fits.
    static func duration(_ seconds: Double) -> String {
        let units = [("d", 86_400.0), ("h", 3600), ("min", 60)]
        let (name, size) = units.first { seconds >= $0.1 } ?? ("s", 1)
        let value = seconds / size
        return String(format: value < 10 ? "%.1f" : "%.0f", value) + " \(name)"
    }

    /// How a figure changed, with its interval; nil where it cannot be compared.
    static func change(_ figure: DigestMessage.Figure) -> String? {
        guard let change = figure.change else { return nil }
        guard figure.unit == "fraction" else { return signed(change, "%+.1f %%") }
        var text = signed(change, "%+.1f points")
        if let low = figure.changeLow, let high = figure.changeHigh {
            text += " (\(signed(low, "%+.1f")) to \(signed(high, "%+.1f")))"
        }
        return text
    }

    private static func signed(_ value: Double, _ format: String) -> String {
        let text = String(format: format, value * 100)
        // What rounds to nought has no sign.
        return Double(text.prefix { "+-.0123456789".contains($0) }) == 0 ? String(text.dropFirst()) : text
    }

    /// The interval of a value; nil where there is none.
    static func interval(_ figure: DigestMessage.Figure) -> String? {
        guard let low = figure.low, let high = figure.high else { return nil }
        if figure.isDifference == true { return "\(signed(low, "%+.1f")) to \(signed(high, "%+.1f"))" }
        return "\(value(low, unit: figure.unit)) to \(value(high, unit: figure.unit))"
    }

    /// A column's name as words.
    static func name(_ column: String) -> String {
        column.replacing("_", with: " ")
    }

    /// A row's key.
    static func key(_ key: [String?]) -> String {
        key.isEmpty ? "all" : key.map { $0 ?? unknown }.joined(separator: ", ")
    }

    /// The days of a half-open range: `Sun 22 Nov 2026`, or `Mon 16 Nov to Sun 22 Nov 2026`.
    static func days(from: String, to: String) -> String {
        guard let last = Timestamp.day(to, plus: -1), last != from else { return day(from, withYear: true) }
        return "\(day(from, withYear: from.prefix(4) != last.prefix(4))) to \(day(last, withYear: true))"
    }

    private static func day(_ text: String, withYear: Bool) -> String {
        let reader = ISO8601DateFormatter()
        reader.formatOptions = [.withFullDate]
        guard let date = reader.date(from: text) else { return text }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = withYear ? "EEE d MMM yyyy" : "EEE d MMM"
        return formatter.string(from: date)
    }
}
