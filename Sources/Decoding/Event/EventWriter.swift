import NotificationEvents

/// Checks the values of a draft and writes them in their one form: the fields of `data` as JSON, in the order in which the
/// kind declares them, and the others as columns.
struct EventWriter {
    /// What of an event goes into columns.
    struct Columns {
        var id: EventID?
        var occurredAt: Timestamp.Zoned?
        var occurrence: Timestamp?
        var deviceID = ""
        var notificationID: String?
        var requestIdentifier: String?
        var token: [UInt8]?
    }

    /// A part of the path to a field.
    private enum PathPart {
        case name(String)
        case index(Int)

        var text: String {
            switch self {
            case .name(let name): name
            case .index(let index): String(index)
            }
        }
    }

    /// Takes the bytes; what is in it before stays.
    let out: OutputBuffer
    let tape: JSONTape
    let secrets: Secrets
    private let pool: FieldValuesPool
    /// What of the item is dropped.
    private(set) var warnings = Warnings()
    private var columns = Columns()
    private var tokenForm = TokenForm.unknown
    private var hasEnvelope = false
    private var given = GivenValues()
    /// The fields around the object at hand.
    private var path: [PathPart] = []

    init(_ out: OutputBuffer, _ tape: JSONTape, _ secrets: Secrets, _ pool: FieldValuesPool = FieldValuesPool()) {
        self.out = out
        self.tape = tape
        self.secrets = secrets
        self.pool = pool
    }

    /// Writes an event's `data`, reply text and closing brace left out, and gives its columns. Members of objects that are
    /// no fields go into the warnings, behind the draft's own.
    mutating func write(_ draft: EventDraft) throws(FieldFailure) -> Columns {
        warnings = draft.warnings
        tokenForm = draft.tokenForm
        hasEnvelope = draft.envelopeID != nil
        given = draft.given
        out.append(UInt8(ascii: "{"))
        do {
            try writeFields(draft.kind.object, draft.values)
        } catch {
            throw draft.located(error)
        }
        var written = Columns()
        swap(&written, &columns)
        return written
    }

    /// Writes the fields of an object one after the other.
    private mutating func writeFields(_ object: CompiledObject, _ values: FieldValues) throws(FieldFailure) {
        let start = out.count
        for index in object.fields.indices {
            var value = values[index]
            let field = object.fields[index]
            if value.isAbsent {
                if !given.isEmpty {
                    value = given.value(of: field)
                } else if field.isIdleWhenAbsent {
                    continue
                }
            }
            do {
                try writeField(field, value, first: out.count == start)
            } catch {
                throw error.within(field.name)
            }
        }
    }

    @inline(__always)
    private mutating func writeField(
        _ field: CompiledField,
        _ value: FieldValue,
        first: Bool
    ) throws(FieldFailure) {
        if let column = field.column {
            switch value {
            case .sent(let value): try takeColumn(column, field, value)
            case .given(let index):
                if case .identifier(let maxBytes) = field.type { take(id: try id(given: index, maxBytes), column) }
            case .absent: if field.isRequired { throw FieldFailure(.missingField, "is required") }
            }
            return
        }
        switch field.type {
        case .replyText, .payload, .headers: return
        default: break
        }
        let mark = out.count
        if !first {
            out.append(UInt8(ascii: ","))
        }
        out.append(field.key)
        if try writeValue(field, value) {
            return
        }
        if field.isRequired {
            throw FieldFailure(.missingField, "is required")
        }
        if let fallback = field.defaultValue {
            out.append(fallback)
        } else {
            out.truncate(to: mark)
        }
    }

    /// Writes the value of a field; `false` where it has none.
    @inline(__always)
    private mutating func writeValue(_ field: CompiledField, _ value: FieldValue) throws(FieldFailure) -> Bool {
        switch value {
        case .given(let index):
            if case .identifier(let maxBytes) = field.type {
                write(id: try id(given: index, maxBytes), of: field)
            } else {
                out.append(given[index])
            }
            return true
        case .absent:
            guard !given.isEmpty, case .object(let inner) = field.type,
                inner.fields.contains(where: { !given.value(of: $0).isAbsent })
            else { return false }
            return try writeObject(inner, nil)
        case .sent(let value):
            if case .identifier(let maxBytes) = field.type {
                write(id: try secrets.identifier(tape.utf8(value), maxBytes: maxBytes), of: field)
                return true
            }
            guard field.isContainer else { return try write(field.type, value) }
            path.append(.name(field.name))
            defer { path.removeLast() }
            return try write(field.type, value) || field.isKeptEmpty
        }
    }

    /// Writes an object with fields of its own; `false` where it has none that is known.
    ///
    /// - Parameter value: the object; `nil` where its fields were only given values.
    mutating func writeObject(_ object: CompiledObject, _ value: Int?) throws(FieldFailure) -> Bool {
        var values = pool.values(object)
        defer { pool.recycle(values) }
        if let value {
            guard tape.tag(value) == JSONTape.Tag.object else { throw FieldFailure.type("an object") }
            values.read(value, of: tape, object) { name in
                let name = pathText(String(decoding: name, as: UTF8.self))
                warnings.warn(name)
            }
        }
        out.append(UInt8(ascii: "{"))
        let start = out.count
        try writeFields(object, values)
        out.append(UInt8(ascii: "}"))
        return out.count > start + 1
    }

    private func pathText(_ name: String) -> String {
        (path.map(\.text) + [name]).joined(separator: "/")
    }

    /// Writes the elements of an array.
    mutating func writeList(_ value: Int, _ element: CompiledType, maxCount: Int) throws(FieldFailure) {
        guard tape.tag(value) == JSONTape.Tag.array else { throw .type("an array") }
        out.append(UInt8(ascii: "["))
        let start = out.count
        for (position, index) in tape.elements(of: value).enumerated() {
            guard position < maxCount else {
                throw FieldFailure(.invalidValue, "has more than \(maxCount) elements")
            }
            let mark = out.count
            if mark > start {
                out.append(UInt8(ascii: ","))
            }
            path.append(.index(position))
            defer { path.removeLast() }
            do {
                if try !write(element, index) {
                    out.truncate(to: mark)
                }
            } catch {
                throw error.within(String(position))
            }
        }
        out.append(UInt8(ascii: "]"))
    }

    private func id(given index: Int, _ maxBytes: Int) throws(FieldFailure) -> String {
        let found: Result<String, FieldFailure> = given[index].withUnsafeBytes { json in
            let text = UnsafeRawBufferPointer(rebasing: json.dropFirst().dropLast())
            return Result { () throws(FieldFailure) in try secrets.identifier(text, maxBytes: maxBytes) }
        }
        return try found.get()
    }

    private mutating func write(id: String, of field: CompiledField) {
        // Kept for `notification_id` as well as in `data`.
        if field.isRequestIdentifier { columns.requestIdentifier = id }
        out.append(string: id)
    }

    private mutating func takeColumn(
        _ column: Field.Column,
        _ field: CompiledField,
        _ value: Int
    ) throws(FieldFailure) {
        switch column {
        case .kind: break
        case .id: columns.id = try tape.uuid(value)
        // Other systems write nanoseconds into their envelopes.
        case .occurredAt: columns.occurredAt = try tape.timestamp(value, digits: hasEnvelope ? 9 : 6)
        case .occurrence: columns.occurrence = try tape.timestamp(value).timestamp
        case .token: columns.token = try secrets.tokenDigest(tape.utf8(value), tokenForm)
        case .deviceID, .notificationID:
            guard case .identifier(let maxBytes) = field.type else { return }
            take(id: try secrets.identifier(tape.utf8(value), maxBytes: maxBytes), column)
        }
    }

    private mutating func take(id: String, _ column: Field.Column) {
        if column == .deviceID {
            columns.deviceID = id
        } else {
            columns.notificationID = id
        }
    }
}

extension EventDraft {
    /// How the event's token is read.
    var tokenForm: TokenForm {
        guard let provider = kind.provider else { return .unknown }
        guard case .sent(let value) = values[provider], tape.isString(value, Array("fcm".utf8)) else {
            return .hexadecimal
        }
        return .text
    }
}
