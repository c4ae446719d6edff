import NotificationEvents

extension Normaliser {
    private typealias Tag = JSONTape.Tag

    /// Writes an object of the sender's own in its one form: keys sorted by their bytes, no white space.
    func writeAttributes(_ value: Int, maxBytes: Int) throws(FieldFailure) -> Bool {
        guard tape.tag(value) == Tag.object else { throw .type("an object") }
        guard value + 1 < tape.close(value) else { return false }
        let start = out.count
        writeSorted(value)
        guard out.count - start <= maxBytes else {
            throw FieldFailure(.tooLarge, "has \(out.count - start) bytes and may have at most \(maxBytes)")
        }
        return true
    }

    /// Writes any value; the depth of items is limited, so this does not nest far.
    func writeSorted(_ value: Int) {
        switch tape.tag(value) {
        case Tag.object:
            var members: [(key: UnsafeRawBufferPointer, value: Int)] = []
            var index = value + 1
            let end = tape.close(value)
            while index < end {
                members.append((tape.string(index), index + 1))
                index = tape.next(index + 1)
            }
            // Of equal keys the last counts; it has the higher index.
            members.sort { left, right in
                left.key.lexicographicallyPrecedes(right.key)
                    || (left.value < right.value && left.key.elementsEqual(right.key))
            }
            out.append(UInt8(ascii: "{"))
            let start = out.count
            for (position, member) in members.enumerated() {
                if position + 1 < members.count, members[position + 1].key.elementsEqual(member.key) {
                    continue
                }
                if out.count > start {
                    out.append(UInt8(ascii: ","))
                }
                out.append(string: member.key)
                out.append(UInt8(ascii: ":"))
                writeSorted(member.value)
            }
            out.append(UInt8(ascii: "}"))
        case Tag.array:
            out.append(UInt8(ascii: "["))
            let start = out.count
            var index = value + 1
            let end = tape.close(value)
            while index < end {
                if out.count > start {
                    out.append(UInt8(ascii: ","))
                }
                writeSorted(index)
                index = tape.next(index)
            }
            out.append(UInt8(ascii: "]"))
        default:
            out.append(scalar: value, of: tape)
        }
    }
}

extension OutputBuffer {
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
