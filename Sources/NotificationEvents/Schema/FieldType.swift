/// What a field holds: how it is checked, and how it is normalised.
public indirect enum FieldType: Sendable {
    /// Text of at most so many bytes of UTF-8. Empty text counts as an absent field.
    case string(maxBytes: Int, format: StringFormat = .any)
    /// Text of 1 to so many bytes of UTF-8.
    case label(maxBytes: Int)
    /// An id of 1 to so many bytes of UTF-8, kept as a keyed hash where the app hashes ids.
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
    /// One of the listed raw integers as its name, or any text of at most so many bytes.
    case openEnumeration(Enumeration, maxBytes: Int)
    /// An array of the listed names, or a raw bit set; stored as an array of names in their documented order.
    case optionSet(Enumeration)
    /// An array of at most so many elements.
    case list(FieldType, maxCount: Int)
    /// An object with fields of its own.
    case object([Field])
    /// An object of the sender's own, of at most so many bytes; stored with its keys sorted.
    case attributes(maxBytes: Int)
    /// A device token: kept as its SHA-256 alone.
    case token
    /// What a person typed: measured in Unicode scalars (PostgreSQL's characters) into the field of that name, and kept
    /// only where the app keeps reply text.
    case replyText(lengthField: String)
    /// The payload of a push as the provider sent it: known fields are taken from it, the rest is dropped.
    case payload
    /// The APNs headers of a push: known ones are taken, the rest is dropped.
    case headers
}

/// A form that text must have.
public enum StringFormat: Sendable {
    /// Any text.
    case any
    /// A language tag (BCP 47); an underscore, as in `Locale.identifier`, is read as a hyphen.
    case languageTag
    /// The name of a time zone in the IANA database, by its form alone.
    case timeZone
}
