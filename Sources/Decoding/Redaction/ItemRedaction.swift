import NotificationEvents

/// Writes of an item that was rejected what may be kept of it.
///
/// It keeps no more than an accepted item would: unknown fields are dropped, tokens are digested, ids hashed
/// where the app wants it, and neither the text of a reply nor the words of an alert stay. It still gives, once what was
/// wrong with it is mended, the event that it would have been; until then it is refused as before, as what is taken out of a
/// field that was at fault leaves a value of its type behind.
struct ItemRedaction {
    private typealias Tag = JSONTape.Tag

    private let item: ParsedItem
    private let kind: CompiledKind?
    private let known: CompiledObject
    private let secrets: Secrets
    /// Whether text stays in fields that accept any. In an item of no known kind it may be the words of an alert.
    private var keepsAnyText: Bool
    /// The count of ``out`` behind which nothing more is written.
    private let end: Int
    let tape: JSONTape
    let out: OutputBuffer

    /// - Parameters:
    ///   - kind: the item's kind, where that is known; else the fields of all kinds are.
    ///   - most: the most bytes that are kept of it.
    ///   - out: takes the bytes; what is in it before stays.
    init(
        _ item: ParsedItem,
        _ kind: CompiledKind?,
        _ secrets: Secrets,
        most: Int,
        _ out: OutputBuffer
    ) {
        self.item = item
        self.kind = kind
        known = kind?.object ?? CompiledVocabulary.shared.union
        self.secrets = secrets
        keepsAnyText = kind != nil
        self.out = out
        end = out.count + most
        tape = item.tape
    }

    /// Whether there is more of it than is kept, so that the rest need not be written.
    private var isFull: Bool { out.count > end }

    /// Writes the item; `false` where it is no object, or there is more of it than is kept.
    ///
    /// What is too large for an event is kept too: that limit is a setting, and a replay under a higher one stores it.
    func write() -> Bool {
        guard item.object != nil || item.envelope != nil else { return false }
        out.append(UInt8(ascii: "{"))
        if let envelope = item.envelope {
            write(envelope)
        }
        if let object = item.object {
            writeFields(known, object, depth: 1)
        }
        out.append(UInt8(ascii: "}"))
        return !isFull
    }

    /// Writes the attributes of a CloudEvent's envelope as the fields that they mean.
    private func write(_ envelope: CloudEventEnvelope) {
        if let kind = envelope.kindName(tape) {
            out.appendKey("kind")
            write(name: kind)
        }
        // What is wrong with the envelope itself is not kept, so the item must not be valid without it.
        let isRejected = kind == nil && (try? envelope.check(tape, .shared)) == nil
        if isRejected || envelope.id != nil {
            out.appendKey("id")
            out.append(string: isRejected ? "" : envelope.id?.description ?? "")
        }
        if let occurredAt = envelope.occurredAt {
            out.appendKey("occurred_at")
            write(.timestamp, occurredAt, in: occurredAt, depth: 1)
        }
        if let deviceID = envelope.deviceID {
            out.appendKey("device_id")
            writeIdentifier(deviceID, of: "device_id")
        }
    }

    private func writeFields(_ object: CompiledObject, _ value: Int, depth: Int) {
        let measured = measuredField(object, value)
        for member in tape.members(of: value) where !isFull {
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
        if case .replyText(let lengthField) = field.type, tape.tag(value) == Tag.string {
            // Its length replaces it.
            out.appendKey(lengthField)
            out.append(integer: Int64(tape.string(value).unicodeScalarCount))
            return
        }
        out.appendKey(field.name)
        if field.column == .kind, tape.tag(value) == Tag.string {
            write(name: tape.string(value))
        } else if field.name == "context" {
            var within = self
            within.keepsAnyText = true
            within.write(field.type, value, in: object, depth: depth)
        } else {
            write(field.type, value, in: object, depth: depth)
        }
    }

    /// Writes a value as far as it may be kept.
    private func write(_ type: CompiledType, _ value: Int, in object: Int, depth: Int) {
        let tag = tape.tag(value)
        switch type {
        case .token: writeToken(value, in: object)
        case .payload where tag == Tag.object: writePayload(value)
        case .headers where tag == Tag.object: writeHeaders(value)
        case .identifier(let maxBytes): writeIdentifier(value, maxBytes: maxBytes)
        case .object(let inner) where tag == Tag.object:
            out.append(UInt8(ascii: "{"))
            writeFields(inner, value, depth: depth + 1)
            out.append(UInt8(ascii: "}"))
        case .list where tag == Tag.array, .optionSet where tag == Tag.array:
            writeList(type, value, in: object, depth: depth)
        case .attributes where tag == Tag.object: out.append(kept: value, of: tape, upTo: end)
        case .replyText, .payload, .headers, .object, .list, .attributes: writeMarker(value)
        default: writeScalar(type, value)
        }
    }

    /// Writes what stands for a value that is of the wrong type for its field: another of the type that it has, so that it is
    /// refused again.
    private func writeMarker(_ value: Int) {
        switch tape.tag(value) {
        case Tag.object: out.append("{}")
        case Tag.array: out.append("[]")
        case Tag.string: out.append(string: Secrets.removed)
        case Tag.yes, Tag.no, Tag.null: out.append(scalar: value, of: tape)
        default: out.append("0")
        }
    }

    /// Writes a value of a field that takes scalars.
    func writeScalar(_ type: CompiledType, _ value: Int) {
        switch tape.tag(value) {
        case Tag.object, Tag.array: writeMarker(value)
        case Tag.string: write(text: tape.string(value), of: type)
        default: out.append(keptScalar: value, of: tape)
        }
    }

    /// Writes the name of a kind, known or not.
    private func write(name: UnsafeRawBufferPointer) {
        out.append(string: name.isEmpty || name.looksLikeName ? String(decoding: name, as: UTF8.self) : Secrets.removed)
    }

    /// Writes text where the field accepts it or it is a name or nearly a value; else it may be the words of an alert, or a
    /// device token, in the wrong place.
    private func write(text: UnsafeRawBufferPointer, of type: CompiledType) {
        if text.isEmpty || text.looksLikeName || (keepsAnyText && type.takesAnyText) || type.fits(text) {
            out.append(string: text)
        } else if type.takesWords {
            out.append(string: "(\(Secrets.removed))")
        } else {
            out.append(string: Secrets.removed)
        }
    }

    private func writeList(_ type: CompiledType, _ value: Int, in object: Int, depth: Int) {
        // The names of an option set are scalars, as a boolean is.
        let element = if case .list(let element, _) = type { element } else { CompiledType.boolean }
        out.append(UInt8(ascii: "["))
        let start = out.count
        for index in tape.elements(of: value) where !isFull {
            if out.count > start {
                out.append(UInt8(ascii: ","))
            }
            write(element, index, in: object, depth: depth + 1)
        }
        out.append(UInt8(ascii: "]"))
    }

    /// Writes a number of a payload that stands for an id, as its digits.
    func writeIdentifier(digitsOf value: Int, of field: String) {
        guard let index = known.index(of: field), case .identifier(let maxBytes) = known.fields[index].type else {
            return writeMarker(value)
        }
        var digits = String(tape.integer(value))
        digits.withUTF8 {
            out.append(string: secrets.redacted(identifier: UnsafeRawBufferPointer($0), maxBytes: maxBytes))
        }
    }

    /// Writes the value of one of the kind's own fields, an id.
    func writeIdentifier(_ value: Int, of field: String) {
        guard let index = known.index(of: field), case .identifier(let maxBytes) = known.fields[index].type else {
            return writeMarker(value)
        }
        writeIdentifier(value, maxBytes: maxBytes)
    }

    private func writeIdentifier(_ value: Int, maxBytes: Int) {
        guard tape.tag(value) == Tag.string else { return writeMarker(value) }
        out.append(string: secrets.redacted(identifier: tape.string(value), maxBytes: maxBytes))
    }

    private func writeToken(_ value: Int, in object: Int) {
        guard tape.tag(value) == Tag.string else { return writeMarker(value) }
        out.append(string: secrets.redacted(token: tape.string(value), tokenForm(in: object)))
    }

    /// How the token of an object is read, as far as that can be told: what is refused for its service alone may be a token of
    /// any.
    private func tokenForm(in object: Int) -> TokenForm {
        let provider = tape.value(of: "provider", in: object)
        if let provider, tape.isString(provider, Array("fcm".utf8)) { return .text }
        guard kind?.provider != nil else { return .unknown }
        guard let provider else { return .hexadecimal }
        return tape.isString(provider, Array("apns".utf8)) ? .hexadecimal : .unknown
    }

    /// The type of a field, or of one in an object, by its path; nil where it is not known.
    func type(of field: String) -> CompiledType? {
        guard let reference = FieldReference(field, in: known) else { return nil }
        return (reference.nested ?? known.fields[reference.index]).type
    }
}

extension CompiledType {
    /// Whether it takes any text, so that what looks like a device token may be meant.
    fileprivate var takesAnyText: Bool {
        switch self {
        case .string(_, format: .any), .label, .openEnumeration: true
        default: false
        }
    }

    /// Whether any word has the form of such a value.
    fileprivate var takesWords: Bool {
        switch self {
        case .string(_, .languageTag), .string(_, .timeZone): true
        default: false
        }
    }

    /// Whether text has the form of such a value. Payloads and headers have numbers as text too.
    fileprivate func fits(_ text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .uuid: EventID(utf8: text) != nil
        case .timestamp: Timestamp.parse(text) != nil || text.looksLikeTime
        case .integer, .number: Double(String(decoding: text, as: UTF8.self)) != nil
        case .enumeration(let enumeration), .openEnumeration(let enumeration, _), .optionSet(let enumeration):
            enumeration.table.index(of: text) >= 0
        case .string(_, .languageTag): text.isLanguageTag
        case .string(_, .timeZone): text.isTimeZoneName
        default: false
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
