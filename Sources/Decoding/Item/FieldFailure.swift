import NotificationEvents

/// Why a field is not accepted, before the pointer to its item is known.
struct FieldFailure: Error {
    var code: EventError.Code
    /// The names and indexes down to the field.
    var path: [String]
    /// What is wrong; the field's name goes before it.
    var message: String

    init(_ code: EventError.Code, _ message: String, path: [String] = []) {
        self.code = code
        self.path = path
        self.message = message
    }

    /// The same, seen from the object or array around it.
    func within(_ component: String) -> FieldFailure {
        FieldFailure(code, message, path: [component] + path)
    }

    /// The same, with a value quoted where it looks like a name or a time: it is no text then, and no device token. Of anything else
    /// only how long it is.
    static func value(_ message: String, _ value: UnsafeRawBufferPointer) -> FieldFailure {
        let shown =
            if value.isEmpty || value.looksLikeName || value.looksLikeTime || value.isTimeZoneName {
                "\"\(String(decoding: value, as: UTF8.self))\""
            } else if let digits = value.tokenDigits {
                "(\(digits) hexadecimal digits)"
            } else {
                "(text of \(value.count) bytes)"
            }
        return FieldFailure(.invalidValue, "\(message): \(shown)")
    }

    static let tooManyLargeIntegers = FieldFailure(
        .invalidValue,
        "holds too many whole numbers of more than 64 bits"
    )

    static func type(_ expected: String) -> FieldFailure {
        FieldFailure(.invalidType, "must be \(expected)")
    }
}

extension EventError {
    /// An error of a field, with its pointer in the body.
    init(_ failure: FieldFailure, prefix: String) {
        let pointer = failure.path.reduce(into: prefix) { pointer, component in
            pointer += "/"
            for character in component.unicodeScalars {
                switch character {
                case "~": pointer += "~0"
                case "/": pointer += "~1"
                default: pointer.unicodeScalars.append(character)
                }
            }
        }
        // An element of a list is called by the name of the list.
        let subject = failure.path.last { Int($0) == nil } ?? "the item"
        self.init(code: failure.code, pointer: pointer, message: "\(subject) \(failure.message)")
    }
}
