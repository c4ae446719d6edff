internal import NotificationEvents

private let digits = Array("0123456789abcdef".utf8)
/// Microseconds from 1970 to 2000, which PostgreSQL counts from.
private let epoch: Int64 = 946_684_800_000_000

extension ByteSink {
    /// Decimal digits, at most 20 bytes.
    mutating func put(decimal value: Int64) {
        var magnitude = value.magnitude
        if value < 0 { put(UInt8(ascii: "-")) }
        var length = 1
        var rest = magnitude / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        put(count: length) { bytes in
            for index in stride(from: length - 1, through: 0, by: -1) {
                bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: magnitude % 10)
                magnitude /= 10
            }
        }
    }

    /// Lower-case hexadecimal, two bytes each.
    mutating func put(hexadecimal bytes: UnsafeRawBufferPointer) {
        digits.withUnsafeBufferPointer { digits in
            for byte in bytes {
                put(digits[Int(byte >> 4)])
                put(digits[Int(byte & 15)])
            }
        }
    }

    /// A UUID as text (RFC 9562), 36 bytes.
    mutating func put(uuid bytes: UnsafeRawBufferPointer) {
        var start = 0
        for length in [4, 2, 2, 2, 6] {
            if start > 0 { put(UInt8(ascii: "-")) }
            put(hexadecimal: UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
            start += length
        }
    }

    /// A moment as RFC 3339 in UTC with microseconds, 27 bytes; as PostgreSQL counts it.
    mutating func put(moment microseconds: Int64) {
        let moment = Timestamp(microseconds: microseconds &+ epoch)
        put(count: Timestamp.formattedCount) { moment.write(to: $0) }
    }

    /// A JSON string's content (RFC 8259, section 7), at most six bytes each.
    mutating func put(escaped bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                put(UInt8(ascii: "\\"))
                put(byte)
            case 0..<0x20:
                for ascii in [UInt8(ascii: "\\"), UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")] {
                    put(ascii)
                }
                put(digits[Int(byte >> 4)])
                put(digits[Int(byte & 15)])
            default: put(byte)
            }
        }
    }

    /// A field of CSV (RFC 4180), at most twice as long and two bytes more.
    mutating func put(quoted bytes: UnsafeRawBufferPointer) {
        put(UInt8(ascii: "\""))
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { put(byte) }
            put(byte)
        }
        put(UInt8(ascii: "\""))
    }
}
