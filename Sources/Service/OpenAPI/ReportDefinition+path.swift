internal import JSON
internal import Reports

extension ReportDefinition {
    /// Writes the path item of `GET` for this report or listing (OpenAPI 3.1, "Path Item Object").
    func writePath(to json: inout JSONWriter) {
        json.object { json in
            json.name("get")
            json.object { json in
                json.field("operationId", isListing ? "list_\(name)" : "report_\(name)")
                json.field("summary", isListing ? "List \(name)" : "Report \(name)")
                json.field("description", purpose)
                json.name("tags")
                json.array { $0.string(isListing ? "devices" : "reports") }
                json.name("parameters")
                json.array { json in
                    for parameter in parameters { parameter.write(to: &json) }
                    for name in unusedNames { json.raw(##"{"$ref":"#/components/parameters/\##(name)"}"##) }
                    for filter in filters { Self.writeFilter(filter, to: &json) }
                    json.raw(##"{"$ref":"#/components/parameters/format"}"##)
                    json.raw(##"{"$ref":"#/components/parameters/min_position"}"##)
                }
                json.name("responses")
                json.object { writeResponses(to: &$0) }
            }
        }
    }

    private static func writeFilter(_ name: String, to json: inout JSONWriter) {
        json.object {
            $0.field("name", name)
            $0.field("in", "query")
            $0.field(
                "description",
                name == ReportDefinition.ownDimension
                    ? "Only these values of a key of `attributes` that the app named as a dimension; an empty one is null"
                    : "Only these values; an empty one is null"
            )
            $0.field("schema", json: #"{"type":"array","items":{"type":"string"}}"#)
        }
    }

    private func writeResponses(to json: inout JSONWriter) {
        json.name("200")
        json.object { json in
            json.field("description", purpose)
            json.name("content")
            json.object { json in
                json.name("application/json")
                json.object { json in
                    json.name("schema")
                    json.object { json in
                        json.name("allOf")
                        json.array { json in
                            json.raw(##"{"$ref":"#/components/schemas/Report"}"##)
                            json.object { writeRows(to: &$0) }
                        }
                    }
                    json.name("example")
                    writeExample(to: &json)
                }
                for type in ["text/csv", "application/x-ndjson", "text/plain"] {
                    json.name(text: type)
                    json.raw(#"{"schema":{"type":"string"}}"#)
                }
            }
        }
        for (status, name) in [
            ("400", "BadRequest"), ("401", "Unauthorized"), ("403", "Forbidden"), ("406", "NotAcceptable"),
            ("409", "Behind"), ("429", "TooManyRequests"), ("503", "Unavailable"),
        ] {
            json.name(text: status)
            json.raw(##"{"$ref":"#/components/responses/\##(name)"}"##)
        }
    }

    /// A row has the columns asked for, and of the dimensions those that `by` names.
    private func writeRows(to json: inout JSONWriter) {
        json.name("properties")
        json.object { json in
            json.name("rows")
            json.object { json in
                json.field("type", "array")
                json.name("items")
                json.object { json in
                    json.field("type", "object")
                    json.name("properties")
                    json.object { json in
                        for column in answerColumns { column.write(to: &json) }
                    }
                }
            }
            if isBounded {
                json.name("rows_total")
                json.object {
                    $0.field("type", "integer")
                    $0.field(
                        "description",
                        "The number of keys. If there are more than `limit`, the row `other` sums the rest"
                    )
                }
            }
            if isListing {
                json.name("next_cursor")
                json.object {
                    $0.field("type", json: #"["string","null"]"#)
                    $0.field("description", "The `cursor` of the next page; null on the last")
                }
            }
        }
    }
}

extension ReportParameterDefinition {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("name", name)
            json.field("in", "query")
            json.field("description", "\(description). Accepted: \(acceptedText). Default: \(defaultText)")
            if kind == .dimensions {
                json.field("explode", false)
            }
            json.name("schema")
            json.object { writeSchema(to: &$0) }
        }
    }

    private func writeSchema(to json: inout JSONWriter) {
        switch kind {
        case .dimensions:
            json.field("type", "array")
            json.field("minItems", 1)
            json.field("maxItems", 2)
            json.field("uniqueItems", true)
            json.name("items")
            json.object { json in
                let known = accepted.filter { $0 != "none" && $0 != ReportDefinition.ownDimension }
                guard accepted.contains(ReportDefinition.ownDimension) else { return write(enum: known, to: &json) }
                json.name("anyOf")
                json.array { json in
                    json.object { write(enum: known, to: &$0) }
                    json.raw(#"{"type":"string","pattern":"^attribute\\."}"#)
                }
            }
        case .choice:
            write(enum: accepted, to: &json)
        case .time:
            let days = name == "from" ? #",{"type":"string","pattern":"^P[1-9][0-9]{0,3}D$"}"# : ""
            json.field(
                "anyOf",
                json: #"[{"type":"string","format":"date"},{"type":"string","format":"date-time"}\#(days)]"#
            )
        case .zone:
            json.field("type", "string")
            json.field("examples", json: #"["UTC","Europe/Berlin","Asia/Kathmandu"]"#)
        case .duration:
            json.field("type", "string")
            json.field("format", "duration")
        case .text:
            json.field("type", "string")
            json.field("minLength", 1)
            json.field("maxLength", 1000)
        case .whole:
            json.field("type", "integer")
            json.field("minimum", Int64(bounds?.lowerBound ?? .min))
            json.field("maximum", Int64(bounds?.upperBound ?? .max))
        case .flag:
            json.field("type", "boolean")
        }
    }

    private func write(enum values: [String], to json: inout JSONWriter) {
        json.name("enum")
        json.array { json in
            for value in values { json.string(value) }
        }
    }
}

extension ReportColumn {
    /// Writes the column as a property of a row.
    fileprivate func write(to json: inout JSONWriter) {
        json.name(text: name)
        json.object {
            switch type {
            case "bigint", "integer": $0.field("type", json: #"["integer","null"]"#)
            case "double precision": $0.field("type", json: #"["number","null"]"#)
            case "boolean": $0.field("type", json: #"["boolean","null"]"#)
            case "jsonb": break
            default: $0.field("type", json: #"["string","null"]"#)
            }
            $0.field("description", unit.map { "\(description) (\($0))" } ?? description)
        }
    }
}
