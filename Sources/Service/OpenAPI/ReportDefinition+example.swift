internal import JSON
internal import Reports

extension ReportDefinition {
    /// Writes an answer as an example: one row, in which every notification was responded to.
    func writeExample(to json: inout JSONWriter) {
        let shown = columns.filter { $0.name != "by_2" }.map { $0.shown(as: firstDimension) }
        json.object { json in
            json.field("report", name)
            json.name("parameters")
            json.object { json in
                for parameter in parameters { parameter.writeExample(to: &json) }
            }
            json.name("as_of")
            json.raw(#"{"position":20481,"at":"2026-03-01T00:00:00.000000Z","lag_seconds":0.2}"#)
            json.name("columns")
            json.array { json in
                for column in shown { column.writeDescription(to: &json) }
            }
            json.name("rows")
            json.array { json in
                json.object { json in
                    for column in shown { column.writeExample(to: &json) }
                }
            }
            if isListing { json.field("next_cursor", nil as String?) }
        }
    }

    /// The first dimension unless another is requested.
    private var firstDimension: String? {
        parameters.first { $0.kind == .dimensions }?.defaultText.split(separator: ",").first.map(String.init)
    }
}

extension ReportParameterDefinition {
    fileprivate func writeExample(to json: inout JSONWriter) {
        json.name(text: name)
        switch kind {
        case .dimensions:
            json.array { json in
                for name in defaultText.split(separator: ",") where name != "none" { json.string(String(name)) }
            }
        case .time:
            json.string(name == "to" ? "2026-03-01T00:00:00.000000Z" : "2026-02-01T00:00:00.000000Z")
        case .whole:
            json.raw(Int(defaultText).map(String.init) ?? "null")
        case .flag:
            json.raw(defaultText)
        case .choice, .zone, .duration:
            json.string(defaultText)
        case .text:
            json.null()
        }
    }
}

extension ReportColumn {
    /// The column of the first dimension under its name.
    fileprivate func shown(as dimension: String?) -> ReportColumn {
        var column = self
        if name == "by_1", let dimension { column.name = dimension }
        return column
    }

    fileprivate func writeDescription(to json: inout JSONWriter) {
        json.object {
            $0.field("name", name)
            $0.field("type", type)
            $0.field("unit", unit)
            $0.field("description", description)
        }
    }

    fileprivate func writeExample(to json: inout JSONWriter) {
        json.name(text: name)
        switch (type, unit) {
        case ("bigint", _), ("integer", _): json.integer(40)
        case ("double precision", "fraction"): json.raw(name.hasSuffix("_low") ? "0.912" : "1.0")
        case ("double precision", _): json.raw("12.5")
        case ("boolean", _): json.raw("false")
        case ("timestamptz", _): json.string("2026-02-01T00:00:00.000000Z")
        case ("jsonb", _): json.raw("{}")
        default: json.string(name == "category" ? "news" : "example")
        }
    }
}
