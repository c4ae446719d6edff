extension ReportResult {
    /// The whole report in a format.
    ///
    /// - Parameters:
    ///   - format: the format.
    ///   - width: the terminal's width, for a table; it uses 80 to 200 columns.
    ///   - allColumns: whether a table shows every column, however wide it becomes; nil if the caller cannot choose, as over HTTP.
    public func text(_ format: ReportFormat, width: Int = 120, allColumns: Bool? = nil) -> String {
        var writer = ReportWriter(self, format, width: width, allColumns: allColumns)
        var text = writer.head
        for row in rows { writer.append(row, to: &text) }
        return text + writer.tail
    }
}
