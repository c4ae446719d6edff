import NotificationEvents

/// The context attributes of a CloudEvent 1.0, as far as they say something about an event (CloudEvents specification,
/// "Context Attributes"; JSON format).
struct CloudEventEnvelope {
    private typealias Tag = JSONTape.Tag

    /// The attributes that are read, or that say nothing about the event. Any other is an extension.
    private static let attributes = [
        "specversion", "type", "source", "id", "time", "subject", "data", encodedData, "datacontenttype", "dataschema",
    ]
    /// The attribute that has data in Base64.
    static let encodedData = "data_base64"
    /// What comes before the kind in `type`.
    private static let typePrefix = "notilog."

    private let index: Int
    /// The value of `type`, where it has the prefix of Notilog's events.
    private let type: Int?
    /// The value of `time`.
    let occurredAt: Int?
    /// The value of `subject`.
    let deviceID: Int?
    /// The value of `data`.
    let data: Int?
    /// The value of `data_base64`.
    let encodedData: Int?
    /// The UUID that it was sent with, else one made from its source and id; `nil` where they give none.
    let id: EventID?

    init(_ tape: JSONTape, at index: Int) {
        self.index = index
        occurredAt = tape.value(of: "time", in: index)
        deviceID = tape.value(of: "subject", in: index)
        data = tape.value(of: "data", in: index)
        encodedData = tape.value(of: Self.encodedData, in: index)
        type = tape.text(of: "type", in: index).flatMap {
            tape.string($0).starts(with: Self.typePrefix.utf8) ? $0 : nil
        }
        id = Self.id(tape, index)
    }

    private static func id(_ tape: JSONTape, _ index: Int) -> EventID? {
        guard let id = tape.text(of: "id", in: index), !tape.string(id).isEmpty else { return nil }
        if let uuid = EventID(utf8: tape.string(id)) { return uuid }
        guard let source = tape.text(of: "source", in: index) else { return nil }
        // A URI holds no NUL, so it ends the source.
        return [UInt8(0)].withUnsafeBytes {
            ContentHashing.version5(namespace: .cloudEventNamespace, tape.string(source), $0, tape.string(id))
        }
    }

    /// The name of the kind in `type`; `nil` where it is no event of Notilog's.
    func kindName(_ tape: JSONTape) -> UnsafeRawBufferPointer? {
        type.map { UnsafeRawBufferPointer(rebasing: tape.string($0).dropFirst(Self.typePrefix.utf8.count)) }
    }

    /// Checks the attributes that an event needs; gives the name of its kind.
    func check(_ tape: JSONTape, _ vocabulary: CompiledVocabulary) throws(FieldFailure) -> UnsafeRawBufferPointer {
        guard let version = tape.value(of: "specversion", in: index), tape.isString(version, Array("1.0".utf8)) else {
            throw FieldFailure(.invalidValue, "must be \"1.0\"", path: ["specversion"])
        }
        guard let source = tape.text(of: "source", in: index), !tape.string(source).isEmpty else {
            throw FieldFailure(.missingField, "is required, a URI reference", path: ["source"])
        }
        guard id != nil else {
            throw FieldFailure(.missingField, "is required, a text that is not empty", path: ["id"])
        }
        guard let name = kindName(tape) else {
            throw FieldFailure(.unknownKind, "must be notilog.<kind>, with one of \(vocabulary.names)", path: ["kind"])
        }
        // Without `data` it has no fields of its own, which some kinds need not have (CloudEvents 1.0, 3.1.1).
        if let data, tape.tag(data) != Tag.object {
            throw FieldFailure.type("an object with the event's own fields").within("data")
        }
        return name
    }

    /// Whether `datacontenttype` is JSON's, which it is where it is absent.
    func hasJSON(_ tape: JSONTape) -> Bool {
        guard let value = tape.value(of: "datacontenttype", in: index) else { return true }
        guard tape.tag(value) == Tag.string else { return false }
        let type = String(decoding: tape.string(value), as: UTF8.self).lowercased().prefix { $0 != ";" }
        return ["application/json", "text/json"].contains(String(type).trimmingBlanks()) || type.hasSuffix("+json")
    }

    /// Names the extension attributes, which are dropped.
    func warn(_ tape: JSONTape, _ warnings: inout Warnings) {
        for member in tape.members(of: index) {
            let name = String(decoding: tape.string(member.name), as: UTF8.self)
            if !Self.attributes.contains(name) {
                warnings.warn(name)
            }
        }
    }

    /// Replaces the event's own fields with the envelope's attributes. Those that say something else go into the warnings.
    func fill(_ values: inout FieldValues, _ kind: CompiledKind, _ tape: JSONTape, _ warnings: inout Warnings) {
        func replace(_ field: Int?, _ value: FieldValue, isSame: (UnsafeRawBufferPointer) -> Bool) {
            guard let field else { return }
            if case .sent(let own) = values[field], tape.tag(own) != Tag.string || !isSame(tape.string(own)) {
                warnings.warn("data/\(kind.object.fields[field].name)")
            }
            values[field] = value
        }
        func text(_ value: Int) -> UnsafeRawBufferPointer? { tape.tag(value) == Tag.string ? tape.string(value) : nil }
        if let type { replace(kind.kindName, .sent(type)) { $0.elementsEqual(kindName(tape) ?? $0) } }
        if let occurredAt {
            replace(kind.occurredAt, .sent(occurredAt)) { own in
                guard let time = Timestamp.parse(own) else { return false }
                return text(occurredAt).flatMap { Timestamp.parse($0, digits: 9)?.timestamp } == time.timestamp
            }
        }
        if let deviceID {
            replace(kind.deviceID, .sent(deviceID)) { own in text(deviceID).map { $0.isSame(as: own) } ?? false }
        }
        replace(kind.id, .absent) { own in
            let sent = tape.text(of: "id", in: index).map { tape.string($0).isSame(as: own) } ?? false
            return sent || EventID(utf8: own) == id
        }
    }

    /// Which attribute says what a field says; `nil` where it is a field of `data`.
    func attribute(of field: String, isMissing: Bool) -> String? {
        switch field {
        case "kind": "type"
        case "occurred_at" where occurredAt != nil || isMissing: "time"
        case "device_id" where deviceID != nil || isMissing: "subject"
        case "id": "id"
        default: nil
        }
    }

    /// Whether the envelope says what a field says, so that the field itself does not count.
    func says(_ field: String) -> Bool {
        switch field {
        case "kind", "id": true
        case "occurred_at": occurredAt != nil
        case "device_id": deviceID != nil
        default: false
        }
    }
}
