internal import Postgres

/// The statement that runs a report: a call of its function with the given parameters.
struct ReportStatement {
    private(set) var sql: String
    private(set) var parameters: [Parameter] = []
    /// Its columns; if there is a local offset, the index of its column follows them.
    let columns: [ReportColumn]
    let hasOffset: Bool

    /// - Parameters:
    ///   - report: the report and its parameters.
    ///   - app: the app's name.
    ///   - asOf: microseconds since 1970; nil for the time of the transaction.
    init(_ report: ReportParameters, app: String, asOf: Int64?) {
        let definition = report.definition
        let interval = report.text("interval") ?? "none"
        var columns: [ReportColumn] = []
        var selected: [String] = []
        for var column in definition.columns {
            let sqlName = column.name
            if sqlName == "interval_start", interval == "none" { continue }
            if sqlName.hasPrefix("by_"), let ordinal = Int(sqlName.dropFirst(3)) {
                guard ordinal <= report.dimensions.count else { continue }
                column.name = report.dimensions[ordinal - 1]
            }
            // Without a key there is one row, and `other` says nothing.
            if sqlName == "other", columns.allSatisfy({ $0.name == "interval_start" }) { continue }
            columns.append(column)
            selected.append("\"\(sqlName)\"")
        }
        self.columns = columns
        hasOffset = columns.first?.name == "interval_start"
        sql = ""

        var arguments = ["app => \(bind(.text(app)))"]
        let zone = report.values["tz"] == nil ? nil : bind(.text(report.text("tz")))
        for parameter in definition.parameters {
            guard let value = report.values[parameter.name] else { continue }
            let argument = if parameter.name == "tz", let zone { zone } else { self.argument(value) }
            arguments.append("\"\(parameter.name)\" => \(argument)")
        }
        if !report.filters.isEmpty { arguments.append("filters => \(bind(.jsonb(JSONText.object(report.filters))))") }
        if let asOf { arguments.append("as_of => \(bind(.timestamptz(asOf)))") }
        if hasOffset {
            let local = "(interval_start AT TIME ZONE \(zone ?? "'UTC'")) - (interval_start AT TIME ZONE 'UTC')"
            selected.append("round(extract(epoch FROM \(local)) / 60)::int4")
        }
        // After the columns, like the offset: a listing has none.
        if definition.isListing { selected.append("next_cursor") }
        if definition.isBounded { selected.append("rows_total") }
        sql =
            "SELECT \(selected.joined(separator: ", ")) FROM report.\(definition.name)(\(arguments.joined(separator: ", ")))"
    }

    private mutating func argument(_ value: ReportParameters.Value) -> String {
        switch value {
        case .text(let text): bind(.text(text))
        case .list(let names): bind(.texts(names))
        case .whole(let number): bind(.int4(number))
        case .flag(let isSet): bind(.bool(isSet))
        case .duration(let microseconds, _): "\(bind(.text("\(microseconds) microseconds")))::interval"
        case .time(let time): bind(.text(time.text))
        }
    }

    private mutating func bind(_ parameter: Parameter) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)"
    }
}
