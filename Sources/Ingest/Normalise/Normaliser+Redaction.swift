import NotificationEvents

/// An item that was rejected is kept as little as one that was accepted: fields that are not known are dropped, tokens
/// are digested, ids hashed where the app wants it, and neither the text of a reply nor the words of an alert stay. It
/// still gives, once what was wrong with it is mended, the event that it would have been.
extension Normaliser {
    private typealias Tag = JSONTape.Tag

    /// The item that was just rejected, redacted; `nil` where it is no object or would be too large.
    func redactedItem() -> [UInt8]? {
        guard sent.object != 0 || sent.isCloudEvent else { return nil }
        let known = sentKind?.object ?? catalogue.union
        out.truncate(to: 0)
        out.append(UInt8(ascii: "{"))
        if sent.isCloudEvent {
            redactEnvelope()
        }
        if sent.object != 0 {
            redactFields(known, sent.object, depth: 1)
        }
        out.append(UInt8(ascii: "}"))
        return out.count <= setting.policy.limits.eventBytes ? Array(out.bytes) : nil
    }

    /// Writes what a CloudEvent's envelope says as the fields that it stands for.
    private func redactEnvelope() {
        if let kind = sent.kind {
            writeKey("kind")
            out.append(string: UnsafeRawBufferPointer(rebasing: tape.string(kind).dropFirst(sent.kindPrefix)))
        }
        if let id = sent.id {
            writeKey("id")
            out.append(string: id.description)
        }
        if let occurredAt = sent.occurredAt, tape.tag(occurredAt) == Tag.string {
            writeKey("occurred_at")
            out.append(string: tape.string(occurredAt))
        }
        if let deviceID = sent.deviceID, tape.tag(deviceID) == Tag.string {
            writeKey("device_id")
            redactIdentifier(tape.string(deviceID))
        }
    }

    private func writeKey(_ name: String) {
        separate()
        out.append(string: name)
        out.append(UInt8(ascii: ":"))
    }

    private func redactFields(_ object: CompiledObject, _ value: Int, depth: Int) {
        let measured = measuredField(object, value)
        var index = value + 1
        let end = tape.close(value)
        while index < end {
            let field = object.table.index(of: tape.string(index))
            let member = index + 1
            index = tape.next(member)
            guard field >= 0, field != measured, !(depth == 1 && isInEnvelope(object.fields[field].name)) else {
                continue
            }
            redact(object.fields[field], member, in: value, depth: depth)
        }
    }

    /// The field whose value the sender counted and the text itself tells, where there is text.
    private func measuredField(_ object: CompiledObject, _ value: Int) -> Int? {
        for field in object.fields {
            if case .replyText(let lengthField) = field.type {
                let text = tape.value(of: field.name, in: value)
                return text.map { tape.tag($0) == Tag.string } == true ? object.index(of: lengthField) : nil
            }
        }
        return nil
    }

    /// Whether the envelope of a CloudEvent has said this already.
    private func isInEnvelope(_ name: String) -> Bool {
        guard sent.isCloudEvent else { return false }
        return switch name {
        case "kind", "id": true
        case "occurred_at": sent.occurredAt != nil
        case "device_id": sent.deviceID != nil
        default: false
        }
    }

    private func redact(_ field: CompiledField, _ value: Int, in object: Int, depth: Int) {
        let start = out.count
        separate()
        out.append(field.key)
        if case .replyText(let lengthField) = field.type {
            out.truncate(to: start)
            guard tape.tag(value) == Tag.string else { return }
            // Its length goes in its place.
            writeKey(lengthField)
            out.append(integer: Int64(Self.scalars(tape.string(value))))
            return
        }
        if !redactValue(field.type, value, in: object, depth: depth) {
            out.truncate(to: start)
        }
    }

    /// Writes a value as far as it may be kept; `false` where it may not be kept at all.
    private func redactValue(_ type: CompiledType, _ value: Int, in object: Int, depth: Int) -> Bool {
        let tag = tape.tag(value)
        switch type {
        case .replyText: return false
        case .token: return redactToken(value, in: object)
        case .payload: return redactPayload(value)
        case .headers: return redactHeaders(value)
        case .identifier:
            guard tag == Tag.string else { return false }
            redactIdentifier(tape.string(value))
        case .object(let inner):
            guard tag == Tag.object else { return false }
            out.append(UInt8(ascii: "{"))
            redactFields(inner, value, depth: depth + 1)
            out.append(UInt8(ascii: "}"))
        case .list, .optionSet:
            return redactList(type, value, in: object, depth: depth)
        case .attributes:
            guard tag == Tag.object, nests(value, within: setting.policy.limits.depth - 1) else { return false }
            writeSorted(value)
        default:
            guard tag != Tag.object, tag != Tag.array else { return false }
            out.append(scalar: value, of: tape)
        }
        return true
    }

    private func redactList(_ type: CompiledType, _ value: Int, in object: Int, depth: Int) -> Bool {
        guard tape.tag(value) == Tag.array else {
            guard case .optionSet = type, tape.tag(value) != Tag.object else { return false }
            out.append(scalar: value, of: tape)
            return true
        }
        out.append(UInt8(ascii: "["))
        let start = out.count
        var index = value + 1
        let end = tape.close(value)
        while index < end {
            if out.count > start {
                out.append(UInt8(ascii: ","))
            }
            let kept =
                switch type {
                case .list(let element, _): redactValue(element, index, in: object, depth: depth + 1)
                default: redactValue(.boolean, index, in: object, depth: depth + 1)
                }
            if !kept {
                out.append("null")
            }
            index = tape.next(index)
        }
        out.append(UInt8(ascii: "]"))
        return true
    }

    func redactIdentifier(_ text: UnsafeRawBufferPointer) {
        guard let key = setting.policy.idHashKey, !(setting.policy.isReplay && text.starts(with: Self.idPrefix)) else {
            out.append(string: text)
            return
        }
        out.append(UInt8(ascii: "\""))
        out.append(Self.idPrefix)
        out.append(plain: key.hash(text))
        out.append(UInt8(ascii: "\""))
    }

    private func redactToken(_ value: Int, in object: Int) -> Bool {
        guard tape.tag(value) == Tag.string, !tape.string(value).isEmpty else { return false }
        let token = tape.string(value)
        if setting.policy.isReplay, token.starts(with: Self.tokenPrefix) {
            out.append(string: token)
            return true
        }
        let isFCM = tape.value(of: "provider", in: object).map { tape.isString($0, Array("fcm".utf8)) } ?? false
        guard let digest = Self.tokenDigest(token, isFCM ? .text : .unknown) else { return false }
        out.append(UInt8(ascii: "\""))
        out.append(Self.tokenPrefix)
        digest.withUnsafeBytes { out.append(hex: $0) }
        out.append(UInt8(ascii: "\""))
        return true
    }

    /// Whether a value nests at most so deep.
    private func nests(_ value: Int, within depth: Int) -> Bool {
        guard tape.tag(value) == Tag.object || tape.tag(value) == Tag.array else { return true }
        guard depth > 0 else { return false }
        var index = value + 1
        let isObject = tape.tag(value) == Tag.object
        let end = tape.close(value)
        while index < end {
            let member = isObject ? index + 1 : index
            guard nests(member, within: depth - 1) else { return false }
            index = tape.next(member)
        }
        return true
    }
}
