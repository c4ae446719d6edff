/// ISO 8601 durations of fixed length: weeks, days of 24 h, hours, minutes and seconds.
enum ISODuration {
    /// The microseconds of a duration such as `P3D`, `PT36H`, `P1DT12H` or `PT0.5S`; nil if it is invalid, has years or
    /// months, whose length varies, or is longer than 2^53 µs.
    static func microseconds(_ text: String) -> Int64? {
        guard text.first == "P", text.count > 1 else { return nil }
        var units: [(Character, Double)] = [("W", 604_800), ("D", 86_400)]
        let timeUnits: [(Character, Double)] = [("H", 3600), ("M", 60), ("S", 1)]
        var total = 0.0
        var number = ""
        var isTime = false
        var sawPart = false
        for character in text.dropFirst() {
            if character == "T" {
                guard !isTime, number.isEmpty else { return nil }
                isTime = true
                sawPart = false
                units = timeUnits
            } else if character.isASCII, character.isNumber || character == "." {
                number.append(character)
            } else {
                guard let unit = units.firstIndex(where: { $0.0 == character }), number.first != ".",
                    number.last != ".",
                    !number.contains(".") || character == "S", let value = Double(number)
                else { return nil }
                total += value * units[unit].1 * 1e6
                units.removeFirst(unit + 1)
                number = ""
                sawPart = true
            }
        }
        guard sawPart, number.isEmpty, total < 9_007_199_254_740_992 else { return nil }
        return Int64(total.rounded())
    }
}
