import NotificationEvents

extension Normaliser {
    /// Finds the value of each field of an object. The last of two fields of one name counts, and `null` counts as
    /// absent; names that are not known go into the warnings.
    func fill(_ object: CompiledObject, _ base: Int, from value: Int) throws(FieldFailure) {
        guard value != 0 else { return }
        var index = value + 1
        let end = tape.close(value)
        while index < end {
            let name = tape.string(index)
            let field = object.table.index(of: name)
            if field >= 0 {
                slots[base + field] = tape.tag(index + 1) == JSONTape.Tag.null ? 0 : UInt32(index + 1)
            } else if !(sent.isCloudEvent && names.isEmpty && name.elementsEqual("kind".utf8)) {
                warnings.warn((names + [String(decoding: name, as: UTF8.self)]).joined(separator: "/"))
            }
            index = tape.next(index + 1)
        }
    }

    /// Gives a field that has no value of its own this one, as JSON.
    func override(_ field: CompiledField, with value: [UInt8]) {
        let start = side.count
        side.append(value)
        overrides.append(Override(fieldID: field.id, range: start..<side.count))
    }

    func override(of field: CompiledField) -> Range<Int>? {
        overrides.first { $0.fieldID == field.id }?.range
    }

    /// Fills in what absent fields take from the others.
    func fillDefaults(_ kind: CompiledKind, _ base: Int) {
        for fill in kind.defaults where slots[base + fill.index] == 0 {
            let field = kind.object.fields[fill.index]
            if override(of: field) == nil, holds(fill.condition, kind, base) {
                override(field, with: fill.value)
            }
        }
    }

    /// Whether a condition holds of the event.
    func holds(_ condition: CompiledCondition, _ kind: CompiledKind, _ base: Int) -> Bool {
        switch condition {
        case .always: true
        case .never: false
        case .not(let inner): !holds(inner, kind, base)
        case .all(let inner): inner.allSatisfy { holds($0, kind, base) }
        case .any(let inner): inner.contains { holds($0, kind, base) }
        case .present(let reference): isPresent(reference, kind, base)
        case .equals(let reference, let text): isEqual(reference, text, kind, base)
        }
    }

    func isPresent(_ reference: FieldReference, _ kind: CompiledKind, _ base: Int) -> Bool {
        if let value = value(reference, base) {
            return !(tape.tag(value) == JSONTape.Tag.string && tape.string(value).isEmpty)
        }
        return override(of: reference.nested ?? kind.object.fields[reference.index]) != nil
    }

    private func isEqual(_ reference: FieldReference, _ text: [UInt8], _ kind: CompiledKind, _ base: Int) -> Bool {
        if let value = value(reference, base) {
            return switch tape.tag(value) {
            case JSONTape.Tag.yes: text == Self.yes
            case JSONTape.Tag.no: text == Self.no
            default: tape.isString(value, text)
            }
        }
        let field = reference.nested ?? kind.object.fields[reference.index]
        if !overrides.isEmpty, let range = override(of: field) {
            return Self.isJSON(side.bytes(range), of: text)
        }
        return field.defaultValue?.withUnsafeBytes { Self.isJSON($0, of: text) } ?? false
    }

    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)

    /// Whether a value as JSON is this text, or `true` or `false` of that name.
    private static func isJSON(_ value: UnsafeRawBufferPointer, of text: [UInt8]) -> Bool {
        value.first == UInt8(ascii: "\"")
            ? value.count == text.count + 2 && value.dropFirst().dropLast().elementsEqual(text)
            : value.elementsEqual(text)
    }

    /// The index of the value of a field that the item itself holds.
    private func value(_ reference: FieldReference, _ base: Int) -> Int? {
        let top = Int(slots[base + reference.index])
        guard let nested = reference.nested else { return top == 0 ? nil : top }
        guard top != 0, tape.tag(top) == JSONTape.Tag.object else { return nil }
        return tape.value(of: nested.name, in: top)
    }
}
