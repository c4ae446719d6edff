internal import EventLog
internal import NotificationEvents

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
        text.append(json: result.definition.name)
        text += ",\"parameters\":{"
        for (index, parameter) in result.parameters.enumerated() {
            if index > 0 { text += "," }
            text.append(json: parameter.name)
            text += ":"
            JSONText.append(parameter.value, to: &text)
        }
        let positions = result.asOf.positions.map(\.description).joined(separator: ",")
        // Positions of several cells have no order.
        let position = positions.isEmpty ? result.asOf.position.description : "null,\"positions\":[\(positions)]"
        text += "},\"as_of\":{\"position\":\(position),\"at\":"
        JSONText.append(.time(result.asOf.at), to: &text)
        text += ",\"lag_seconds\":"
        JSONText.append(.double(result.asOf.lagSeconds), to: &text)
        text += "},\"columns\":["
        for (index, column) in result.columns.enumerated() {
            if index > 0 { text += "," }
            text += "{\"name\":"
            text.append(json: column.name)
            text += ",\"type\":"
            text.append(json: column.type)
            text += ",\"unit\":"
            JSONText.append(column.unit.map(ReportValue.text) ?? .null, to: &text)
            text += ",\"description\":"
            text.append(json: column.description)
            text += "}"
        }
        text += "],"
        if let total = result.rowsTotal { text += "\"rows_total\":\(total)," }
        return text + "\"rows\":["
    }

    /// A row as an object.
    static func append(_ row: [ReportValue], _ columns: [ReportColumn], to text: inout String) {
        text += "{"
        for (index, value) in row.enumerated() {
            if index > 0 { text += "," }
            text.append(json: columns[index].name)
            text += ":"
            JSONText.append(value, to: &text)
        }
        text += "}"
    }
}
