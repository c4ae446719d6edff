import Foundation
import NotificationEvents

extension Timestamp {
    /// A date to the nearest microsecond.
    init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        let microseconds = (seconds * 1_000_000).rounded()
        guard microseconds.magnitude < 9e18 else {
            self = seconds < 0 ? .earliest : .latest
            return
        }
        self = Timestamp(microseconds: 0).advanced(byMicroseconds: Int64(microseconds))
    }
}

extension Date {
    /// The moment as RFC 3339, in UTC.
    var rfc3339: String { Timestamp(self).description }

    /// The moment as RFC 3339 with the offset that a clock on the wall there shows.
    func rfc3339(in zone: TimeZone) -> String {
        let minutes = zone.secondsFromGMT(for: self) / 60
        guard minutes != 0, minutes.magnitude < 24 * 60 else { return rfc3339 }
        let local = Timestamp(self).advanced(byMicroseconds: Int64(minutes) * 60_000_000).description
        let offset = [Int(minutes.magnitude) / 60, Int(minutes.magnitude) % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return local.dropLast() + (minutes < 0 ? "-" : "+") + offset.joined(separator: ":")
    }
}

extension UUID {
    init(_ id: EventID) {
        let b = id.bytes
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            )
        )
    }

    /// A fresh UUID of version 7, which sorts by time.
    static func version7(at date: Date) -> UUID {
        var generator = SystemRandomNumberGenerator()
        return UUID(EventID(version7: Timestamp(date), using: &generator))
    }
}
