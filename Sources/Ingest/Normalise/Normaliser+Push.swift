import NotificationEvents

extension Normaliser {
    private typealias Tag = JSONTape.Tag

    /// Takes the fields of a request from the payload and headers that a provider sent, where it posted those.
    func takePushFields(_ kind: CompiledKind, _ base: Int) throws(FieldFailure) {
        let payload = kind.payload.map { Int(slots[base + $0]) } ?? 0
        let headers = kind.headers.map { Int(slots[base + $0]) } ?? 0
        if headers != 0 {
            guard tape.tag(headers) == Tag.object else { throw FieldFailure.type("an object").within("headers") }
            for mapping in ProviderPayload.headers {
                if let value = header(mapping.path[0], in: headers) {
                    take(mapping, value.index, ["headers", value.name], kind, base)
                }
            }
        }
        guard payload != 0 else { return }
        guard tape.tag(payload) == Tag.object else { throw FieldFailure.type("an object").within("payload") }
        for mapping in ProviderPayload.payload {
            guard let group = tape.value(of: mapping.path[0], in: payload) else { continue }
            guard tape.tag(group) == Tag.object else {
                warnings.warn("payload/" + mapping.path[0])
                continue
            }
            takeMember(mapping, of: group, kind, base)
        }
        if let alerting = kind.object.index(of: "alerting"), slots[base + alerting] == 0, !alerts(payload) {
            override(kind.object.fields[alerting], with: Array("false".utf8))
        }
    }

    /// Whether a payload has an alert, a sound or a badge.
    private func alerts(_ payload: Int) -> Bool {
        guard let aps = tape.value(of: "aps", in: payload), tape.tag(aps) == Tag.object else { return false }
        return ProviderPayload.alertingKeys.contains { key in
            guard let value = tape.value(of: key, in: aps) else { return false }
            return switch tape.tag(value) {
            case Tag.string: !tape.string(value).isEmpty
            case Tag.object: value + 1 < tape.close(value)
            default: true
            }
        }
    }

    /// The value of a header, whose name may be in any case.
    private func header(_ name: String, in headers: Int) -> (index: Int, name: String)? {
        var index = headers + 1
        let end = tape.close(headers)
        while index < end {
            let key = String(decoding: tape.string(index), as: UTF8.self)
            if tape.tag(index + 1) != Tag.null, key.lowercased() == name {
                return (index + 1, key)
            }
            index = tape.next(index + 1)
        }
        return nil
    }

    /// Takes a member of `aps` or `notilog` under either spelling; the other than Apple's is told of.
    private func takeMember(_ mapping: ProviderPayload, of group: Int, _ kind: CompiledKind, _ base: Int) {
        let own = tape.value(of: mapping.path[1], in: group)
        if let own { take(mapping, own, ["payload"] + mapping.path, kind, base) }
        if let camelCase = mapping.camelCase, let other = tape.value(of: camelCase, in: group) {
            let path = ["payload", mapping.path[0], camelCase]
            warnings.warn(path.joined(separator: "/"))
            if own == nil { take(mapping, other, path, kind, base) }
        }
    }

    /// Gives a field the value at hand, unless the event itself has one. What cannot be read is left out and told of.
    private func take(
        _ mapping: ProviderPayload,
        _ value: Int,
        _ path: [String],
        _ kind: CompiledKind,
        _ base: Int
    ) {
        guard let reference = FieldReference(mapping.field, in: kind.object) else { return }
        let top = Int(slots[base + reference.index])
        let field = reference.nested ?? kind.object.fields[reference.index]
        if let nested = reference.nested {
            guard top == 0 || (tape.tag(top) == Tag.object && tape.value(of: nested.name, in: top) == nil) else {
                return
            }
        } else if top != 0 {
            return
        }
        guard override(of: field) == nil else { return }
        // Ids stay on the tape, for they are kept in columns, hashed where the app wants it.
        if reference.nested == nil, case .identifier(let maxBytes) = field.type {
            guard tape.tag(value) == Tag.string, tape.string(value).count <= maxBytes else {
                return warnings.warn(path.joined(separator: "/"))
            }
            if !tape.string(value).isEmpty {
                slots[base + reference.index] = UInt32(value)
                sources[field.name] = path
            }
            return
        }
        let start = out.count
        defer { out.truncate(to: start) }
        do {
            guard try convert(mapping.conversion, value, field) else { return }
        } catch {
            out.truncate(to: start)
            warnings.warn(path.joined(separator: "/"))
            guard writeQuoted(value, mapping.conversion, field) else { return }
        }
        override(field, with: Array(out.bytes(start..<out.count)))
    }

    /// Writes a number or boolean that stands there as text; `false` where it is none.
    private func writeQuoted(_ value: Int, _ conversion: ProviderPayload.Conversion, _ field: CompiledField) -> Bool {
        guard tape.tag(value) == Tag.string else { return false }
        let text = String(decoding: tape.string(value), as: UTF8.self)
        switch (conversion, field.type) {
        case (.flag, _):
            guard let flag = ["1": true, "true": true, "0": false, "false": false][text] else { return false }
            out.append(flag ? "true" : "false")
        case (.same, .integer(let range)):
            guard let number = Int64(text), range.contains(number) else { return false }
            out.append(integer: number)
        case (.same, .number(let range)):
            guard let number = Double(text), range.contains(number) else { return false }
            out.append(number: number)
        default: return false
        }
        return true
    }

    /// Writes a value of a payload or header as the field's own form; `false` where it counts as absent.
    private func convert(
        _ conversion: ProviderPayload.Conversion,
        _ value: Int,
        _ field: CompiledField
    ) throws(FieldFailure) -> Bool {
        let tag = tape.tag(value)
        switch (conversion, tag) {
        case (.flag, Tag.integer) where tape.integer(value) == 0 || tape.integer(value) == 1:
            out.append(tape.integer(value) == 1 ? "true" : "false")
        case (.flag, Tag.yes), (.flag, Tag.no):
            out.append(tag == Tag.yes ? "true" : "false")
        case (.flag, _):
            throw .type("1 or 0")
        case (.hyphenated, Tag.string):
            let name = String(decoding: tape.string(value), as: UTF8.self)
            let known = Array("\"\(name.split(separator: "-").joined(separator: "_"))\"".utf8)
            guard case .enumeration(let enumeration) = field.type, enumeration.values.contains(known) else {
                throw .value("is not known to APNs", tape.string(value))
            }
            out.append(known)
        case (.sound, Tag.string):
            let name = tape.string(value)
            out.append(
                name.isEmpty ? #""none""# : name.elementsEqual("default".utf8) ? #""default""# : #""custom""#
            )
        case (.sound, Tag.object):
            try writeSoundDictionary(value)
        case (.sound, _):
            throw .type("a string or an object")
        case (.decimal, Tag.string):
            guard case .integer(let range) = field.type,
                let number = Int64(String(decoding: tape.string(value), as: UTF8.self)), range.contains(number)
            else { throw FieldFailure(.invalidValue, "is no whole number that APNs takes here") }
            out.append(integer: number)
        default:
            return try write(field.type, value, tokenForm: .unknown)
        }
        return true
    }

    private func writeSoundDictionary(_ value: Int) throws(FieldFailure) {
        if isCritical(value) {
            out.append(#""critical""#)
        } else if let name = tape.value(of: "name", in: value), !tape.isString(name, Array("default".utf8)) {
            out.append(tape.isString(name, []) ? #""none""# : #""custom""#)
        } else {
            out.append(#""default""#)
        }
    }

    /// Whether a dictionary of a sound says that it is a critical alert's.
    func isCritical(_ sound: Int) -> Bool {
        guard let critical = tape.value(of: "critical", in: sound) else { return false }
        return switch tape.tag(critical) {
        case Tag.yes: true
        case Tag.integer: tape.integer(critical) == 1
        default: tape.isString(critical, Array("1".utf8)) || tape.isString(critical, Array("true".utf8))
        }
    }
}
