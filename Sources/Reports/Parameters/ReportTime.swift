internal import NotificationEvents

/// A time as a caller gave it.
enum ReportTime: Sendable, Equatable {
    /// An RFC 3339 time.
    case instant(Int64)
    /// A date, `YYYY-MM-DD`: its first instant in the report's time zone, computed by PostgreSQL.
    case date(String)

    /// Parses a time or a date of the Gregorian calendar.
    init?(_ text: String) {
        if let zoned = Timestamp.parse(text) {
            self = .instant(zoned.timestamp.microseconds)
        } else if text.utf8.count == 10, Timestamp.parse(text + "T00:00:00Z") != nil {
            self = .date(text)
        } else {
            return nil
        }
    }

    /// The text for the report's function.
    var text: String {
        switch self {
        case .instant(let microseconds): Timestamp(microseconds: microseconds).description
        case .date(let date): date
        }
    }
}
