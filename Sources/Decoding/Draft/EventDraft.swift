import NotificationEvents

/// An event in the making: which value each field of its kind has, before any of them is checked.
///
/// A value, made from an item; rules turn one draft into the next, and ``EventWriter`` checks and writes
/// what comes out. It is valid as long as the item's tape.
struct EventDraft {
    let kind: CompiledKind
    let tape: JSONTape
    /// The id that the event's envelope gives it.
    let envelopeID: EventID?
    /// The values of the kind's own fields.
    private(set) var values: FieldValues
    /// The values that fields were given which the item does not hold as such.
    private(set) var given = GivenValues()
    /// For each field whose value lies elsewhere in the item: the path to it.
    private var sources: [String: [String]] = [:]
    /// For each id that payload or headers have and that does not count, why.
    var unusable: [String: String] = [:]
    /// What of the item is dropped.
    var warnings = Warnings()

    /// What an item says, as it says it.
    init(_ item: ParsedItem, _ kind: CompiledKind, _ pool: FieldValuesPool = FieldValuesPool()) {
        self.kind = kind
        tape = item.tape
        envelopeID = item.envelope?.id
        values = item.values(of: kind, pool, &warnings)
    }

    /// The same event as another kind: the fields that both have, without what rules gave them.
    init(_ other: EventDraft, as kind: CompiledKind) {
        self.kind = kind
        tape = other.tape
        envelopeID = other.envelopeID
        warnings = other.warnings
        unusable = other.unusable
        values = FieldValuesPool().values(kind.object)
        for (index, field) in kind.object.fields.enumerated() {
            if let source = other.kind.object.index(of: field.name), case .sent = other.values[source] {
                values[index] = other.values[source]
            }
        }
    }

    /// Sets a field to a value found elsewhere in the item.
    mutating func take(_ value: Int, from path: [String], for field: Int) {
        values[field] = .sent(value)
        sources[kind.object.fields[field].name] = path
    }

    /// Gives one of the kind's own fields a value, as JSON.
    mutating func give(_ field: Int, _ json: [UInt8]) {
        values[field] = given.add(json)
    }

    /// Gives a field a value, as JSON.
    mutating func give(_ reference: FieldReference, _ json: [UInt8]) {
        if let nested = reference.nested {
            given.add(json, for: nested)
        } else {
            give(reference.index, json)
        }
    }

    /// The value of a field.
    func value(of reference: FieldReference) -> FieldValue {
        guard let nested = reference.nested else { return values[reference.index] }
        if case .sent(let object) = values[reference.index], tape.tag(object) == JSONTape.Tag.object,
            let value = tape.value(of: nested.name, in: object)
        {
            return .sent(value)
        }
        return given.value(of: nested)
    }

    /// A failure of a field, with the pointer to its value in the item.
    func located(_ failure: FieldFailure) -> FieldFailure {
        guard let field = failure.path.first, let source = sources[field] else { return failure }
        return FieldFailure(failure.code, failure.message, path: source)
    }
}
