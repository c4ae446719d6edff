/// Text for the types that come in a binary format of their own and that Swift has no type for.
enum BinaryText {
    /// `numeric` (numeric_send): digits of base 10,000, the weight of the first, sign, and the decimals to show.
    static func numeric(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) -> String {
        let count = Int(try bytes.integer(as: Int16.self))
        let weight = Int(try bytes.integer(at: 2, as: Int16.self))
        let sign: UInt16 = try bytes.integer(at: 4)
        let scale = Int(try bytes.integer(at: 6, as: Int16.self))
        switch sign {
        case 0xC000: return "NaN"
        case 0xD000: return "Infinity"
        case 0xF000: return "-Infinity"
        default: break
        }
        var digits: [Int] = []
        for index in 0..<count { digits.append(Int(try bytes.integer(at: 8 + 2 * index, as: Int16.self))) }
        func group(_ index: Int) -> Int { digits.indices.contains(index) ? digits[index] : 0 }

        var text = sign == 0x4000 ? "-" : ""
        if weight < 0 {
            text += "0"
        } else {
            text += String(group(0))
            for index in 1..<(weight + 1) { text += padded(group(index), 4) }
        }
        guard scale > 0 else { return text }
        var fraction = ""
        var index = weight + 1
        while fraction.count < scale {
            fraction += padded(group(index), 4)
            index += 1
        }
        return text + "." + fraction.prefix(scale)
    }

    /// `interval` (interval_send: microseconds, days, months) as an ISO 8601 duration.
    static func interval(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) -> String {
        let microseconds: Int64 = try bytes.integer()
        let days: Int32 = try bytes.integer(at: 8)
        let months: Int32 = try bytes.integer(at: 12)
        var text = "P"
        if months != 0 { text += "\(months)M" }
        if days != 0 { text += "\(days)D" }
        if microseconds != 0 {
            text += "T" + (microseconds < 0 ? "-" : "") + String(microseconds.magnitude / 1_000_000)
            let fraction = microseconds.magnitude % 1_000_000
            if fraction != 0 { text += "." + padded(Int(fraction), 6) }
            text += "S"
        }
        return text == "P" ? "PT0S" : text
    }

    /// Date and time without offset, with microseconds.
    static func time(microseconds: Int64) -> String {
        if microseconds == .max { return "infinity" }
        if microseconds == .min { return "-infinity" }
        let day: Int64 = 86_400_000_000
        var days = microseconds / day
        var rest = microseconds % day
        if rest < 0 {
            days -= 1
            rest += day
        }
        let seconds = Int(rest / 1_000_000)
        return date(daysSince1970: days) + "T" + padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
            + padded(seconds % 60, 2) + "." + padded(Int(rest % 1_000_000), 6)
    }

    /// A date of the proleptic Gregorian calendar, counted in eras of 400 years that start on 1 March.
    static func date(daysSince1970 days: Int64) -> String {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return padded(Int(year), 4) + "-" + padded(Int(month), 2) + "-" + padded(Int(day), 2)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
