import NotificationEvents

/// Values that more than one field reads in the same way.
extension JSONTape {
    /// The bytes of a string.
    func utf8(_ value: Int) throws(FieldFailure) -> UnsafeRawBufferPointer {
        guard tag(value) == Tag.string else { throw .type("a string") }
        return string(value)
    }

    func uuid(_ value: Int) throws(FieldFailure) -> EventID {
        guard let id = EventID(utf8: try utf8(value)) else {
            throw FieldFailure(.invalidValue, "is not a UUID of 36 characters")
        }
        return id
    }

    func timestamp(_ value: Int, digits: Int = 6) throws(FieldFailure) -> Timestamp.Zoned {
        let text = try utf8(value)
        guard let zoned = Timestamp.parse(text, digits: digits) else {
            throw .value("is not an RFC 3339 time with an offset and at most \(digits) digits of a second", text)
        }
        return zoned
    }

    func integer(_ value: Int, within range: ClosedRange<Int64>) throws(FieldFailure) -> Int64 {
        let number: Int64?
        switch tag(value) {
        case Tag.integer: number = integer(value)
        case Tag.unsigned: number = nil
        case Tag.double:
            let double = double(value)
            guard double == double.rounded(.towardZero) else { throw .type("a whole number") }
            number = Int64(exactly: double)
        default: throw .type("a whole number")
        }
        guard let number, range.contains(number) else {
            throw FieldFailure(.invalidValue, "is not within \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// Whether a value is more than empty text or an empty object.
    func hasContent(_ value: Int) -> Bool {
        switch tag(value) {
        case Tag.string: !string(value).isEmpty
        case Tag.object: value + 1 < close(value)
        default: true
        }
    }

    /// Whether a dictionary of a sound says that it is a critical alert's.
    func isCriticalSound(_ sound: Int) -> Bool {
        guard let critical = value(of: "critical", in: sound) else { return false }
        return switch tag(critical) {
        case Tag.yes: true
        case Tag.integer: integer(critical) == 1
        default: isString(critical, Array("1".utf8)) || isString(critical, Array("true".utf8))
        }
    }
}
