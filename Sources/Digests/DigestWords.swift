internal import Foundation
internal import NotificationEvents
internal import Reports

/// Figures, their changes and days as people read them.
enum DigestWords {
    /// A figure's value in its unit: a difference of two rates in points, as its change is.
    static func value(_ figure: DigestMessage.Figure) -> String {
        FigureText.value(figure.value, unit: figure.unit, isDifference: figure.isDifference == true)
    }

    /// How a figure changed, with its interval; nil where it cannot be compared.
    static func change(_ figure: DigestMessage.Figure) -> String? {
        guard let change = figure.change else { return nil }
        guard figure.unit == "fraction" else { return FigureText.signed(change) + " %" }
        var text = FigureText.points(change)
        if let low = figure.changeLow, let high = figure.changeHigh {
            text += " (\(FigureText.signed(low)) to \(FigureText.signed(high)))"
        }
        return text
    }

    /// The interval of a value; nil where there is none.
    static func interval(_ figure: DigestMessage.Figure) -> String? {
        guard let low = figure.low, let high = figure.high else { return nil }
        if figure.isDifference == true { return "\(FigureText.signed(low)) to \(FigureText.signed(high))" }
        return "\(FigureText.value(low, unit: figure.unit)) to \(FigureText.value(high, unit: figure.unit))"
    }

    /// A column's name as words.
    static func name(_ column: String) -> String {
        column.replacing("_", with: " ")
    }

    /// A row's key.
    static func key(_ key: [String?]) -> String {
        key.isEmpty ? "all" : key.map { $0 ?? FigureText.unknown }.joined(separator: ", ")
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
