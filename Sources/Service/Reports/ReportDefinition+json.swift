internal import JSON
internal import Reports

extension ReportDefinition {
    /// Writes what the catalogue says of the report.
    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("name", name)
            $0.field("purpose", purpose)
            $0.field("href", path)
            $0.field("by_rows", byRows)
            $0.name("parameters")
            $0.array { json in
                for parameter in parameters { parameter.write(to: &json) }
            }
            $0.field("filters", filters)
            $0.name("columns")
            $0.array { json in
                for column in answerColumns { column.write(to: &json) }
            }
            $0.field("table_columns", tableColumns.filter { !["by_1", "by_2"].contains($0) })
        }
    }
}

extension ReportParameterDefinition {
    fileprivate func write(to json: inout JSONWriter) {
        json.object {
            $0.field("name", name)
            $0.field("type", kind.rawValue)
            $0.field("default", defaultText)
            $0.field("accepted", acceptedText)
            $0.field("description", description)
        }
    }
}

extension ReportColumn {
    fileprivate func write(to json: inout JSONWriter) {
        json.object {
            $0.field("name", name)
            $0.field("type", type)
            $0.field("unit", unit)
            if isDifference { $0.field("is_difference", true) }
            $0.field("description", description)
        }
    }
}
