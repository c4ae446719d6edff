import NotificationEvents

extension OutputBuffer {
    /// Writes any value; the depth of items is limited, so this does not nest far.
    ///
    /// - Returns: the zeros that its numbers get beyond what is written here, where PostgreSQL writes them without an exponent:
    ///   300 of `1e-300`.
    @discardableResult
    func append(sorted value: Int, of tape: JSONTape) -> Int {
        var zeros = 0
        switch tape.tag(value) {
        case JSONTape.Tag.object:
            var members = tape.members(of: value).map { (key: tape.string($0.name), value: $0.value) }
            // Of equal keys the last counts; it has the higher index.
            members.sort { left, right in
                left.key.lexicographicallyPrecedes(right.key)
                    || (left.value < right.value && left.key.elementsEqual(right.key))
            }
            append(UInt8(ascii: "{"))
            let start = count
            for (position, member) in members.enumerated() {
                if position + 1 < members.count, members[position + 1].key.elementsEqual(member.key) {
                    continue
                }
                if count > start {
                    append(UInt8(ascii: ","))
                }
                append(string: member.key)
                append(UInt8(ascii: ":"))
                zeros += append(sorted: member.value, of: tape)
            }
            append(UInt8(ascii: "}"))
        case JSONTape.Tag.array:
            append(UInt8(ascii: "["))
            let start = count
            for element in tape.elements(of: value) {
                if count > start {
                    append(UInt8(ascii: ","))
                }
                zeros += append(sorted: element, of: tape)
            }
            append(UInt8(ascii: "]"))
        case JSONTape.Tag.double:
            append(scalar: value, of: tape)
            zeros = Self.zeros(of: tape.double(value))
        default:
            append(scalar: value, of: tape)
        }
        return zeros
    }

    /// Those of a number that is written with an exponent.
    private static func zeros(of number: Double) -> Int {
        guard number != 0, number.magnitude < 1e-4 || number.magnitude >= 1e16 else { return 0 }
        return Int(Double(number.exponent.magnitude) * 0.301_03)
    }

    /// Writes a string, number, boolean or null as it was sent.
    func append(scalar value: Int, of tape: JSONTape) {
        switch tape.tag(value) {
        case JSONTape.Tag.string: append(string: tape.string(value))
        case JSONTape.Tag.integer: append(integer: tape.integer(value))
        case JSONTape.Tag.unsigned: append(plain: String(UInt64(bitPattern: tape.integer(value))))
        case JSONTape.Tag.double: append(number: tape.double(value))
        case JSONTape.Tag.yes: append("true")
        case JSONTape.Tag.no: append("false")
        default: append("null")
        }
    }
}
