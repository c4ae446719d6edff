/// The parts of a report's JSON document.
enum JSONDocument {
    /// Everything after the last row.
    static func tail(_ result: ReportResult) -> String {
        guard result.definition.isListing else { return "]}\n" }
        var text = "],\"next_cursor\":"
        JSONText.append(result.nextCursor.map(ReportValue.text) ?? .null, to: &text)
        return text + "}\n"
    }

    /// Everything up to the first row.
    static func head(_ result: ReportResult) -> String {
        var text = "{\"report\":"
        JSONText.append(result.definition.name, to: &text)
        text += ",\"parameters\":{"
        for (place, parameter) in result.parameters.enumerated() {
            if place > 0 { text += "," }
            JSONText.append(parameter.name, to: &text)
            text += ":"
            JSONText.append(parameter.value, to: &text)
        }
        text += "},\"as_of\":{\"position\":\(result.asOf.position),\"at\":"
        JSONText.append(.time(result.asOf.at), to: &text)
        text += ",\"lag_seconds\":"
        JSONText.append(.double(result.asOf.lagSeconds), to: &text)
        text += "},\"columns\":["
        for (place, column) in result.columns.enumerated() {
            if place > 0 { text += "," }
            text += "{\"name\":"
            JSONText.append(column.name, to: &text)
            text += ",\"type\":"
            JSONText.append(column.type, to: &text)
            text += ",\"unit\":"
            JSONText.append(column.unit.map(ReportValue.text) ?? .null, to: &text)
            text += ",\"description\":"
            JSONText.append(column.description, to: &text)
            text += "}"
        }
        text += "],"
        if let total = result.rowsTotal { text += "\"rows_total\":\(total)," }
        return text + "\"rows\":["
    }

    /// A row as an object.
    static func append(_ row: [ReportValue], _ columns: [ReportColumn], to text: inout String) {
        text += "{"
        for (place, value) in row.enumerated() {
            if place > 0 { text += "," }
            JSONText.append(columns[place].name, to: &text)
            text += ":"
            JSONText.append(value, to: &text)
        }
        text += "}"
    }
}
