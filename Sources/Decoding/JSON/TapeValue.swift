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

    /// The elements of an array, read one by one: there may be as many as half the bytes of a body. None of anything else.
    var elements: LazyMapSequence<JSONTape.Elements, TapeValue> {
        let indexes = tag == JSONTape.Tag.array ? tape.elements(of: index) : tape.noElements
        return indexes.lazy.map { [tape] in TapeValue(tape: tape, index: $0) }
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
            default:
                if tape.isClose(index) { depth -= 1 }
                index = tape.next(index)
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
    /// Writes a value of a tape without white space. It costs no stack, however deep it nests.
    func append(_ value: TapeValue) {
        let tape = value.tape
        let end = tape.next(value.index)
        var index = value.index
        /// Whether each of what is open is an object.
        var open: [Bool] = []
        var isFirst = true
        while index < end {
            if tape.isClose(index) {
                append(tape.tag(index))
                open.removeLast()
                isFirst = false
                index += 1
                continue
            }
            if !isFirst { append(UInt8(ascii: ",")) }
            if open.last == true {
                append(scalar: index, of: tape)
                append(UInt8(ascii: ":"))
                index = tape.next(index)
            }
            let tag = tape.tag(index)
            isFirst = tag == JSONTape.Tag.object || tag == JSONTape.Tag.array
            if isFirst {
                append(tag)
                open.append(tag == JSONTape.Tag.object)
                index += 1
            } else {
                append(scalar: index, of: tape)
                index = tape.next(index)
            }
        }
    }
}
