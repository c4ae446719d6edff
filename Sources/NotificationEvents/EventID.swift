/// An event's id: a UUID (RFC 9562), unique within app and device.
public struct EventID: Hashable, Sendable {
    /// The first eight bytes, as a big-endian number.
    public var high: UInt64
    /// The last eight bytes, as a big-endian number.
    public var low: UInt64

    /// Makes an id from its two halves, each a big-endian number.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes an id of version 5 from the SHA-1 digest of a namespace and a name (RFC 9562, section 5.5).
    /// - Parameter digest: the digest's first 16 bytes, as two big-endian numbers.
    public init(version5 digest: (high: UInt64, low: UInt64)) {
        high = digest.high & 0xFFFF_FFFF_FFFF_0FFF | 0x5000
        low = digest.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// Makes an id of version 7 (RFC 9562, section 5.7): it sorts by time, so indexes grow at one end.
    /// - Parameters:
    ///   - time: the time when the event was made, to milliseconds.
    ///   - generator: the source of the 74 random bits.
    public init(version7 time: Timestamp, using generator: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(bitPattern: max(0, time.microseconds / 1000))
        high = milliseconds << 16 | 0x7000 | generator.next() & 0x0FFF
        low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// The 16 bytes, in network order.
    public var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - $0 % 8 * 8)) }
    }
}

extension EventID: Comparable {
    /// Whether one id sorts before another, as PostgreSQL sorts `uuid`: by its bytes.
    @inlinable
    public static func < (left: EventID, right: EventID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
