/// Figures as people read them, the same in a terminal, a mail and a chat. The page writes them by these rules in the words of its
/// language (`dashboards/web/text/format.js`). What is not known is a dash, never a nought.
package enum FigureText {
    /// What is not known.
    package static let unknown = "–"

    /// A value in its unit.
    ///
    /// - Parameters:
    ///   - value: nil for unknown.
    ///   - unit: of the report's column: `fraction`, `seconds`, or another, whose values are numbers.
    ///   - isDifference: whether it is a difference of two fractions.
    package static func value(_ value: Double?, unit: String?, isDifference: Bool = false) -> String {
        guard let value else { return unknown }
        guard !isDifference else { return points(value) }
        switch unit {
        case "fraction": return percent(value)
        case "seconds": return duration(value)
        default: return number(value)
        }
    }

    /// A fraction as a percentage; small ones keep two digits that count.
    package static func percent(_ fraction: Double) -> String {
        decimal(fraction * 100, places: fraction != 0 && abs(fraction) < 0.01 ? 2 : 1) + " %"
    }

    /// A difference of two fractions in percentage points.
    package static func points(_ difference: Double) -> String {
        signed(difference) + " pp"
    }

    /// A hundred times a change, with its sign; what rounds to nought has none.
    package static func signed(_ change: Double) -> String {
        let text = decimal(change * 100, places: 1)
        return change > 0 && text.contains(where: { "123456789".contains($0) }) ? "+" + text : text
    }

    /// Seconds in the largest unit that fits.
    package static func duration(_ seconds: Double) -> String {
        let units = [("d", 86_400.0), ("h", 3600), ("min", 60)]
        let (name, size) = units.first { abs(seconds) >= $0.1 } ?? ("s", 1)
        let value = seconds / size
        return decimal(value, places: abs(value) < 9.95 ? 1 : 0) + " \(name)"
    }

    /// A count with its thousands apart.
    package static func count(_ number: Int64) -> String {
        (number < 0 ? "-" : "") + grouped(number.magnitude)
    }

    /// Any other number: a whole one as a count, others with four digits that count, but at most six after the point.
    package static func number(_ number: Double) -> String {
        let size = abs(number)
        guard size < 1e15 else { return "\(number)" }
        guard number != number.rounded() else { return count(Int64(number)) }
        guard size >= 0.000_001 else { return number > 0 ? "<0.000001" : ">-0.000001" }
        var places = 1
        var bound = 100.0
        while size < bound, places < 6 {
            places += 1
            bound /= 10
        }
        var text = decimal(number, places: places)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    private static func decimal(_ number: Double, places: Int) -> String {
        let scale = (0..<places).reduce(UInt64(1)) { scale, _ in scale * 10 }
        let scaled = (number * Double(scale)).rounded()
        // Neither what is no number, nor what an integer cannot hold.
        guard abs(scaled) < 1e18 else { return "\(number)" }
        let digits = Int64(scaled).magnitude
        let whole = (scaled < 0 ? "-" : "") + grouped(digits / scale)
        guard places > 0 else { return whole }
        let fraction = String(digits % scale)
        return "\(whole)." + String(repeating: "0", count: places - fraction.count) + fraction
    }

    private static func grouped(_ number: UInt64) -> String {
        let digits = Array(String(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }
}
