import NotificationEvents

/// Reads one item of a body where it was parsed: which kind it is, its id, and the value of each of its fields.
///
/// It takes nothing for granted: an item that turns out wrong can still be redacted by what was found of it. It is valid
/// as long as its tape.
struct ParsedItem {
    let tape: JSONTape
    /// The object with the event's own fields; `nil` if there is none.
    let object: Int?
    /// What is around that object, where the item is a CloudEvent.
    let envelope: CloudEventEnvelope?

    /// - Parameters:
    ///   - value: the index of the item on its tape.
    ///   - isCloudEvent: whether an envelope is around the event's own fields.
    init(_ tape: JSONTape, at value: Int, isCloudEvent: Bool) {
        self.tape = tape
        guard tape.tag(value) == JSONTape.Tag.object else {
            (object, envelope) = (nil, nil)
            return
        }
        guard isCloudEvent else {
            (object, envelope) = (value, nil)
            return
        }
        let envelope = CloudEventEnvelope(tape, at: value)
        self.envelope = envelope
        object = envelope.data.flatMap { tape.tag($0) == JSONTape.Tag.object ? $0 : nil }
    }

    /// The kind of the event.
    ///
    /// - Throws: what is wrong with the item as such, its envelope, or the name of its kind.
    func kind(in vocabulary: CompiledVocabulary) throws(FieldFailure) -> CompiledKind {
        let name: UnsafeRawBufferPointer
        if let envelope {
            name = try envelope.check(tape, vocabulary)
        } else {
            guard let object else { throw FieldFailure(.invalidType, "must be a JSON object, one event") }
            guard let value = tape.value(of: "kind", in: object) else {
                throw FieldFailure(.missingField, "is required: one of \(vocabulary.names)", path: ["kind"])
            }
            guard tape.tag(value) == JSONTape.Tag.string else { throw FieldFailure.type("a string").within("kind") }
            name = tape.string(value)
        }
        guard let kind = vocabulary.kind(named: name) else {
            var failure = FieldFailure.value("is not one of \(vocabulary.names)", name)
            failure.code = .unknownKind
            throw failure.within("kind")
        }
        return kind
    }

    /// The id that the item was sent with, if it can be read.
    var id: EventID? {
        if let envelope { return envelope.id }
        guard let object, let value = tape.value(of: "id", in: object), tape.tag(value) == JSONTape.Tag.string
        else { return nil }
        return EventID(utf8: tape.string(value))
    }

    /// The value of each field of the event; members that it does not have go into the warnings.
    func values(of kind: CompiledKind, _ pool: FieldValuesPool, _ warnings: inout Warnings) -> FieldValues {
        var values = pool.values(kind.object)
        envelope?.warn(tape, &warnings)
        if let object {
            values.read(object, of: tape, kind.object) { warnings.warn(String(decoding: $0, as: UTF8.self)) }
        }
        envelope?.fill(&values, kind, tape, &warnings)
        return values
    }

    /// Where in the item a field of the event is.
    ///
    /// - Parameter kind: the kind of the event; `nil` as long as only the envelope can have failed.
    func located(_ failure: FieldFailure, kind: CompiledKind?) -> FieldFailure {
        guard let envelope, let first = failure.path.first, kind != nil || first == "kind" else { return failure }
        var failure = failure
        if let attribute = envelope.attribute(of: first, isMissing: failure.code == .missingField) {
            failure.path[0] = attribute
        } else {
            failure.path.insert("data", at: 0)
        }
        return failure
    }
}
