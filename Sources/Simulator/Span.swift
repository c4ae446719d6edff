/// Lengths of time in microseconds.
enum Span {
    static let millisecond: Int64 = 1_000
    static let second: Int64 = 1_000_000
    static let minute: Int64 = 60 * second
    static let hour: Int64 = 60 * minute
    static let day: Int64 = 24 * hour

    /// A length given as a floating point number of minutes.
    static func minutes(_ count: Double) -> Int64 { Int64(count * Double(minute)) }
}
