import NotificationEvents

/// A value with the tape that it is on.
struct TapeValue {
    let tape: JSONTape
    let index: Int

    var tag: UInt8 { tape.tag(index) }

    /// The text of a string that is not empty.
    var text: String? {
        guard tag == JSONTape.Tag.string else { return nil }
        let text = tape.string(index)
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    /// The text of a string or whole number, as HTTP headers come.
    var plainText: String? {
        tag == JSONTape.Tag.integer ? String(tape.integer(index)) : text
    }

    /// The object, if it is one.
    var object: TapeObject? {
        tag == JSONTape.Tag.object ? TapeObject(tape: tape, index: index) : nil
    }

    /// The elements of an array; none of anything else.
    var elements: [TapeValue] {
        guard tag == JSONTape.Tag.array else { return [] }
        return tape.elements(of: index).map { TapeValue(tape: tape, index: $0) }
    }

    /// How deep it nests, itself counted. It costs no stack, however deep.
    var depth: Int {
        var (depth, deepest) = (0, 0)
        var index = index
        let end = tape.next(index)
        while index < end {
            switch tape.tag(index) {
            case JSONTape.Tag.object, JSONTape.Tag.array:
                depth += 1
                deepest = max(deepest, depth)
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            default: index = tape.next(index)
            }
        }
        return deepest
    }
}

/// An object on a tape, read by name.
struct TapeObject {
    let tape: JSONTape
    let index: Int

    /// The value of a member; `nil` where it is absent or `null`.
    subscript(name: String) -> TapeValue? {
        guard let found = tape.value(of: name, in: index) else { return nil }
        return TapeValue(tape: tape, index: found)
    }

    /// The members in their order.
    var members: [(name: String, value: TapeValue)] {
        tape.members(of: index).map { member in
            let name = String(decoding: tape.string(member.name), as: UTF8.self)
            return (name, TapeValue(tape: tape, index: member.value))
        }
    }

    /// The text of a member that is a string and not empty.
    func text(_ name: String) -> String? {
        self[name]?.text
    }

    /// A member that must be an object where it is there.
    func object(_ name: String) throws(FieldFailure) -> TapeObject? {
        guard let value = self[name] else { return nil }
        guard let object = value.object else { throw FieldFailure.type("an object").within(name) }
        return object
    }

    /// A member below members, as far as those are objects.
    func value(_ path: String...) -> TapeValue? {
        var object = self
        for name in path.dropLast() {
            guard let inner = object[name]?.object else { return nil }
            object = inner
        }
        guard let last = path.last else { return nil }
        return object[last]
    }
}

extension OutputBuffer {
    /// Writes a value of a tape without white space. The caller has checked its depth.
    func append(_ value: TapeValue) {
        switch value.tag {
        case JSONTape.Tag.object:
            append(UInt8(ascii: "{"))
            var isFirst = true
            for (name, member) in TapeObject(tape: value.tape, index: value.index).members {
                if !isFirst { append(UInt8(ascii: ",")) }
                isFirst = false
                append(string: name)
                append(UInt8(ascii: ":"))
                append(member)
            }
            append(UInt8(ascii: "}"))
        case JSONTape.Tag.array:
            append(UInt8(ascii: "["))
            for (position, element) in value.elements.enumerated() {
                if position > 0 { append(UInt8(ascii: ",")) }
                append(element)
            }
            append(UInt8(ascii: "]"))
        default:
            append(scalar: value.index, of: value.tape)
        }
    }
}
