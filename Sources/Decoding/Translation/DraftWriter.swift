import NotificationEvents

/// Writes an event in Notilog's own form, and keeps where in the sender's item each of its fields came from.
final class DraftWriter {
    let out = OutputBuffer()
    private(set) var kind = ""
    /// From the pointer to a field of the event to the pointer to what it was taken from.
    private var sources: [(field: String, pointer: String)] = []
    /// What of the item was left out, and is worth saying.
    var warnings = Warnings()
    private var prefix = ""

    /// - Parameter pointer: the pointer to the value that decides the kind of event.
    func begin(_ kind: String, from pointer: String = "") {
        out.truncate(to: 0)
        sources.removeAll(keepingCapacity: true)
        prefix = ""
        self.kind = kind
        out.append(UInt8(ascii: "{"))
        text("kind", kind, from: pointer)
    }

    func finish() {
        out.append(UInt8(ascii: "}"))
    }

    /// Writes a field with text.
    func text(_ name: String, _ text: String, from pointer: String) {
        key(name, pointer)
        out.append(string: text)
    }

    /// Writes a field with a value of the item, whatever it is: the event's own rules say whether it is accepted.
    ///
    /// - Parameter pointer: the pointer to the value, or to where it is missing.
    func value(_ name: String, _ value: TapeValue?, from pointer: String) {
        guard let value else {
            sources.append(("\(prefix)/\(name)", pointer))
            return
        }
        key(name, pointer)
        out.append(value)
    }

    /// Writes a field of text: a whole number as its digits, which is how clients read it from the payload.
    func digitsOrValue(_ name: String, _ value: TapeValue?, from pointer: String) {
        guard let value, value.tag == JSONTape.Tag.integer, let digits = value.plainText else {
            return self.value(name, value, from: pointer)
        }
        text(name, digits, from: pointer)
    }

    /// Writes a field with a number, which may have come as text.
    func numberOrValue(_ name: String, _ value: TapeValue?, from pointer: String) {
        guard let number = value?.text.flatMap({ Int64($0) }) else { return self.value(name, value, from: pointer) }
        integer(name, number, from: pointer)
    }

    /// Writes a field with a time, of which other systems write nanoseconds: what is below a microsecond is dropped.
    func time(_ name: String, _ value: TapeValue?, from pointer: String) {
        guard let value, let sent = value.text, Timestamp.parse(sent) == nil, Timestamp.parse(sent, digits: 9) != nil,
            let point = sent.firstIndex(of: ".")
        else { return self.value(name, value, from: pointer) }
        let end = sent.index(point, offsetBy: 7)
        text(name, String(sent[..<end] + sent[end...].drop { $0.isNumber }), from: pointer)
    }

    /// Writes a field with JSON that is written already.
    func json(_ name: String, _ json: StaticString, from pointer: String) {
        key(name, pointer)
        out.append(json)
    }

    /// Writes a field with a whole number.
    func integer(_ name: String, _ number: Int64, from pointer: String) {
        key(name, pointer)
        out.append(integer: number)
    }

    /// Writes an object field by field; none where `body` writes none.
    func object(_ name: String, from pointer: String, _ body: () -> Void) {
        let start = out.count
        key(name, pointer)
        out.append(UInt8(ascii: "{"))
        let inside = out.count
        let outer = prefix
        prefix += "/" + name
        body()
        prefix = outer
        if out.count == inside {
            out.truncate(to: start)
        } else {
            out.append(UInt8(ascii: "}"))
        }
    }

    private func key(_ name: String, _ pointer: String) {
        if out.bytes.last != UInt8(ascii: "{") { out.append(UInt8(ascii: ",")) }
        out.append(string: name)
        out.append(UInt8(ascii: ":"))
        sources.append(("\(prefix)/\(name)", pointer))
    }

    /// Where in the sender's item something of the event is.
    func source(of pointer: String) -> String {
        var found: (field: String, pointer: String) = ("", "")
        for source in sources where pointer == source.field || pointer.hasPrefix(source.field + "/") {
            if source.field.count > found.field.count { found = source }
        }
        return found.pointer + pointer.dropFirst(found.field.count)
    }
}
