internal import struct Foundation.Date

/// The time of day.
public enum SystemClock {
    /// The system's clock, in microseconds since 1970-01-01T00:00:00Z.
    public static let microseconds: @Sendable () -> Int64 = {
        Int64(Date().timeIntervalSince1970 * 1_000_000)
    }
}
