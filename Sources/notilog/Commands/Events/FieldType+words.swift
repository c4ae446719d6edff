import NotificationEvents

extension FieldType {
    /// What is accepted, in words.
    var words: String {
        switch self {
        case .string(let maxBytes, let format):
            switch format {
            case .any: "text of at most \(maxBytes) bytes"
            case .languageTag: "language tag (BCP 47)"
            case .timeZone: "time zone (IANA), kept whether it is known or not"
            case .currency: "code of a currency (ISO 4217)"
            }
        case .label(let maxBytes): "text of 1 to \(maxBytes) bytes"
        case .identifier(let maxBytes): "id of 1 to \(maxBytes) bytes"
        case .uuid: "UUID"
        case .timestamp: "time"
        case .boolean: "`true` or `false`"
        case .integer(let range): "whole number, \(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "number, \(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
        case .enumeration(let values): values.words
        case .openEnumeration(let values, let maxBytes):
            "\(values.words), or other text of at most \(maxBytes) bytes"
        case .optionSet(let values): "array of \(values.words); or the raw value"
        case .list(let element, let maxCount): "array of at most \(maxCount): \(element.words)"
        case .object: "object"
        case .attributes(let maxBytes): "any object, at most \(maxBytes) bytes"
        case .token: "device token; only its SHA-256 is kept"
        case .replyText: "the typed text; only its length is kept, unless the app's switch keep_reply_text is on"
        case .payload: "the push's payload as sent; known fields are read from it"
        case .headers: "the push's headers as sent; known ones are read"
        }
    }

    /// The fields of an object, or of the objects in an array.
    var parts: [Field] {
        switch self {
        case .object(let fields): fields
        case .list(let element, _): element.parts
        default: []
        }
    }

    /// The separator between the name of such a field and that of its part.
    var step: String {
        if case .list = self { "[]." } else { "." }
    }

    private static func short(_ number: Double) -> String {
        number == number.rounded() ? String(Int64(number)) : String(number)
    }
}

extension Enumeration {
    fileprivate var words: String {
        names.map { "`\($0)`" }.joined(separator: ", ")
    }
}
