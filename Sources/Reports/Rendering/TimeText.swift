internal import NotificationEvents

/// Times as text.
enum TimeText {
    /// RFC 3339: UTC with microseconds; a local time with its offset, and with microseconds only if they are not 0.
    static func rfc3339(_ value: ReportValue) -> String {
        switch value {
        case .time(let microseconds):
            return Timestamp(microseconds: microseconds).description
        case .localTime(let microseconds, let offset):
            let local = Timestamp(microseconds: microseconds + Int64(offset) * 60_000_000).description
            let seconds = local.hasSuffix(".000000Z") ? String(local.prefix(19)) : String(local.dropLast())
            return seconds + Self.offset(offset)
        default:
            return ""
        }
    }

    /// The start of an interval for people: the date, and the time if intervals are shorter than a day.
    static func short(_ value: ReportValue, withTime: Bool) -> String {
        guard case .localTime(_, let offset) = value else { return String(rfc3339(value).prefix(withTime ? 16 : 10)) }
        let text = rfc3339(value)
        return withTime
            ? "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))\(Self.offset(offset))" : String(text.prefix(10))
    }

    private static func offset(_ minutes: Int) -> String {
        let size = abs(minutes)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return (minutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60)
    }
}
