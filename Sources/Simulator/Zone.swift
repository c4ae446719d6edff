/// A time zone by its present rules, built in: the machine's own zone data must not change what is simulated.
struct Zone {
    /// The IANA identifier.
    let identifier: String
    /// Minutes east of UTC outside daylight saving time.
    let standardOffset: Int
    let daylight: DaylightRule

    /// Minutes east of UTC at a moment in microseconds since 1970 UTC.
    func offset(at time: Int64) -> Int {
        daylight == .none
            ? standardOffset : standardOffset + (daylight.applies(at: time, standardOffset: standardOffset) ? 60 : 0)
    }

    /// The moment at which a clock on the wall shows `timeOfDay` (microseconds after midnight) on a local day.
    func instant(day: Int, timeOfDay: Int64) -> Int64 {
        let local = Int64(day) * Span.day + timeOfDay
        let standard = local - Int64(standardOffset) * Span.minute
        return local - Int64(offset(at: standard)) * Span.minute
    }

    /// The local day number and the microseconds since local midnight of a moment.
    func local(_ time: Int64) -> (day: Int, timeOfDay: Int64) {
        let local = time + Int64(offset(at: time)) * Span.minute
        let day = floorDivide(local, Span.day)
        return (Int(day), local - day * Span.day)
    }
}

/// When clocks are one hour ahead.
enum DaylightRule {
    case none
    /// Last Sunday of March to last Sunday of October, both at 01:00 UTC.
    case europe
    /// Second Sunday of March to first Sunday of November, both at 02:00 on the clock.
    case northAmerica
    /// First Sunday of October to first Sunday of April, both at 02:00 standard time.
    case southernAustralia

    func applies(at time: Int64, standardOffset: Int) -> Bool {
        let local = time + Int64(standardOffset) * Span.minute
        let year = CivilDate(dayNumber: Int(floorDivide(local, Span.day))).year
        switch self {
        case .none:
            return false
        case .europe:
            let begin = Int64(CivilDate.sunday(0, year: year, month: 3)) * Span.day + Span.hour
            let end = Int64(CivilDate.sunday(0, year: year, month: 10)) * Span.day + Span.hour
            return time >= begin && time < end
        case .northAmerica:
            let begin = Int64(CivilDate.sunday(2, year: year, month: 3)) * Span.day + 2 * Span.hour
            let end = Int64(CivilDate.sunday(1, year: year, month: 11)) * Span.day + Span.hour
            return local >= begin && local < end
        case .southernAustralia:
            let end = Int64(CivilDate.sunday(1, year: year, month: 4)) * Span.day + 2 * Span.hour
            let begin = Int64(CivilDate.sunday(1, year: year, month: 10)) * Span.day + 2 * Span.hour
            return local < end || local >= begin
        }
    }
}
