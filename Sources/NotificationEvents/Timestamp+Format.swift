extension Timestamp: CustomStringConvertible {
    /// How many bytes ``write(to:)`` writes.
    public static let formattedCount = 27

    /// The moment as RFC 3339 in UTC with microseconds: `2026-03-01T08:30:00.250000Z`.
    public var description: String {
        withUnsafeTemporaryAllocation(byteCount: Self.formattedCount, alignment: 1) { bytes in
            write(to: bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Writes the moment as RFC 3339 in UTC with microseconds, ``formattedCount`` bytes of ASCII.
    ///
    /// Moments outside ``earliest`` and ``latest`` are written as the nearer of the two.
    public func write(to bytes: UnsafeMutableRawBufferPointer) {
        let moment = min(max(self, .earliest), .latest).microseconds
        var days = moment / 86_400_000_000
        var rest = moment % 86_400_000_000
        if rest < 0 {
            rest += 86_400_000_000
            days -= 1
        }
        let (year, month, day) = Self.date(dayNumber: days)
        let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000)
        Self.put(year, 4, bytes, 0)
        bytes[4] = UInt8(ascii: "-")
        Self.put(month, 2, bytes, 5)
        bytes[7] = UInt8(ascii: "-")
        Self.put(day, 2, bytes, 8)
        bytes[10] = UInt8(ascii: "T")
        Self.put(seconds / 3600, 2, bytes, 11)
        bytes[13] = UInt8(ascii: ":")
        Self.put(seconds / 60 % 60, 2, bytes, 14)
        bytes[16] = UInt8(ascii: ":")
        Self.put(seconds % 60, 2, bytes, 17)
        bytes[19] = UInt8(ascii: ".")
        Self.put(fraction, 6, bytes, 20)
        bytes[26] = UInt8(ascii: "Z")
    }

    @inline(__always)
    private static func put(_ value: Int64, _ count: Int, _ bytes: UnsafeMutableRawBufferPointer, _ position: Int) {
        var value = UInt32(truncatingIfNeeded: value)
        for index in stride(from: position + count - 1, through: position, by: -1) {
            bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10)
            value /= 10
        }
    }
}
