import NotificationEvents

/// Writes of an item that was rejected what may be kept of it.
///
/// It keeps no more than an accepted item would: unknown fields are dropped, tokens are digested, ids hashed
/// where the app wants it, and neither the text of a reply nor the words of an alert stay. It still gives, once what was
/// wrong with it is mended, the event that it would have been.
struct ItemRedaction {
    private typealias Tag = JSONTape.Tag

    private let item: ParsedItem
    private let known: CompiledObject
    private let secrets: Secrets
    private let limits: IngestLimits
    let tape: JSONTape
    let out: OutputBuffer

    /// - Parameters:
    ///   - known: the fields that are known.
    ///   - out: takes the bytes; what is in it before stays.
    init(
        _ item: ParsedItem,
        _ known: CompiledObject,
        _ secrets: Secrets,
        _ limits: IngestLimits,
        _ out: OutputBuffer
    ) {
        self.item = item
        self.known = known
        self.secrets = secrets
        self.limits = limits
        self.out = out
        tape = item.tape
    }

    /// Writes the item; `false` where it is no object, or longer than a body may be.
    ///
    /// What is too large for an event is kept too: that limit is a setting, and a replay under a higher one stores it.
    func write() -> Bool {
        guard item.object != nil || item.envelope != nil else { return false }
        let start = out.count
        out.append(UInt8(ascii: "{"))
        if let envelope = item.envelope {
            write(envelope)
        }
        if let object = item.object {
            writeFields(known, object, depth: 1)
        }
        out.append(UInt8(ascii: "}"))
        return out.count - start <= max(limits.eventBytes, limits.bodyBytes)
    }

    /// Writes the attributes of a CloudEvent's envelope as the fields that they mean.
    private func write(_ envelope: CloudEventEnvelope) {
        if let kind = envelope.kindName(tape) {
            out.appendKey("kind")
            out.append(string: kind)
        }
        if let id = envelope.id {
            out.appendKey("id")
            out.append(string: id.description)
        }
        if let occurredAt = envelope.occurredAt, tape.tag(occurredAt) == Tag.string {
            out.appendKey("occurred_at")
            out.append(string: tape.string(occurredAt))
        }
        if let deviceID = envelope.deviceID, tape.tag(deviceID) == Tag.string {
            out.appendKey("device_id")
            writeIdentifier(deviceID)
        }
    }

    private func writeFields(_ object: CompiledObject, _ value: Int, depth: Int) {
        let measured = measuredField(object, value)
        for member in tape.members(of: value) {
            let index = object.table.index(of: tape.string(member.name))
            guard index >= 0, index != measured else { continue }
            let field = object.fields[index]
            if depth == 1, item.envelope?.says(field.name) == true { continue }
            write(field, member.value, in: value, depth: depth)
        }
    }

    /// The field whose value the sender counted and the text itself tells, where there is text.
    private func measuredField(_ object: CompiledObject, _ value: Int) -> Int? {
        for field in object.fields {
            if case .replyText(let lengthField) = field.type {
                return tape.text(of: field.name, in: value) == nil ? nil : object.index(of: lengthField)
            }
        }
        return nil
    }

    private func write(_ field: CompiledField, _ value: Int, in object: Int, depth: Int) {
        let start = out.count
        if case .replyText(let lengthField) = field.type {
            guard tape.tag(value) == Tag.string else { return }
            // Its length replaces it.
            out.appendKey(lengthField)
            out.append(integer: Int64(tape.string(value).unicodeScalarCount))
            return
        }
        out.appendKey(field.name)
        if !write(field.type, value, in: object, depth: depth) {
            out.truncate(to: start)
        }
    }

    /// Writes a value as far as it may be kept; `false` where it may not be kept at all.
    private func write(_ type: CompiledType, _ value: Int, in object: Int, depth: Int) -> Bool {
        let tag = tape.tag(value)
        switch type {
        case .replyText: return false
        case .token: return writeToken(value, in: object)
        case .payload: return writePayload(value)
        case .headers: return writeHeaders(value)
        case .identifier:
            guard tag == Tag.string else { return false }
            writeIdentifier(value)
        case .object(let inner):
            guard tag == Tag.object else { return false }
            out.append(UInt8(ascii: "{"))
            writeFields(inner, value, depth: depth + 1)
            out.append(UInt8(ascii: "}"))
        case .list, .optionSet:
            return writeList(type, value, in: object, depth: depth)
        case .attributes:
            guard tag == Tag.object, nests(value, within: limits.depth - 1) else { return false }
            out.append(sorted: value, of: tape)
        default:
            guard tag != Tag.object, tag != Tag.array else { return false }
            out.append(scalar: value, of: tape)
        }
        return true
    }

    private func writeList(_ type: CompiledType, _ value: Int, in object: Int, depth: Int) -> Bool {
        guard tape.tag(value) == Tag.array else {
            guard case .optionSet = type, tape.tag(value) != Tag.object else { return false }
            out.append(scalar: value, of: tape)
            return true
        }
        // The names of an option set are scalars, as a boolean is.
        let element = if case .list(let element, _) = type { element } else { CompiledType.boolean }
        out.append(UInt8(ascii: "["))
        let start = out.count
        for index in tape.elements(of: value) {
            if out.count > start {
                out.append(UInt8(ascii: ","))
            }
            if !write(element, index, in: object, depth: depth + 1) {
                out.append("null")
            }
        }
        out.append(UInt8(ascii: "]"))
        return true
    }

    func writeIdentifier(_ value: Int) {
        out.append(string: secrets.redacted(identifier: tape.string(value)))
    }

    private func writeToken(_ value: Int, in object: Int) -> Bool {
        guard tape.tag(value) == Tag.string else { return false }
        let isFCM = tape.value(of: "provider", in: object).map { tape.isString($0, Array("fcm".utf8)) } ?? false
        guard let token = secrets.redacted(token: tape.string(value), isFCM ? .text : .unknown) else { return false }
        out.append(string: token)
        return true
    }

    /// Whether a value nests at most so deep.
    private func nests(_ value: Int, within depth: Int) -> Bool {
        switch tape.tag(value) {
        case Tag.object: depth > 0 && tape.members(of: value).allSatisfy { nests($0.value, within: depth - 1) }
        case Tag.array: depth > 0 && tape.elements(of: value).allSatisfy { nests($0, within: depth - 1) }
        default: true
        }
    }
}

extension OutputBuffer {
    /// Writes the name of an object's next member, behind a comma unless it is the first.
    func appendKey(_ name: String) {
        if bytes.last != UInt8(ascii: "{") {
            append(UInt8(ascii: ","))
        }
        append(string: name)
        append(UInt8(ascii: ":"))
    }
}
