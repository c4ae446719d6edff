import NotificationEvents

extension Normaliser {
    /// The attributes that are read, or that say nothing about the event. Any other is an extension.
    private static let attributes = [
        "specversion", "type", "source", "id", "time", "subject", "data", "datacontenttype", "dataschema",
    ]

    /// Reads the envelope of a CloudEvent 1.0 (CloudEvents specification, "Context Attributes"; JSON format).
    func readEnvelope(_ item: Int) throws(FieldFailure) -> ItemSource {
        var source = ItemSource()
        source.isCloudEvent = true
        sent.isCloudEvent = true
        source.occurredAt = tape.value(of: "time", in: item)
        source.deviceID = tape.value(of: "subject", in: item)
        if let type = tape.value(of: "type", in: item), tape.tag(type) == JSONTape.Tag.string,
            tape.string(type).starts(with: "notilog.".utf8)
        {
            source.kind = type
            source.kindPrefix = 8
        }
        if let data = tape.value(of: "data", in: item), tape.tag(data) == JSONTape.Tag.object {
            source.object = data
        }
        let origin = tape.value(of: "source", in: item)
        let id = tape.value(of: "id", in: item)
        if let id, tape.tag(id) == JSONTape.Tag.string, !tape.string(id).isEmpty {
            if let uuid = EventID(utf8: tape.string(id)) {
                source.id = uuid
            } else if let origin, tape.tag(origin) == JSONTape.Tag.string {
                // A URI holds no NUL, so it ends the source.
                source.id = [UInt8(0)].withUnsafeBytes {
                    Digests.version5(namespace: .cloudEventNamespace, tape.string(origin), $0, tape.string(id))
                }
            }
        }
        // Kept already here, so that a rejected item is redacted as far as it was understood.
        sent = source

        guard let version = tape.value(of: "specversion", in: item), tape.isString(version, Array("1.0".utf8)) else {
            throw FieldFailure(.invalidValue, "must be \"1.0\"", path: ["specversion"])
        }
        guard let origin, tape.tag(origin) == JSONTape.Tag.string, !tape.string(origin).isEmpty else {
            throw FieldFailure(.missingField, "is needed, a URI reference", path: ["source"])
        }
        guard source.id != nil else {
            throw FieldFailure(.missingField, "is needed, text that is not empty", path: ["id"])
        }
        guard source.kind != nil else {
            throw FieldFailure(.unknownKind, "must be notilog.<kind>, with one of \(catalogue.names)", path: ["kind"])
        }
        guard tape.value(of: "data", in: item) != nil else {
            throw FieldFailure(.missingField, "is needed, an object with the event's own fields", path: ["data"])
        }
        guard source.object != 0 else {
            throw FieldFailure.type("an object with the event's own fields").within("data")
        }
        var index = item + 1
        let end = tape.close(item)
        while index < end {
            let name = String(decoding: tape.string(index), as: UTF8.self)
            if !Self.attributes.contains(name) {
                warnings.warn(name)
            }
            index = tape.next(index + 1)
        }
        return source
    }

    /// Puts what the envelope says into the places of the fields.
    func placeEnvelope(_ kind: CompiledKind, _ base: Int) {
        guard sent.isCloudEvent else { return }
        if let index = kind.kindName, let value = sent.kind {
            slots[base + index] = UInt32(value)
        }
        if let index = kind.occurredAt, let value = sent.occurredAt {
            slots[base + index] = UInt32(value)
        }
        if let index = kind.deviceID, let value = sent.deviceID {
            slots[base + index] = UInt32(value)
        }
        if let index = kind.id {
            slots[base + index] = 0
        }
        columns.id = sent.id
    }

    /// Where a field really stands in the item as it was sent.
    func located(_ failure: FieldFailure) -> FieldFailure {
        guard let first = failure.path.first else { return failure }
        var failure = failure
        if let source = sources[first] {
            failure.path = source
        }
        guard sent.isCloudEvent else { return failure }
        // Before the kind is known only the envelope can have failed.
        if sentKind == nil, first != "kind" {
            return failure
        }
        switch failure.path[0] {
        case "kind": failure.path[0] = "type"
        case "occurred_at" where sent.occurredAt != nil || failure.code == .missingField: failure.path[0] = "time"
        case "device_id" where sent.deviceID != nil || failure.code == .missingField: failure.path[0] = "subject"
        case "id": break
        default: failure.path.insert("data", at: 0)
        }
        return failure
    }
}
