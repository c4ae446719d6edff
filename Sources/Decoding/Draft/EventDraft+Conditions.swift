import NotificationEvents

extension EventDraft {
    /// Whether a condition holds of the event.
    func holds(_ condition: CompiledCondition) -> Bool {
        switch condition {
        case .always: true
        case .never: false
        case .not(let inner): !holds(inner)
        case .all(let inner): inner.allSatisfy { holds($0) }
        case .any(let inner): inner.contains { holds($0) }
        case .present(let reference): isPresent(reference)
        case .equals(let reference, let text): isEqual(reference, text)
        }
    }

    /// Whether a field has a value; empty text does not count.
    func isPresent(_ reference: FieldReference) -> Bool {
        switch value(of: reference) {
        case .absent: false
        case .sent(let value): !(tape.tag(value) == JSONTape.Tag.string && tape.string(value).isEmpty)
        case .given: true
        }
    }

    private func isEqual(_ reference: FieldReference, _ text: [UInt8]) -> Bool {
        switch value(of: reference) {
        case .sent(let value):
            switch tape.tag(value) {
            case JSONTape.Tag.yes: text == Self.yes
            case JSONTape.Tag.no: text == Self.no
            default: tape.isString(value, text)
            }
        case .given(let index): Self.isJSON(given[index], of: text)
        case .absent:
            (reference.nested ?? kind.object.fields[reference.index]).defaultValue
                .map { Self.isJSON($0, of: text) } ?? false
        }
    }

    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)

    /// Whether a value as JSON is this text, or `true` or `false` of that name.
    private static func isJSON(_ value: [UInt8], of text: [UInt8]) -> Bool {
        value.first == UInt8(ascii: "\"")
            ? value.count == text.count + 2 && value.dropFirst().dropLast().elementsEqual(text)
            : value.elementsEqual(text)
    }
}
