/// The type of a field: how it is validated, and how it is normalised.
public indirect enum FieldType: Sendable {
    /// Text of at most this number of bytes of UTF-8. Empty text counts as an absent field.
    case string(maxBytes: Int, format: StringFormat = .any)
    /// Text of 1 to this number of bytes of UTF-8.
    case label(maxBytes: Int)
    /// An id of 1 to this number of bytes of UTF-8, stored as a keyed hash if the app hashes ids.
    case identifier(maxBytes: Int)
    /// A UUID in its text form, stored in lower case.
    case uuid
    /// RFC 3339 with an offset, up to microseconds; in `data` as UTC with microseconds.
    case timestamp
    /// `true` or `false`.
    case boolean
    /// A whole number.
    case integer(ClosedRange<Int64>)
    /// A number.
    case number(ClosedRange<Double>)
    /// One of the listed names, or its raw integer. Anything else is rejected.
    case enumeration(Enumeration)
    /// One of the listed raw integers as its name, or any text of at most this number of bytes.
    case openEnumeration(Enumeration, maxBytes: Int)
    /// An array of the listed names, or a raw bit set; stored as an array of names in their documented order.
    case optionSet(Enumeration)
    /// An array of at most this number of elements.
    case list(FieldType, maxCount: Int)
    /// An object with fields of its own.
    case object([Field])
    /// Any object of at most this number of bytes; stored with its keys sorted.
    case attributes(maxBytes: Int)
    /// A device token: only its SHA-256 is stored.
    case token
    /// Typed text: its length in Unicode scalars (PostgreSQL's characters) is stored in the field of that name, and the text
    /// only if the app keeps reply text.
    case replyText(lengthField: String)
    /// The payload of a push as the provider sent it: known fields are read from it, the rest is dropped.
    case payload
    /// The APNs headers of a push: known ones are read, the rest is dropped.
    case headers
}
