public import EventLog
public import NotificationEvents

/// An alert: a rule's condition held in a cell, from a day until it is resolved.
public struct Alert: Sendable {
    /// Its number.
    public var id: Int64
    /// The rule's name.
    public var rule: String
    /// The rule's report.
    public var report: String
    /// The column that was judged.
    public var metric: String
    /// The cell, as JSON.
    public var cell: String
    /// The day, `YYYY-MM-DD`.
    public var day: String
    /// The value, its volume, and what it was judged by, as JSON.
    public var figures: String
    /// The position of the report that raised it.
    public var position: Position
    /// When it was raised.
    public var raisedAt: Timestamp
    /// When it was resolved; nil while it is open.
    public var resolvedAt: Timestamp?
}
