/// The proleptic Gregorian calendar, reckoned in days since 1970-01-01.
///
/// Years begin on 1 March, so that the leap day is a year's last day; 400 such years, an era, always have 146,097 days.
extension Timestamp {
    /// The days of a month, 28 to 31.
    @inline(__always)
    static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to a date, negative before it.
    @inline(__always)
    static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        // 719,468 days lie between 0000-03-01 and 1970-01-01.
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date that many days after 1970-01-01.
    @inline(__always)
    static func date(dayNumber: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Timestamp {
    /// The day so many days after another, both YYYY-MM-DD; nil for what is no day.
    package static func day(_ day: String, plus days: Int) -> String? {
        guard day.utf8.count == 10, let start = parse(day + "T00:00:00Z") else { return nil }
        return String("\(start.timestamp.advanced(byMicroseconds: Int64(days) * 86_400_000_000))".prefix(10))
    }
}
