/// A moment, in whole microseconds since 1970-01-01T00:00:00Z: PostgreSQL's own resolution of `timestamptz`.
///
/// Leap seconds are not counted, as in POSIX time.
public struct Timestamp: Hashable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z, negative before it.
    public var microseconds: Int64

    /// Makes a moment from microseconds since 1970-01-01T00:00:00Z.
    @inlinable
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Makes a moment from whole seconds since 1970-01-01T00:00:00Z.
    @inlinable
    public init(seconds: Int64) {
        self.microseconds = seconds &* 1_000_000
    }

    /// The earliest moment that is accepted: 0001-01-01T00:00:00Z.
    public static let earliest = Timestamp(microseconds: -62_135_596_800_000_000)

    /// The latest moment that is accepted: 9999-12-31T23:59:59.999999Z.
    public static let latest = Timestamp(microseconds: 253_402_300_799_999_999)
}

extension Timestamp: Comparable {
    /// Whether one moment is before another.
    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Timestamp {
    /// The moment that many microseconds later; stays within ``earliest`` and ``latest``.
    public func advanced(byMicroseconds distance: Int64) -> Timestamp {
        let (sum, overflow) = microseconds.addingReportingOverflow(distance)
        if overflow {
            return distance < 0 ? .earliest : .latest
        }
        return min(max(Timestamp(microseconds: sum), .earliest), .latest)
    }
}
