package import NotificationEvents

extension NormalisedEvent {
    /// The event as an item that gives the same event when it is sent again, with ``DecodingPolicy/isReplay``: the digest of
    /// its token and, where the app keeps no ids, the hashes of its ids are marked as such.
    ///
    /// - Parameter hashesIDs: whether the ids are hashes.
    /// - Returns: `nil` where `data` is not what the decoder wrote.
    package func redactedItem(hashesIDs: Bool) -> [UInt8]? {
        let input = InputBuffer()
        data.withUnsafeBytes { input.fill($0) }
        guard let parser = JSONParser(), let tape = try? parser.parse(input.base, count: input.count),
            tape.tag(JSONTape.root) == JSONTape.Tag.object,
            let compiled = CompiledVocabulary.shared.kind(named: kind.name)
        else { return nil }
        let redaction = EventRedaction(
            event: self,
            idPrefix: hashesIDs ? Secrets.idPrefix : "",
            tape: tape,
            out: OutputBuffer(capacity: 256 + data.count)
        )
        redaction.out.append(UInt8(ascii: "{"))
        redaction.write(compiled.object, JSONTape.root)
        redaction.out.append(UInt8(ascii: "}"))
        return Array(redaction.out.bytes)
    }
}

/// Writes an event as an item, field by field as its kind declares them: those with columns from the event, the others from
/// its `data`.
private struct EventRedaction {
    let event: NormalisedEvent
    let idPrefix: String
    /// The event's `data`.
    let tape: JSONTape
    let out: OutputBuffer

    func write(_ object: CompiledObject, _ value: Int?) {
        for field in object.fields {
            if let column = field.column {
                guard let text = text(of: column) else { continue }
                out.appendKey(field.name)
                out.append(string: text)
                continue
            }
            let member = value.flatMap { tape.value(of: field.name, in: $0) }
            switch field.type {
            case .object(let inner) where hasColumn(inner):
                out.appendKey(field.name)
                out.append(UInt8(ascii: "{"))
                write(inner, member)
                out.append(UInt8(ascii: "}"))
            case .identifier:
                guard let member, let id = TapeValue(tape: tape, index: member).text else { continue }
                out.appendKey(field.name)
                out.append(string: idPrefix + id)
            default:
                guard let member else { continue }
                out.appendKey(field.name)
                out.append(kept: member, of: tape)
            }
        }
    }

    /// Whether a field of an object has a column with a value.
    private func hasColumn(_ object: CompiledObject) -> Bool {
        object.fields.contains { $0.column.flatMap { text(of: $0) } != nil }
    }

    /// The value of a field with a column, as text; `nil` where the event has none.
    private func text(of column: Field.Column) -> String? {
        switch column {
        case .kind: event.kind.name
        case .id: event.id.description
        case .occurredAt: event.occurredAt.description(offsetMinutes: event.utcOffsetMinutes)
        case .occurrence: event.occurrence?.description
        case .deviceID: event.deviceID.isEmpty ? nil : idPrefix + event.deviceID
        case .notificationID: event.notificationID.map { idPrefix + $0 }
        case .token: event.token.map(Secrets.text(ofToken:))
        }
    }
}

extension Timestamp {
    /// The moment as RFC 3339 with an offset from UTC.
    fileprivate func description(offsetMinutes: Int16) -> String {
        guard offsetMinutes != 0 else { return description }
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        let minutes = Int(offsetMinutes.magnitude)
        let local = advanced(byMicroseconds: Int64(offsetMinutes) * 60_000_000).description
        let sign = offsetMinutes < 0 ? "-" : "+"
        return local.dropLast() + sign + twoDigits(minutes / 60) + ":" + twoDigits(minutes % 60)
    }
}
