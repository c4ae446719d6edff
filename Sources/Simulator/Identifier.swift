/// 128 bits written as a UUID.
struct Identifier: Equatable {
    let high: UInt64
    let low: UInt64

    /// A random UUID (RFC 9562, version 4).
    init(from random: inout DeterministicGenerator) {
        high = random.next() & ~0xF000 | 0x4000
        low = random.next() & ~(0b11 << 62) | 0b10 << 62
    }

    /// A UUID of version 7 (RFC 9562) with a time of its maker's clock, in microseconds since 1970 UTC.
    init(time: Int64, from random: inout DeterministicGenerator) {
        let milliseconds = UInt64(bitPattern: floorDivide(time, Span.millisecond))
        high = milliseconds << 16 | 0x7000 | random.next() & 0x0FFF
        low = random.next() & ~(0b11 << 62) | 0b10 << 62
    }
}
