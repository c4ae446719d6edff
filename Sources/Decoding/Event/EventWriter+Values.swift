import NotificationEvents

extension EventWriter {
    private typealias Tag = JSONTape.Tag

    /// Checks a value and writes it in its one form; `false` where it counts as absent.
    mutating func write(_ type: CompiledType, _ value: Int) throws(FieldFailure) -> Bool {
        switch type {
        case .string(let maxBytes, let format):
            return try writeString(value, maxBytes: maxBytes, format: format)
        case .label(let maxBytes):
            guard try writeString(value, maxBytes: maxBytes, format: .any) else {
                throw FieldFailure(.invalidValue, "must have 1 to \(maxBytes) bytes")
            }
        case .identifier(let maxBytes):
            out.append(string: try secrets.identifier(tape.utf8(value), maxBytes: maxBytes))
        case .uuid:
            out.append(UInt8(ascii: "\""))
            out.append(plain: try tape.uuid(value).description)
            out.append(UInt8(ascii: "\""))
        case .timestamp:
            out.append(timestamp: try tape.timestamp(value).timestamp)
        case .boolean:
            switch tape.tag(value) {
            case Tag.yes: out.append("true")
            case Tag.no: out.append("false")
            default: throw .type("true or false")
            }
        case .integer(let range):
            out.append(integer: try tape.integer(value, within: range))
        case .number(let range):
            try writeNumber(value, range)
        case .enumeration(let enumeration):
            out.append(enumeration.values[try enumeration.index(of: value, on: tape)])
        case .openEnumeration(let enumeration, let maxBytes):
            return try writeOpen(value, enumeration, maxBytes: maxBytes)
        case .optionSet(let enumeration):
            try writeOptions(value, enumeration)
        case .list(let element, let maxCount):
            try writeList(value, element, maxCount: maxCount)
        case .object(let object):
            return try writeObject(object, value)
        case .attributes(let maxBytes):
            return try writeAttributes(value, maxBytes: maxBytes)
        case .token, .replyText, .payload, .headers:
            return false
        }
        return true
    }

    private func writeString(_ value: Int, maxBytes: Int, format: StringFormat) throws(FieldFailure) -> Bool {
        let text = try tape.utf8(value)
        guard !text.isEmpty else { return false }
        guard text.count <= maxBytes else {
            throw FieldFailure(.invalidValue, "is \(text.count) bytes; the limit is \(maxBytes)")
        }
        guard format.fits(text) else { throw .value(format.refusal, text) }
        guard case .languageTag = format else {
            out.append(string: text)
            return true
        }
        out.append(UInt8(ascii: "\""))
        for byte in text {
            out.append(byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte)
        }
        out.append(UInt8(ascii: "\""))
        return true
    }

    /// Writes an object of the sender's own in its one form: keys sorted by their bytes, no white space.
    private func writeAttributes(_ value: Int, maxBytes: Int) throws(FieldFailure) -> Bool {
        guard tape.tag(value) == Tag.object else { throw .type("an object") }
        guard tape.hasContent(value) else { return false }
        let start = out.count
        let zeros = out.append(sorted: value, of: tape)
        let bytes = out.count - start + zeros
        guard bytes <= maxBytes else {
            throw FieldFailure(
                .tooLarge,
                zeros > 0
                    ? "is \(bytes) bytes with the numbers written out; the limit is \(maxBytes)"
                    : "is \(bytes) bytes; the limit is \(maxBytes)"
            )
        }
        return true
    }

    private func writeNumber(_ value: Int, _ range: ClosedRange<Double>) throws(FieldFailure) {
        let number: Double
        switch tape.tag(value) {
        case Tag.integer: number = Double(tape.integer(value))
        case Tag.unsigned: number = Double(UInt64(bitPattern: tape.integer(value)))
        case Tag.double: number = tape.double(value)
        default: throw .type("a number")
        }
        guard range.contains(number) else {
            throw FieldFailure(.invalidValue, "is not within \(range.lowerBound) and \(range.upperBound)")
        }
        out.append(number: number)
    }
}

extension StringFormat {
    /// What is said of text that does not have the format.
    fileprivate var refusal: String {
        switch self {
        case .any: "is not text"
        case .languageTag: "is not a language tag (BCP 47), such as pt-BR"
        case .timeZone: "is not the name of an IANA time zone, such as Europe/Berlin"
        case .currency: "is not the code of a currency (ISO 4217), such as EUR"
        }
    }
}
