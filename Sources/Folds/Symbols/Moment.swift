/// Microseconds since 2000-01-01T00:00:00Z, as PostgreSQL counts them in `timestamptz`.
package typealias Moment = Int64

extension Moment {
    /// No time; later than any, so that the earliest of two is the least.
    package static let none = Int64.max
    /// `occurrence` of a notification that has none: -infinity.
    package static let noOccurrence = Int64.min
    /// `occurrence` of a schedule: infinity.
    package static let schedule = Int64.max

    /// The start of the bucket of `width` microseconds, counted from `origin`, that the time lies in.
    package func bucket(_ width: Int64, from origin: Moment = 0) -> Moment {
        let rest = (self - origin) % width
        return self - (rest < 0 ? rest + width : rest)
    }

    /// The later of two times; the other where one is none.
    package func latest(_ other: Moment) -> Moment {
        self == .none ? other : other == .none ? self : Swift.max(self, other)
    }

    /// How long after another time it is. Beyond the type, as between the ends of what PostgreSQL holds, the longest or the least.
    package func since(_ other: Moment) -> Int64 {
        let (length, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self > other ? .max : .min) : length
    }

    package static let quarterHour: Int64 = 900_000_000
    package static let hour: Int64 = 3_600_000_000
    package static let day: Int64 = 86_400_000_000
    /// The first Monday after 2000-01-01.
    package static let monday: Moment = 2 * day
}
