internal import NotificationEvents

/// A time as a caller gave it.
enum ReportTime: Sendable, Equatable {
    /// An RFC 3339 time.
    case instant(Int64)
    /// A date, `YYYY-MM-DD`: its first instant in the report's time zone, computed by PostgreSQL.
    case date(String)
    /// A number of days, `P7D`: the first instant of the first of so many days of the report's time zone, of which the last is the
    /// one that ends the range; computed by PostgreSQL.
    case days(Int)

    /// Parses a time or a date of the Gregorian calendar.
    ///
    /// - Parameter takesDays: whether a number of days is accepted too.
    init?(_ text: String, takesDays: Bool = false) {
        if let zoned = Timestamp.parse(text) {
            self = .instant(zoned.timestamp.microseconds)
        } else if text.utf8.count == 10, Timestamp.parse(text + "T00:00:00Z") != nil {
            self = .date(text)
        } else if takesDays, text.hasPrefix("P"), text.hasSuffix("D"), !text.hasPrefix("P0"),
            let days = UInt16(text.dropFirst().dropLast()), days <= Self.mostDays
        {
            self = .days(Int(days))
        } else {
            return nil
        }
    }

    private static let mostDays = 3_660

    /// The text for the report's function.
    var text: String {
        switch self {
        case .instant(let microseconds): Timestamp(microseconds: microseconds).description
        case .date(let date): date
        case .days(let days): "P\(days)D"
        }
    }
}
