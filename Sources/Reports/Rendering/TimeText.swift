internal import Foundation
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

    /// A range as the clocks of a zone say it, with the zone; in UTC where this system does not know the zone.
    static func range(_ from: ReportValue, _ to: ReportValue, zone: String) -> String {
        let known = TimeZone(identifier: zone)
        func minute(_ value: ReportValue) -> Substring {
            guard case .time(let microseconds) = value, let known else { return rfc3339(value).prefix(16) }
            let moment = Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
            let offset = known.secondsFromGMT(for: moment) / 60
            return rfc3339(.localTime(microseconds, utcOffsetMinutes: offset)).prefix(16)
        }
        return "\(minute(from)) to \(minute(to)) \(known == nil ? "UTC" : zone)"
    }

    private static func offset(_ minutes: Int) -> String {
        let size = abs(minutes)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return (minutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60)
    }
}
