import Foundation

/// A time of RFC 3339 taken apart, by Foundation's calendar and not the simulator's.
struct RFC3339Time: Sendable {
    /// Seconds since 1970 UTC.
    let seconds: Double
    /// The hour that the sender's clock shows.
    let localHour: Int

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        func number(_ lower: Int, _ upper: Int) -> Int? {
            guard upper <= bytes.count else { return nil }
            return bytes[lower..<upper].reduce(Int?.some(0)) { sum, byte in
                (0x30...0x39).contains(byte) ? sum.map { $0 * 10 + Int(byte) - 0x30 } : nil
            }
        }
        guard let year = number(0, 4), let month = number(5, 7), let day = number(8, 10), let hour = number(11, 13),
            let minute = number(14, 16), let second = number(17, 19), bytes[4] == bytes[7],
            bytes[4] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), bytes[13] == bytes[16], bytes[13] == UInt8(ascii: ":")
        else { return nil }
        var position = 19
        var fraction = 0.0
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            let digits = bytes[(position + 1)...].prefix { (0x30...0x39).contains($0) }
            guard (1...6).contains(digits.count), let value = number(position + 1, digits.endIndex) else { return nil }
            fraction = Double(value) / pow(10, Double(digits.count))
            position = digits.endIndex
        }
        var offset = 0
        switch bytes[position...] {
        case [UInt8(ascii: "Z")]:
            break
        case let zone where zone.count == 6:
            guard let hours = number(position + 1, position + 3), let minutes = number(position + 4, position + 6)
            else { return nil }
            offset = (hours * 60 + minutes) * (zone.first == UInt8(ascii: "-") ? -60 : 60)
        default:
            return nil
        }
        let components = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard let date = Self.calendar.date(from: components) else { return nil }
        seconds = date.timeIntervalSince1970 + fraction - Double(offset)
        localHour = hour
    }
}
