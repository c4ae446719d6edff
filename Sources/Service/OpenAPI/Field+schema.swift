internal import JSON
internal import NotificationEvents

extension JSONWriter {
    /// Writes `properties` and `required` of an object with these fields.
    ///
    /// - Parameter kind: the one value of the field `kind`.
    mutating func writeProperties(_ fields: [Field], kind: String? = nil) {
        name("properties")
        object { json in
            for field in fields {
                json.name(text: field.name)
                if field.name == "kind", let kind {
                    json.object { $0.field("const", kind) }
                } else {
                    json.object { json in
                        field.writeSchema(to: &json)
                        if let value = field.defaultValue { json.field("default", json: value) }
                    }
                }
            }
        }
        let required = fields.filter(\.isRequired)
        guard !required.isEmpty else { return }
        name("required")
        array { json in
            for field in required { json.string(field.name) }
        }
    }
}

extension Field {
    /// Writes the members of a schema. If a field may be absent, it may also be `null`.
    fileprivate func writeSchema(to json: inout JSONWriter) {
        guard !isRequired else { return type.writeSchema(to: &json) }
        json.name("anyOf")
        json.array { json in
            json.object { type.writeSchema(to: &$0) }
            json.object { $0.field("type", "null") }
        }
    }
}

extension FieldType {
    /// Writes the members of a schema. Limits in bytes are given in characters, of which there are at most as many.
    fileprivate func writeSchema(to json: inout JSONWriter) {
        switch self {
        case .string(let maxBytes, let format):
            json.text(maxBytes: maxBytes)
            switch format {
            case .any: break
            case .languageTag: json.field("description", "A language tag (BCP 47)")
            case .timeZone:
                json.field("description", "A time zone of the IANA database; a name that is not in it is kept too")
            case .currency: json.field("description", "The code of a currency (ISO 4217)")
            }
        case .label(let maxBytes), .identifier(let maxBytes):
            json.text(maxBytes: maxBytes)
            json.field("minLength", 1)
        case .uuid:
            json.field("type", "string")
            json.field("format", "uuid")
        case .timestamp:
            json.field("type", "string")
            json.field("format", "date-time")
        case .boolean:
            json.field("type", "boolean")
        case .integer(let range):
            json.field("type", "integer")
            json.field("minimum", range.lowerBound)
            json.field("maximum", range.upperBound)
        case .number(let range):
            json.field("type", "number")
            json.field("minimum", json: "\(range.lowerBound)")
            json.field("maximum", json: "\(range.upperBound)")
        case .enumeration(let values):
            json.field("description", values.name)
            values.writeSchema(to: &json)
        case .openEnumeration(let values, let maxBytes):
            json.field("description", "\(values.name): \(values.names.joined(separator: ", ")), or another name")
            json.field("type", json: #"["string","integer"]"#)
            json.field("maxLength", maxBytes)
        case .optionSet(let values):
            json.field("description", "\(values.name), as names or as the raw value")
            json.name("anyOf")
            json.array { json in
                json.object {
                    $0.field("type", "array")
                    $0.name("items")
                    $0.object { json in
                        json.name("enum")
                        json.array { json in
                            for value in values.cases { json.string(value.name) }
                        }
                    }
                }
                json.object {
                    $0.field("type", "integer")
                    $0.field("minimum", 0)
                    $0.field("maximum", values.cases.reduce(0) { $0 | ($1.rawValue ?? 0) })
                }
            }
        case .list(let element, let maxCount):
            json.field("type", "array")
            json.field("maxItems", maxCount)
            json.name("items")
            json.object { element.writeSchema(to: &$0) }
        case .object(let fields):
            json.field("type", "object")
            json.writeProperties(fields)
        case .attributes(let maxBytes):
            json.field("type", "object")
            json.field("description", "The sender's own, at most \(maxBytes) bytes of JSON")
        case .token:
            json.field("type", "string")
            json.field("minLength", 1)
            json.field("description", "A device token; only its SHA-256 is kept")
        case .replyText:
            json.field("type", "string")
            json.field("description", "What the person typed: measured, and kept only where the app's switch says so")
        case .payload:
            json.field("type", "object")
            json.field("description", "The push's payload; known fields are taken from it, the rest is dropped")
        case .headers:
            json.field("type", "object")
            json.field("description", "The push's APNs headers; known ones are taken, the rest is dropped")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func text(maxBytes: Int) {
        field("type", "string")
        field("maxLength", maxBytes)
    }
}

extension Enumeration {
    /// Names and raw values are separate lists: client generators do not accept a list that mixes both.
    fileprivate func writeSchema(to json: inout JSONWriter) {
        let raw = cases.compactMap(\.rawValue)
        guard !raw.isEmpty else { return writeNames(to: &json) }
        json.name("anyOf")
        json.array { json in
            json.object { writeNames(to: &$0) }
            json.object { json in
                json.field("type", "integer")
                json.name("enum")
                json.array { json in
                    for value in raw { json.integer(value) }
                }
            }
        }
    }

    private func writeNames(to json: inout JSONWriter) {
        json.field("type", "string")
        json.name("enum")
        json.array { json in
            for value in cases {
                json.string(value.name)
                for alias in value.aliases { json.string(alias) }
            }
        }
    }
}
