/// One field of an event, or of an object within one.
public struct Field: Sendable {
    /// The field's name in JSON.
    public let name: String
    /// Its type.
    public let type: FieldType
    /// Whether an event without it is rejected.
    public let isRequired: Bool
    /// Its default, as JSON; `nil` leaves it out.
    public let defaultValue: String?
    /// Where its value is stored.
    public let placement: Placement
    /// Whether an object is kept where nothing of it is: that it was sent says something.
    public let isKeptEmpty: Bool

    /// Where a field's value is stored.
    public enum Placement: Sendable {
        /// In `data`, under the field's own name.
        case data
        /// In a column of the log.
        case column(Column)
    }

    /// The columns of the log that are filled from a field.
    public enum Column: Sendable {
        /// The kind of the event.
        case kind
        /// The id of the event.
        case id
        /// When it happened.
        case occurredAt
        /// The app installation.
        case deviceID
        /// The notification; `request_identifier` if it is absent.
        case notificationID
        /// The firing of a repeating request.
        case occurrence
        /// The digest of a device token.
        case token
    }

    /// Makes a field that is stored in `data`.
    public init(
        _ name: String,
        _ type: FieldType,
        required: Bool = false,
        default defaultValue: String? = nil,
        keptEmpty: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isRequired = required
        self.defaultValue = defaultValue
        self.placement = .data
        self.isKeptEmpty = keptEmpty
    }

    /// Makes a field that is stored in a column.
    init(_ name: String, _ type: FieldType, required: Bool = false, column: Column) {
        self.name = name
        self.type = type
        self.isRequired = required
        self.defaultValue = nil
        self.placement = .column(column)
        self.isKeptEmpty = false
    }
}
