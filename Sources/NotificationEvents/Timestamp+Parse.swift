extension Timestamp {
    /// A time as sent: the moment, and the offset that it was written with.
    public struct Zoned: Hashable, Sendable {
        /// The moment.
        public var timestamp: Timestamp
        /// Minutes east of UTC, as written; 0 for `Z` and for `-00:00`.
        public var utcOffsetMinutes: Int16
    }

    /// Reads an RFC 3339 time with an offset, up to microseconds: `2026-03-01T09:30:00.25+01:00`.
    ///
    /// Dates are checked against the calendar. A leap second (`23:59:60` in UTC) counts as the second after it. More
    /// than `digits` after the point are refused, as are moments outside the years 1 to 9999 in UTC.
    ///
    /// - Parameter digits: 9 takes the nanoseconds that other systems write, and drops what is below a microsecond.
    /// - Returns: `nil` if the text is anything else.
    public static func parse(_ text: some StringProtocol, digits: Int = 6) -> Zoned? {
        if let zoned = text.utf8.withContiguousStorageIfAvailable({
            parse(UnsafeRawBufferPointer($0), digits: digits)
        }) {
            return zoned
        }
        return Array(text.utf8).withUnsafeBytes { parse($0, digits: digits) }
    }

    /// Reads an RFC 3339 time from UTF-8; see ``parse(_:digits:)-(StringProtocol,_)``.
    public static func parse(_ utf8: UnsafeRawBufferPointer, digits most: Int = 6) -> Zoned? {
        // The shortest is "2026-01-01T00:00:00Z", the longest "2026-01-01T00:00:00.000000+00:00".
        guard utf8.count >= 20, utf8.count <= 26 + most,
            let year4 = digits(utf8, 0, 4), utf8[4] == UInt8(ascii: "-"),
            let month = digits(utf8, 5, 2), utf8[7] == UInt8(ascii: "-"),
            let day = digits(utf8, 8, 2), utf8[10] | 0x20 == UInt8(ascii: "t"),
            let hour = digits(utf8, 11, 2), utf8[13] == UInt8(ascii: ":"),
            let minute = digits(utf8, 14, 2), utf8[16] == UInt8(ascii: ":"),
            let second = digits(utf8, 17, 2)
        else { return nil }
        guard month >= 1, month <= 12, day >= 1, day <= daysInMonth(month, year: year4),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }

        var position = 19
        var fraction: Int64 = 0
        if utf8[position] == UInt8(ascii: ".") {
            position += 1
            var scale: Int64 = 100_000
            let first = position
            while position < utf8.count, let digit = digit(utf8[position]) {
                guard position - first < most else { return nil }
                fraction += digit * scale
                scale /= 10
                position += 1
            }
            guard position > first, position < utf8.count else { return nil }
        }

        guard let offset = offset(utf8, position) else { return nil }
        let seconds =
            ((dayNumber(year: year4, month: month, day: day) * 24 + hour) * 60 + minute - offset) * 60 + second
        if second == 60 {
            // 23:59:60 in UTC is the only leap second; it is read as the second after it.
            guard ((hour * 60 + minute - offset) % 1440 + 1440) % 1440 == 1439, fraction == 0 else { return nil }
        }
        let timestamp = Timestamp(microseconds: seconds * 1_000_000 + fraction)
        guard timestamp >= .earliest, timestamp <= .latest else { return nil }
        return Zoned(timestamp: timestamp, utcOffsetMinutes: Int16(offset))
    }

    /// The offset from `position` to the end, in minutes east of UTC.
    @inline(__always)
    private static func offset(_ utf8: UnsafeRawBufferPointer, _ position: Int) -> Int64? {
        let sign: Int64
        switch utf8[position] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): return position + 1 == utf8.count ? 0 : nil
        case UInt8(ascii: "+"): sign = 1
        case UInt8(ascii: "-"): sign = -1
        default: return nil
        }
        guard position + 6 == utf8.count, let hours = digits(utf8, position + 1, 2),
            utf8[position + 3] == UInt8(ascii: ":"), let minutes = digits(utf8, position + 4, 2),
            hours <= 23, minutes <= 59
        else { return nil }
        return sign * (hours * 60 + minutes)
    }

    @inline(__always)
    private static func digit(_ byte: UInt8) -> Int64? {
        let value = byte &- UInt8(ascii: "0")
        return value <= 9 ? Int64(value) : nil
    }

    @inline(__always)
    private static func digits(_ utf8: UnsafeRawBufferPointer, _ position: Int, _ count: Int) -> Int64? {
        var value: Int64 = 0
        for index in position..<(position + count) {
            guard let digit = digit(utf8[index]) else { return nil }
            value = value * 10 + digit
        }
        return value
    }
}
