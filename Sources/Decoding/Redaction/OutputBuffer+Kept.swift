import NotificationEvents

/// Values as PostgreSQL gives them back from jsonb: what is counted here is what they cost there.
extension OutputBuffer {
    /// What comes before the next token of a value.
    private enum Place {
        /// Nothing: a bracket was opened.
        case first
        /// The name of a member.
        case name
        /// Another value.
        case value
    }

    /// Writes a value of a tape without white space, its members in their order. Nesting costs memory on the heap, never stack.
    ///
    /// - Parameter end: the count at which it stops; what it has written by then is no whole value.
    func append(kept value: Int, of tape: JSONTape, upTo end: Int = .max) {
        var objects: [Bool] = []
        var place = Place.name
        var index = value
        let next = tape.next(value)
        while index < next, count <= end {
            let tag = tape.tag(index)
            if tag == UInt8(ascii: "}") || tag == UInt8(ascii: "]") {
                append(tag)
                objects.removeLast()
                place = .value
                index += 1
                continue
            }
            if place == .value { append(UInt8(ascii: ",")) }
            if place != .name, objects.last == true {
                append(string: tape.string(index))
                append(UInt8(ascii: ":"))
                place = .name
                index += 1
                continue
            }
            switch tag {
            case JSONTape.Tag.object, JSONTape.Tag.array:
                append(tag)
                objects.append(tag == JSONTape.Tag.object)
                place = .first
                index += 1
            default:
                append(keptScalar: index, of: tape)
                place = .value
                index = tape.next(index)
            }
        }
    }

    /// Writes a string, number, boolean or null.
    func append(keptScalar value: Int, of tape: JSONTape) {
        if tape.tag(value) == JSONTape.Tag.double {
            append(writtenOut: tape.double(value))
        } else {
            append(scalar: value, of: tape)
        }
    }

    /// Writes a finite number without an exponent, as jsonb does, and a large one with a fraction, which jsonb keeps: without it, it
    /// would come back as a whole number, and an event with it has another digest.
    private func append(writtenOut number: Double) {
        let text = number.description
        let parts = text.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else { return append(number: number) }
        let digits = parts[0].filter { $0 != "-" && $0 != "." }
        if number < 0 { append(UInt8(ascii: "-")) }
        if exponent < 0 {
            append("0.")
            append(zeros: -exponent - 1)
            append(plain: digits)
        } else {
            append(plain: digits)
            append(zeros: exponent + 1 - digits.count)
            append(".0")
        }
    }

    private func append(zeros: Int) {
        for _ in 0..<max(zeros, 0) { append(UInt8(ascii: "0")) }
    }
}
