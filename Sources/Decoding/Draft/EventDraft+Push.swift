import NotificationEvents

extension EventDraft {
    private typealias Tag = JSONTape.Tag

    /// Takes the fields of a request from the payload and headers that a provider sent, where it posted those.
    ///
    /// - Parameter writer: writes values in the form of their fields.
    mutating func takePushFields(_ writer: inout EventWriter) throws(FieldFailure) {
        if let headers = try object(kind.headers) {
            for mapping in ProviderPayload.headers {
                if let header = header(mapping.path[0], in: headers) {
                    take(mapping, header.value, ["headers", header.name], &writer)
                }
            }
        }
        guard let payload = try object(kind.payload) else { return }
        for mapping in ProviderPayload.payload {
            guard let group = tape.value(of: mapping.path[0], in: payload) else { continue }
            guard tape.tag(group) == Tag.object else {
                warnings.warn("payload/" + mapping.path[0])
                continue
            }
            takeMember(mapping, of: group, &writer)
        }
        if let alerting = kind.object.index(of: "alerting"), values[alerting].isAbsent, !alerts(payload) {
            give(alerting, Array("false".utf8))
        }
    }

    /// The value of a field that must be an object where it is there.
    private func object(_ field: Int?) throws(FieldFailure) -> Int? {
        guard let field, case .sent(let value) = values[field] else { return nil }
        guard tape.tag(value) == Tag.object else {
            throw FieldFailure.type("an object").within(kind.object.fields[field].name)
        }
        return value
    }

    /// Whether a payload has an alert, a sound or a badge.
    private func alerts(_ payload: Int) -> Bool {
        guard let aps = tape.value(of: "aps", in: payload), tape.tag(aps) == Tag.object else { return false }
        return ProviderPayload.alertingKeys.contains { key in
            tape.value(of: key, in: aps).map { tape.hasContent($0) } ?? false
        }
    }

    /// The first value of a header, whose name may be in any case. Others of the name go into the warnings.
    private mutating func header(_ name: String, in headers: Int) -> (value: Int, name: String)? {
        var found: (value: Int, name: String)?
        for member in tape.members(of: headers) where tape.string(member.name).count == name.utf8.count {
            let key = String(decoding: tape.string(member.name), as: UTF8.self)
            guard tape.tag(member.value) != Tag.null, key.lowercased() == name else { continue }
            if found == nil {
                found = (member.value, key)
            } else {
                warnings.warn("headers/\(key)")
            }
        }
        return found
    }

    /// Takes a member of `aps` or `notilog` under either spelling; one that is not Apple's goes into the warnings.
    private mutating func takeMember(_ mapping: ProviderPayload, of group: Int, _ writer: inout EventWriter) {
        let own = tape.value(of: mapping.path[1], in: group)
        if let own { take(mapping, own, ["payload"] + mapping.path, &writer) }
        if let camelCase = mapping.camelCase, let other = tape.value(of: camelCase, in: group) {
            let path = ["payload", mapping.path[0], camelCase]
            warnings.warn(path.joined(separator: "/"))
            if own == nil { take(mapping, other, path, &writer) }
        }
    }

    /// Gives a field the value at hand, unless the event itself has one. What cannot be read, or says something else than the event
    /// itself, is left out and goes into the warnings.
    private mutating func take(
        _ mapping: ProviderPayload,
        _ value: Int,
        _ path: [String],
        _ writer: inout EventWriter
    ) {
        guard let reference = FieldReference(mapping.field, in: kind.object), mayGive(reference) else { return }
        let field = reference.nested ?? kind.object.fields[reference.index]
        guard self.value(of: reference).isAbsent else {
            if differs(value, from: self.value(of: reference), mapping, field, &writer) {
                warnings.warn(path.joined(separator: "/"))
            }
            return
        }
        // Ids stay on the tape, for they are kept in columns, hashed where the app wants it.
        if reference.nested == nil, case .identifier(let maxBytes) = field.type {
            let name = path.joined(separator: "/")
            if mapping.conversion == .text, tape.tag(value) == Tag.integer {
                return give(reference.index, Array("\"\(tape.integer(value))\"".utf8))
            }
            guard tape.tag(value) == Tag.string else {
                unusable[field.name] = "\(name) is no text"
                return warnings.warn(name)
            }
            let count = tape.string(value).count
            guard count <= maxBytes else {
                unusable[field.name] = "\(name) has \(count) bytes, and may have \(maxBytes)"
                return warnings.warn(name)
            }
            if count > 0 { take(value, from: path, for: reference.index) }
            return
        }
        do {
            if let json = try writer.json(of: value, mapping.conversion, as: field) { give(reference, json) }
        } catch {
            warnings.warn(path.joined(separator: "/"))
            if let json = writer.json(ofText: value, mapping.conversion, as: field) { give(reference, json) }
        }
    }

    /// Whether a value of the payload or headers says something else than the event's own, or than one taken before it.
    private func differs(
        _ value: Int,
        from other: FieldValue,
        _ mapping: ProviderPayload,
        _ field: CompiledField,
        _ writer: inout EventWriter
    ) -> Bool {
        let own: Int
        switch other {
        case .absent: return false
        case .given(let index):
            let json = try? writer.json(of: value, mapping.conversion, as: field)
            return (json ?? writer.json(ofText: value, mapping.conversion, as: field)) != given[index]
        case .sent(let index): own = index
        }
        if case .identifier = field.type {
            guard let value = text(value, mapping.conversion), let own = text(own, .same) else { return true }
            return !value.isEmpty && value != own
        }
        do {
            return try writer.json(of: value, mapping.conversion, as: field) != writer.json(of: own, .same, as: field)
        } catch {
            return true
        }
    }

    /// The text of an id; nil where it is none.
    private func text(_ value: Int, _ conversion: ProviderPayload.Conversion) -> String? {
        switch tape.tag(value) {
        case Tag.string: String(decoding: tape.string(value), as: UTF8.self)
        case Tag.integer where conversion == .text: String(tape.integer(value))
        default: nil
        }
    }

    /// Whether a field within an object can be given a value: not where something else than an object was sent for it.
    private func mayGive(_ reference: FieldReference) -> Bool {
        guard reference.nested != nil, case .sent(let object) = values[reference.index] else { return true }
        return tape.tag(object) == Tag.object
    }
}
