/// Why an item was rejected: a stable code, a pointer into the body, and what would be accepted.
///
/// The message never holds a token, the text of a reply, the words of an alert, or an id.
public struct EventError: Error, Hashable, Sendable {
    /// What is wrong, for programs.
    public var code: Code
    /// The location, as a JSON pointer (RFC 6901) into the body; in NDJSON its first part is the index of the line.
    public var pointer: String
    /// What is wrong and what is accepted, in one sentence.
    public var message: String

    /// Makes an error.
    public init(code: Code, pointer: String, message: String) {
        self.code = code
        self.pointer = pointer
        self.message = message
    }
}

extension EventError: CustomStringConvertible {
    /// The error in one line.
    public var description: String {
        "\(code.rawValue) at \"\(pointer)\": \(message)"
    }
}

extension EventError {
    /// A stable code. More may be added: code that switches over them needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as it is written in answers.
        public let rawValue: String

        /// Makes a code from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }
}

extension EventError.Code {
    /// The item, or its line, is not JSON.
    public static let invalidJSON = Self(rawValue: "invalid_json")
    /// A required field is absent.
    public static let missingField = Self(rawValue: "missing_field")
    /// A field has the wrong JSON type.
    public static let invalidType = Self(rawValue: "invalid_type")
    /// A field has a value that is not accepted.
    public static let invalidValue = Self(rawValue: "invalid_value")
    /// `kind` is not a kind of event.
    public static let unknownKind = Self(rawValue: "unknown_kind")
    /// A call of another product names an event that is not about notifications.
    public static let unknownEvent = Self(rawValue: "unknown_event")
    /// The item, or a part of it, is larger than its limit.
    public static let tooLarge = Self(rawValue: "too_large")
    /// The item is nested deeper than the limit.
    public static let tooDeep = Self(rawValue: "too_deep")
    /// The event happened before the retention horizon.
    public static let tooOld = Self(rawValue: "too_old")
    /// The key's scope may not send this.
    public static let scope = Self(rawValue: "scope")
    /// An event with this id and other content is stored already.
    public static let idConflict = Self(rawValue: "id_conflict")
    /// The device was erased: its events are no longer stored.
    public static let erased = Self(rawValue: "erased")
}
