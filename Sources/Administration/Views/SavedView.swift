public import EventLog
public import NotificationEvents

/// A question that is asked again: a report and its parameters, under a name.
public struct SavedView: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// The report.
    public var report: String
    /// The values of each parameter.
    public var parameters: [String: [String]]
    /// The settled position of the log when this definition was saved.
    public var position: Position
    /// When this definition was saved.
    public var savedAt: Timestamp

    /// The parameters as pairs, by name.
    public var pairs: [(name: String, value: String)] { parameters.pairs }

    /// Parameters that say how an answer is read, not what is asked: a view has none of them.
    public static let excluded: Set<String> = ["format", "min_position", "cursor"]

    /// The rule of ``excluded``, in words.
    public static let excludedRule = "a view holds no format, min_position or cursor: give them when it is read"
}
