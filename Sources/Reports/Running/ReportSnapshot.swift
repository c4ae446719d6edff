internal import EventLog
internal import Postgres

/// The snapshot of a report, and the effective values of its parameters there.
struct ReportSnapshot {
    let asOf: ReportResult.AsOf
    let progress: LogProgress
    private let from: Int64
    private let to: Int64
    /// The default of `stale_after`, which is a setting.
    private let staleDays: Int32

    static func read(
        _ report: ReportParameters,
        app: String,
        asOf: Int64?,
        on connection: Connection,
        _ standby: Standby?
    ) async throws -> ReportSnapshot {
        try await LogProgress.lockCheckpoints(on: connection)
        let progress = try await LogProgress.read(report.definition.checkpoints, of: .name(app), on: connection)
        try await standby?.check(on: connection)
        let age = report.flag("mature") ? report.seconds("window") : nil
        let period = try await connection.query(
            """
            SELECT p.from_at, p.to_at, extract(day FROM reporting.stale_after())::int4
            FROM reporting.period($2, $3, $4, coalesce($1, now()), make_interval(secs => $5)) p
            """,
            [
                .timestamptz(asOf), .text(report.time("from")), .text(report.time("to")),
                .text(report.text("tz") ?? "UTC"),
                .float8(age.map(Double.init)),
            ]
        ).only()
        return ReportSnapshot(
            asOf: ReportResult.AsOf(progress, standby),
            progress: progress,
            from: try period.get(0),
            to: try period.get(1),
            staleDays: try period.get(2)
        )
    }

    /// Every parameter with its effective value, then the filters.
    func echo(_ report: ReportParameters) -> [(name: String, value: ReportValue)] {
        var echo: [(name: String, value: ReportValue)] = []
        for parameter in report.definition.parameters {
            let value: ReportValue
            switch (parameter.kind, report.values[parameter.name]) {
            case (.time, _): value = .time(parameter.name == "from" ? from : to)
            case (.dimensions, _): value = .list(report.dimensions.isEmpty ? ["none"] : report.dimensions)
            case (_, .duration(_, let text)?): value = .text(text)
            case (.duration, _) where parameter.name == "stale_after": value = .text("P\(staleDays)D")
            case (.whole, _):
                value = report.whole(parameter.name).map { .integer(Int64($0)) } ?? .text(parameter.defaultText)
            case (.flag, _): value = .bool(report.flag(parameter.name))
            default: value = .text(report.text(parameter.name) ?? parameter.defaultText)
            }
            echo.append((parameter.name, value))
        }
        for name in report.definition.filters {
            // Own dimensions are keys of the app's choice.
            let given =
                name == ReportDefinition.ownDimension
                ? report.filters.keys.filter { $0.hasPrefix("attribute.") }.sorted() : [name]
            for name in given {
                if let accepted = report.filters[name] { echo.append((name, .list(accepted))) }
            }
        }
        return echo
    }
}
