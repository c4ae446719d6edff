public import Schema

/// All reports: one for each file of `sql/reports`. Files whose names begin with an underscore hold functions that reports
/// share.
public struct ReportCatalogue: Sendable, Equatable {
    /// All reports, by name.
    public let reports: [ReportDefinition]
    /// The listings of single rows, by name.
    public let listings: [ReportDefinition]

    /// Reads the headers of `sql/reports/*.sql`.
    ///
    /// - Throws: ``ReportError`` with code `catalogue` if a header is invalid; `SchemaError` if a file
    ///   cannot be read or a projection's header is invalid.
    public init(folder: ReleaseFolder) throws {
        let projections = try ProjectionCatalogue(folder: folder)
        var reports: [ReportDefinition] = []
        for file in folder.list("reports") where file.hasSuffix(".sql") && !file.hasPrefix("_") {
            let header = ReportHeader(file: file, sql: try folder.sql("reports/\(file)"))
            reports.append(try header.definition { projections.group(of: $0)?.leader ?? $0 })
        }
        reports.sort { $0.name < $1.name }
        self.reports = reports.filter { !$0.isListing }
        listings = reports.filter(\.isListing)
    }

    /// A report by its name.
    ///
    /// - Throws: ``ReportError`` with code `unknownReport` and the known names.
    public func report(_ name: String) throws(ReportError) -> ReportDefinition {
        guard let report = reports.first(where: { $0.name == name }) else {
            throw .unknown(.unknownReport, "report", name, accepted: reports.map(\.name))
        }
        return report
    }
}
