/// The roles of Notilog (`sql/roles.sql`). None of them has a login; each login is a member of some.
public enum Role: String, Sendable, CaseIterable {
    /// Owns the log, apps and keys: migrates, creates apps and keys, grants access to readers.
    case owner = "notilog_owner"
    /// Takes events in and answers requests.
    case writer = "notilog_writer"
    /// Settles the log and applies projections.
    case projector = "notilog_projector"
    /// Reads in SQL, of the apps granted to it.
    case reader = "notilog_reader"

    /// Those that the login of a service is a member of.
    public static let ofService: [Role] = [.writer, .projector]
}

extension Role: CustomStringConvertible {
    /// The role's name in the database.
    public var description: String { rawValue }
}
