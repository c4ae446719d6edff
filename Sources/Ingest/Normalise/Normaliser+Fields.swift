import NotificationEvents

extension Normaliser {
    /// Writes the event's `data`, reply text and closing bracket left out, and its columns; then checks its rules.
    func writeEvent(_ kind: CompiledKind, _ base: Int) throws(FieldFailure) {
        if let text = kind.replyText, let length = kind.replyTextLength, slots[base + text] != 0 {
            try measure(kind.object.fields[text], Int(slots[base + text]), kind.object.fields[length])
            slots[base + length] = 0
        }
        out.append(UInt8(ascii: "{"))
        try writeFields(kind.object, base, tokenForm: tokenForm(kind, base))
        try check(kind, base)
    }

    /// Writes the fields of an object one after the other.
    func writeFields(_ object: CompiledObject, _ base: Int, tokenForm: TokenForm) throws(FieldFailure) {
        let start = out.count
        for index in object.fields.indices {
            let value = Int(slots[base + index])
            let field = object.fields[index]
            if value == 0, field.isIdleWhenAbsent, overrides.isEmpty {
                continue
            }
            do {
                try writeField(field, value, first: out.count == start, tokenForm: tokenForm)
            } catch {
                throw error.within(field.name)
            }
        }
    }

    @inline(__always)
    private func writeField(
        _ field: CompiledField,
        _ value: Int,
        first: Bool,
        tokenForm: TokenForm
    ) throws(FieldFailure) {
        if let column = field.column {
            guard value != 0 else {
                if field.isRequired {
                    throw FieldFailure(.missingField, "is needed")
                }
                return
            }
            return try takeColumn(column, field, value, tokenForm)
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
        if try writeFieldValue(field, value, tokenForm) {
            return
        }
        if field.isRequired {
            throw FieldFailure(.missingField, "is needed")
        }
        if let fallback = field.defaultValue {
            out.append(fallback)
        } else {
            out.truncate(to: mark)
        }
    }

    /// Writes the value of a field, from the item or what stands in for it; `false` where there is none.
    @inline(__always)
    private func writeFieldValue(
        _ field: CompiledField,
        _ value: Int,
        _ tokenForm: TokenForm
    ) throws(FieldFailure) -> Bool {
        if value != 0 {
            if case .identifier(let maxBytes) = field.type {
                let id = try identifier(value, maxBytes: maxBytes)
                // Kept for `notification_id` as well as in `data`.
                if field.isRequestIdentifier { columns.requestIdentifier = id }
                out.append(string: id)
                return true
            }
            guard field.isContainer else {
                return try write(field.type, value, tokenForm: tokenForm)
            }
            names.append(field.name)
            defer { names.removeLast() }
            return try write(field.type, value, tokenForm: tokenForm)
        }
        guard !overrides.isEmpty else { return false }
        if let range = override(of: field) {
            out.append(side.bytes(range))
            return true
        }
        if case .object(let inner) = field.type, inner.fields.contains(where: { override(of: $0) != nil }) {
            return try writeObject(inner, 0, tokenForm: tokenForm)
        }
        return false
    }

    /// Writes an object with fields of its own; `false` where it has none that is known.
    func writeObject(
        _ object: CompiledObject,
        _ value: Int,
        tokenForm: TokenForm
    ) throws(FieldFailure) -> Bool {
        if value != 0, tape.tag(value) != JSONTape.Tag.object {
            throw FieldFailure.type("an object")
        }
        let base = try claim(object.fields.count)
        defer { release(base) }
        try fill(object, base, from: value)
        out.append(UInt8(ascii: "{"))
        let start = out.count
        try writeFields(object, base, tokenForm: tokenForm)
        out.append(UInt8(ascii: "}"))
        return out.count > start + 1
    }

    private func takeColumn(
        _ column: Field.Column,
        _ field: CompiledField,
        _ value: Int,
        _ tokenForm: TokenForm
    ) throws(FieldFailure) {
        switch column {
        case .kind: break
        case .id: columns.id = try uuid(value)
        case .occurredAt: columns.occurredAt = try timestamp(value)
        case .occurrence: columns.occurrence = try timestamp(value).timestamp
        case .token: columns.token = try token(value, tokenForm)
        case .deviceID, .notificationID:
            guard case .identifier(let maxBytes) = field.type else { return }
            let id = try identifier(value, maxBytes: maxBytes)
            if column == .deviceID {
                columns.deviceID = id
            } else {
                columns.notificationID = id
            }
        }
    }
}
