internal import NotificationEvents

/// Microseconds from 1970 to 2000, PostgreSQL's epoch.
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
        put { Hexadecimal.write(bytes, to: $0) }
    }

    /// A UUID as text (RFC 9562), 36 bytes.
    mutating func put(uuid bytes: UnsafeRawBufferPointer) {
        let id = EventID(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
        put(count: EventID.formattedCount) { id.write(to: $0) }
    }

    /// A time of PostgreSQL as RFC 3339 in UTC with microseconds, 27 bytes.
    mutating func put(moment microseconds: Int64) {
        let moment = Timestamp(microseconds: microseconds &+ epoch)
        put(count: Timestamp.formattedCount) { moment.write(to: $0) }
    }

    /// A JSON string, at most six bytes each and two bytes more.
    mutating func put(json text: UnsafeRawBufferPointer) {
        put { JSONString.write(text, to: $0) }
    }

    /// A field of CSV (RFC 4180), at most twice the length plus two bytes.
    mutating func put(quoted bytes: UnsafeRawBufferPointer) {
        put(UInt8(ascii: "\""))
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { put(byte) }
            put(byte)
        }
        put(UInt8(ascii: "\""))
    }
}
