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
        var kept = Self.object(fields, kind.fields, path: "", omitted: &omitted)
        for field in kind.fields where field.isRequired && !Self.enveloped.contains(field.name) {
            guard isPresent(field.name, kept) else { throw .invalid("\(kind.name) needs \(field.name)") }
        }
        for rule in kind.rules { try keep(rule, &kept, omitted: &omitted) }
        return (kept, omitted.sorted())
    }

    /// Leaves out typed text, of which its length stays.
    ///
    /// - Returns: the name of its field; `nil` if there is none.
    func leaveOutReplyText(_ fields: inout [String: Value]) -> String? {
        for field in kind.fields {
            guard case .replyText(let lengthField) = field.type else { continue }
            guard let text = fields.removeValue(forKey: field.name)?.text else { return nil }
            // Unicode scalars, as the service counts.
            fields[lengthField] = .integer(Int64(text.unicodeScalars.count))
            return field.name
        }
        return nil
    }

    /// What every event gets when it is encoded.
    private static let enveloped: Set<String> = ["kind", "id", "occurred_at"]

    /// Leaves out what breaks a rule.
    private func keep(
        _ rule: Rule,
        _ fields: inout [String: Value],
        omitted: inout [String]
    ) throws(Notilog.Receipt.Reason) {
        switch rule {
        case .atLeastOne(let names):
            guard names.contains(where: { isPresent($0, fields) }) else {
                throw .invalid("\(kind.name) needs \(names.joined(separator: " or "))")
            }
        case .required(let name, let condition, let reason):
            guard !isPresent(name, fields), holds(condition, fields) else { return }
            // A field that says nothing without the other goes too: an amount without its currency.
            guard case .present(let companion) = condition, fields.removeValue(forKey: companion) != nil else {
                throw .invalid("\(kind.name) needs \(name) \(reason)")
            }
            omitted.append(companion)
        case .unique(let name, let key):
            guard case .list(let elements) = fields[name] else { return }
            var seen: Set<String> = []
            fields[name] = .list(
                elements.enumerated().compactMap { index, element in
                    guard case .object(let inner) = element, let text = inner[key]?.text, !seen.insert(text).inserted
                    else { return element }
                    omitted.append("\(name)/\(index)")
                    return nil
                }
            )
        }
    }

    /// Whether a field has a value; empty text does not count.
    private func isPresent(_ path: String, _ fields: [String: Value]) -> Bool {
        value(path, fields).map { $0 != .string("") } ?? false
    }

    private func value(_ path: String, _ fields: [String: Value]) -> Value? {
        let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count > 1 else { return fields[path] }
        guard case .object(let inner) = fields[parts[0]] else { return nil }
        return value(parts[1], inner)
    }

    /// Whether a condition holds; an absent field has its default.
    private func holds(_ condition: Condition, _ fields: [String: Value]) -> Bool {
        switch condition {
        case .always: return true
        case .present(let path): return isPresent(path, fields)
        case .equals(let path, let text):
            switch value(path, fields) {
            case .string(let value): return value == text
            case .bool(let value): return String(value) == text
            case nil:
                let fallback = kind.fields.first { $0.name == path }?.defaultValue
                return fallback == text || fallback == "\"\(text)\""
            default: return false
            }
        case .not(let inner): return !holds(inner, fields)
        case .all(let inner): return inner.allSatisfy { holds($0, fields) }
        case .any(let inner): return inner.contains { holds($0, fields) }
        }
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
        // PostgreSQL stores no NUL.
        if let text = value.text, text.utf8.contains(0) { return nil }
        switch (type, value) {
        case (.string(let max, let format), .string(var text)):
            // Empty text counts as an absent field, whatever the format.
            let fits = text.isEmpty || text.withUTF8 { format.fits(UnsafeRawBufferPointer($0)) }
            return fits && text.utf8.count <= max ? value : nil
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
        case (.attributes(let max), .object):
            guard isStorable(value, levels: maxLevels) else { return nil }
            var json = ""
            value.write(to: &json)
            return json.utf8.count <= max ? value : nil
        default:
            return nil
        }
    }
    /// How deep attributes may nest: by default the service takes 16 levels, of which the event is one.
    private static let maxLevels = 15

    private static func isStorable(_ value: Value, levels: Int) -> Bool {
        switch value {
        case .string(let text): !text.utf8.contains(0)
        case .integer, .number, .bool: true
        case .list(let values): levels > 0 && values.allSatisfy { isStorable($0, levels: levels - 1) }
        case .object(let fields):
            levels > 0
                && fields.allSatisfy { name, value in
                    !name.utf8.contains(0) && isStorable(value, levels: levels - 1)
                }
        }
    }
}
