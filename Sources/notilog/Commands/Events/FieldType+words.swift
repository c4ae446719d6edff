import NotificationEvents

extension FieldType {
    /// What is accepted, in words.
    var words: String {
        switch self {
        case .string(let maxBytes, let format):
            switch format {
            case .any: "text of at most \(maxBytes) bytes"
            case .languageTag: "language tag (BCP 47)"
            case .timeZone: "time zone (IANA)"
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
        case .attributes(let maxBytes): "object of the sender's own, at most \(maxBytes) bytes"
        case .token: "device token; only its SHA-256 is kept"
        case .replyText: "what the person typed; measured, and kept only where the app's switch says so"
        case .payload: "the push's payload as it was sent; known fields are taken from it"
        case .headers: "the push's headers as they were sent; known ones are taken"
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

    /// What stands between the name of such a field and that of its part.
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
