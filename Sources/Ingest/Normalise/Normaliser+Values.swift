import NotificationEvents

extension Normaliser {
    private typealias Tag = JSONTape.Tag

    /// Checks a value and writes it in its one form; `false` where it counts as absent.
    func write(
        _ type: CompiledType,
        _ value: Int,
        tokenForm: TokenForm
    ) throws(FieldFailure) -> Bool {
        switch type {
        case .string(let maxBytes, let format):
            return try writeString(value, maxBytes: maxBytes, format: format)
        case .label(let maxBytes):
            guard try writeString(value, maxBytes: maxBytes, format: .any) else {
                throw FieldFailure(.invalidValue, "must have 1 to \(maxBytes) bytes")
            }
        case .identifier(let maxBytes):
            out.append(string: try identifier(value, maxBytes: maxBytes))
        case .uuid:
            out.append(UInt8(ascii: "\""))
            out.append(plain: try uuid(value).description)
            out.append(UInt8(ascii: "\""))
        case .timestamp:
            out.append(timestamp: try timestamp(value).timestamp)
        case .boolean:
            switch tape.tag(value) {
            case Tag.yes: out.append("true")
            case Tag.no: out.append("false")
            default: throw .type("true or false")
            }
        case .integer(let range):
            out.append(integer: try integer(value, range))
        case .number(let range):
            try writeNumber(value, range)
        case .enumeration(let enumeration):
            out.append(enumeration.values[try index(value, enumeration)])
        case .openEnumeration(let enumeration, let maxBytes):
            return try writeOpen(value, enumeration, maxBytes: maxBytes)
        case .optionSet(let enumeration):
            try writeOptions(value, enumeration)
        case .list(let element, let maxCount):
            try writeList(value, element, maxCount: maxCount, tokenForm: tokenForm)
        case .object(let object):
            return try writeObject(object, value, tokenForm: tokenForm)
        case .attributes(let maxBytes):
            return try writeAttributes(value, maxBytes: maxBytes)
        case .token, .replyText, .payload, .headers:
            return false
        }
        return true
    }

    func text(_ value: Int) throws(FieldFailure) -> UnsafeRawBufferPointer {
        guard tape.tag(value) == Tag.string else { throw .type("a string") }
        return tape.string(value)
    }

    private func writeString(_ value: Int, maxBytes: Int, format: StringFormat) throws(FieldFailure) -> Bool {
        let text = try text(value)
        guard !text.isEmpty else { return false }
        guard text.count <= maxBytes else {
            throw FieldFailure(.invalidValue, "has \(text.count) bytes and may have at most \(maxBytes)")
        }
        let start = out.count
        out.append(string: text)
        switch format {
        case .any: break
        case .languageTag:
            guard text.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
            else {
                throw .value("is not a language tag (BCP 47), such as pt-BR", text)
            }
            out.truncate(to: start)
            out.append(UInt8(ascii: "\""))
            for byte in text {
                out.append(byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte)
            }
            out.append(UInt8(ascii: "\""))
        case .timeZone:
            guard text.allSatisfy({ $0.isASCIIAlphanumeric || "_-+/".utf8.contains($0) }) else {
                throw .value("is not the name of an IANA time zone, such as Europe/Berlin", text)
            }
        }
        return true
    }

    func uuid(_ value: Int) throws(FieldFailure) -> EventID {
        guard let id = EventID(utf8: try text(value)) else {
            throw FieldFailure(.invalidValue, "is not a UUID of 36 characters")
        }
        return id
    }

    func timestamp(_ value: Int) throws(FieldFailure) -> Timestamp.Zoned {
        let text = try text(value)
        guard let zoned = Timestamp.parse(text) else {
            throw .value("is not an RFC 3339 time with an offset and at most 6 digits of a second", text)
        }
        return zoned
    }

    func integer(_ value: Int, _ range: ClosedRange<Int64>) throws(FieldFailure) -> Int64 {
        let number: Int64?
        switch tape.tag(value) {
        case Tag.integer: number = tape.integer(value)
        case Tag.unsigned: number = nil
        case Tag.double:
            let double = tape.double(value)
            guard double == double.rounded(.towardZero) else { throw .type("a whole number") }
            number = Int64(exactly: double)
        default: throw .type("a whole number")
        }
        guard let number, range.contains(number) else {
            throw FieldFailure(.invalidValue, "is not within \(range.lowerBound) and \(range.upperBound)")
        }
        return number
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

    private func writeList(
        _ value: Int,
        _ element: CompiledType,
        maxCount: Int,
        tokenForm: TokenForm
    ) throws(FieldFailure) {
        guard tape.tag(value) == Tag.array else { throw .type("an array") }
        out.append(UInt8(ascii: "["))
        let start = out.count
        var (index, position) = (value + 1, 0)
        let end = tape.close(value)
        while index < end {
            guard position < maxCount else {
                throw FieldFailure(.invalidValue, "has more than \(maxCount) elements")
            }
            let mark = out.count
            if mark > start {
                out.append(UInt8(ascii: ","))
            }
            names.append(String(position))
            defer { names.removeLast() }
            do {
                if try !write(element, index, tokenForm: tokenForm) {
                    out.truncate(to: mark)
                }
            } catch {
                throw error.within(String(position))
            }
            index = tape.next(index)
            position += 1
        }
        out.append(UInt8(ascii: "]"))
    }
}

extension UInt8 {
    var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
