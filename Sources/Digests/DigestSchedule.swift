/// When a digest is due: each day or on a weekday, at a time of day of the view's time zone.
public struct DigestSchedule: Sendable, Equatable, CustomStringConvertible {
    /// 1 Monday to 7 Sunday; nil for each day.
    public let weekday: Int16?
    /// The time of day, `HH:MM`.
    public let at: String

    /// The names of weekdays, Monday first.
    public static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// - Parameters:
    ///   - every: `day` or `week`.
    ///   - weekday: a name of ``weekdays``, of a weekly digest; nil for Monday.
    ///   - at: `HH:MM`; nil for 08:00.
    /// - Throws: ``DigestError`` with what is accepted.
    public init(every: String, weekday: String?, at: String?) throws(DigestError) {
        switch (every, weekday) {
        case ("day", nil): self.weekday = nil
        case ("day", _): throw DigestError("only a weekly digest has a weekday: leave it out")
        case ("week", let name):
            guard let index = Self.weekdays.firstIndex(of: name ?? "monday") else {
                throw DigestError("a weekday is one of \(Self.weekdays.joined(separator: ", "))")
            }
            self.weekday = Int16(index + 1)
        default: throw DigestError("every must be day or week")
        }
        let at = at ?? "08:00"
        guard at.wholeMatch(of: /([01][0-9]|2[0-3]):[0-5][0-9]/) != nil else {
            throw DigestError("the time must be HH:MM, such as 08:00")
        }
        self.at = at
    }

    /// Reads it as the database has it.
    init(weekday: Int16?, at: String) {
        self.weekday = weekday
        self.at = at
    }

    /// Whether it is of weeks.
    public var isWeekly: Bool { weekday != nil }

    /// `day` or `week`.
    public var every: String { isWeekly ? "week" : "day" }

    /// The weekday's name; nil for each day.
    public var weekdayName: String? { weekday.map { Self.weekdays[Int($0) - 1] } }

    /// The schedule in words.
    public var description: String {
        "each \(weekdayName ?? "day") at \(at)"
    }
}

/// Why a digest is not accepted, or cannot be made.
public struct DigestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what is accepted, in one sentence.
    public let description: String
    /// Whether other digests are in its way: the app has the same, or too many.
    public let isConflict: Bool

    init(_ description: String, isConflict: Bool = false) {
        self.description = description
        self.isConflict = isConflict
    }
}
