/// The first 16 bytes of the SHA-256 of an event's canonical form: two events with one id are the same event if, and only
/// if, their digests are equal.
public struct ContentDigest: Hashable, Sendable {
    /// The first eight bytes, as a big-endian number.
    public var high: UInt64
    /// The last eight bytes, as a big-endian number.
    public var low: UInt64

    /// Makes a digest from its two halves, each a big-endian number.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}
