import NotificationEvents

/// Checks an event against the vocabulary before it is queued. A field that the service would reject is left out, so
/// that the rest of the event is not lost.
struct EventCheck {
    typealias Value = Notilog.Value
    let kind: EventKind

    init(_ kind: EventKind) {
        self.kind = kind
    }

    /// The fields that the service takes, and the paths of those left out.
    func fields(
        _ fields: [String: Value]
    ) throws(Notilog.Receipt.Reason) -> (fields: [String: Value], omitted: [String]) {
        var omitted: [String] = []
        let kept = Self.object(fields, kind.fields, path: "", omitted: &omitted)
        for field in kind.fields where field.isRequired && !Self.enveloped.contains(field.name) {
            guard kept[field.name] != nil else { throw .invalid("\(kind.name) needs \(field.name)") }
        }
        for rule in kind.rules {
            if case .atLeastOne(let names) = rule, !names.contains(where: { has($0, kept) }) {
                throw .invalid("\(kind.name) needs \(names.joined(separator: " or "))")
            }
        }
        return (kept, omitted.sorted())
    }

    /// What every event gets when it is encoded.
    private static let enveloped: Set<String> = ["kind", "id", "occurred_at"]

    private func has(_ path: String, _ fields: [String: Value]) -> Bool {
        let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
        guard let value = fields[parts[0]] else { return false }
        guard parts.count > 1 else { return true }
        if case .object(let inner) = value { return has(parts[1], inner) }
        return false
    }

    private static func object(
        _ values: [String: Value],
        _ fields: [Field],
        path: String,
        omitted: inout [String]
    ) -> [String: Value] {
        let known = Dictionary(fields.map { ($0.name, $0) }) { first, _ in first }
        var kept: [String: Value] = [:]
        for (name, value) in values {
            let path = path + name
            guard let field = known[name], !(path == name && enveloped.contains(name)),
                let value = accepted(value, field.type, path: path, omitted: &omitted)
            else {
                omitted.append(path)
                continue
            }
            kept[name] = value
        }
        return kept
    }

    private static func accepted(
        _ value: Value,
        _ type: FieldType,
        path: String,
        omitted: inout [String]
    ) -> Value? {
        switch (type, value) {
        case (.string(let max, _), .string(let text)):
            return text.utf8.count <= max ? value : nil
        case (.label(let max), .string(let text)), (.identifier(let max), .string(let text)):
            return !text.isEmpty && text.utf8.count <= max ? value : nil
        case (.openEnumeration(_, let max), .string(let text)):
            return text.utf8.count <= max ? value : nil
        case (.uuid, .string(let text)):
            return EventID(text) == nil ? nil : value
        case (.timestamp, .string(let text)):
            return Timestamp.parse(text) == nil ? nil : value
        case (.boolean, .bool), (.token, .string), (.replyText, .string), (.payload, .object), (.headers, .object):
            return value
        case (.integer(let range), .integer(let number)):
            return range.contains(number) ? value : nil
        case (.number(let range), .number(let number)):
            return range.contains(number) ? value : nil
        case (.number(let range), .integer(let number)):
            return range.contains(Double(number)) ? value : nil
        case (.enumeration(let enumeration), .string(let name)):
            return enumeration.names.contains(name) ? value : nil
        case (.enumeration(let enumeration), .integer(let raw)),
            (.openEnumeration(let enumeration, _), .integer(let raw)):
            return enumeration.cases.contains { $0.rawValue.map(Int64.init) == raw } ? value : nil
        case (.optionSet(let enumeration), .list(let values)):
            return .list(values.filter { $0.text.map(enumeration.names.contains) ?? false })
        case (.list(let element, let max), .list(let values)):
            return .list(
                values.prefix(max).enumerated().compactMap { index, value in
                    let accepted = accepted(value, element, path: "\(path)/\(index)", omitted: &omitted)
                    return accepted
                }
            )
        case (.object(let fields), .object(let values)):
            let kept = object(values, fields, path: path + "/", omitted: &omitted)
            // Without what it is known by, it is nothing.
            return fields.contains { $0.isRequired && kept[$0.name] == nil } ? nil : .object(kept)
        case (.attributes(let max), .object(let values)):
            var json = ""
            Value.object(values).write(to: &json)
            return json.utf8.count <= max ? value : nil
        default:
            return nil
        }
    }
}
