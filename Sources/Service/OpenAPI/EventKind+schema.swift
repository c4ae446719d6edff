internal import JSON
internal import NotificationEvents

extension EventKind {
    /// Writes the JSON Schema of an event of this kind as it may be sent (OpenAPI 3.1, "Schema Object").
    func writeSchema(to json: inout JSONWriter) {
        json.object {
            $0.field("type", "object")
            $0.field("description", summary)
            $0.writeProperties(fields, kind: name)
            let conditions = rules.compactMap(\.condition)
            if !conditions.isEmpty {
                $0.name("allOf")
                $0.array { json in
                    for condition in conditions { condition(&json) }
                }
            }
            $0.name("examples")
            $0.array { $0.raw(sample) }
        }
    }
}

extension Rule {
    /// What writes the rule as a schema; nil where schemas cannot say it.
    fileprivate var condition: ((inout JSONWriter) -> Void)? {
        switch self {
        case .required(let field, let condition, let reason):
            return { json in
                json.object {
                    $0.field("description", "\(field) is required \(reason)")
                    $0.name("if")
                    condition.writeSchema(to: &$0)
                    $0.name("then")
                    Condition.present(field).writeSchema(to: &$0)
                }
            }
        case .atLeastOne(let fields):
            return { Condition.any(fields.map(Condition.present)).writeSchema(to: &$0) }
        case .unique:
            return nil
        }
    }
}

extension Condition {
    fileprivate func writeSchema(to json: inout JSONWriter) {
        switch self {
        case .always:
            json.raw("true")
        case .present(let path):
            Self.write(path.split(separator: "/")[...], to: &json) { $0.raw(#"{"not":{"type":"null"}}"#) }
        case .equals(let path, let value):
            Self.write(path.split(separator: "/")[...], to: &json) { json in
                json.object { $0.field("const", value) }
            }
        case .not(let condition):
            json.object {
                $0.name("not")
                condition.writeSchema(to: &$0)
            }
        case .all(let conditions):
            Self.write("allOf", conditions, to: &json)
        case .any(let conditions):
            Self.write("anyOf", conditions, to: &json)
        }
    }

    private static func write(_ name: StaticString, _ conditions: [Condition], to json: inout JSONWriter) {
        json.object {
            $0.name(name)
            $0.array { json in
                for condition in conditions { condition.writeSchema(to: &json) }
            }
        }
    }

    /// Writes a condition on a field within objects: each of them must be there.
    private static func write(
        _ path: ArraySlice<Substring>,
        to json: inout JSONWriter,
        _ body: (inout JSONWriter) -> Void
    ) {
        guard let first = path.first else { return body(&json) }
        json.object {
            $0.name("properties")
            $0.object { json in
                json.name(text: String(first))
                write(path.dropFirst(), to: &json, body)
            }
            $0.name("required")
            $0.array { $0.string(String(first)) }
        }
    }
}
