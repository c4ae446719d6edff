extension ReleaseFolder {
    /// An SQL file. The header of a report is whole: what `sql/reports/_shared.sql` says once stands where the report names it.
    ///
    /// - Throws: `SchemaError` if a file cannot be read, or if the header names a list that is not shared.
    package func sql(_ file: String) throws(SchemaError) -> String {
        let sql = try read(file)
        let header = SQLHeader(sql)
        guard header.isReport else { return sql }
        let shared = SQLHeader(try read(SharedFields.file))
        let body = SQLHeader.lines(sql).reduce(sql.utf8[...]) { rest, line in rest.dropFirst(line.utf8.count + 1) }
        return try SharedFields(shared).filled(header, of: file).text + String(Substring(body))
    }
}

/// The lists and parameters that reports share.
struct SharedFields {
    static let file = "reports/_shared.sql"

    private var lists: [String: String] = [:]
    private var parameters: [String: [String]] = [:]

    /// - Throws: `SchemaError` if a list names one that is not above it.
    init(_ header: SQLHeader) throws(SchemaError) {
        for cells in header["list"].map(\.cells) where cells.count == 2 {
            lists[cells[0]] = try filled(cells[1], of: Self.file)
        }
        for cells in header["parameter"].map(\.cells) where cells.count == 5 { parameters[cells[0]] = cells }
    }

    /// The header of a report, with what it shares in place of its names.
    func filled(_ header: SQLHeader, of file: String) throws(SchemaError) -> SQLHeader {
        var header = header
        for index in header.fields.indices where ["parameter", "filters"].contains(header.fields[index].name) {
            var cells = header.fields[index].cells
            if cells.count < 3, header.fields[index].name == "parameter", let shared = parameters[cells[0]] {
                cells = shared.dropLast(cells.count - 1) + cells.dropFirst()
            }
            header.fields[index].text = try filled(cells.joined(separator: " | "), of: file)
        }
        return header
    }

    private func filled(_ text: String, of file: String) throws(SchemaError) -> String {
        var pieces = text.split(separator: "$", omittingEmptySubsequences: false)
        var filled = String(pieces.removeFirst())
        for piece in pieces {
            let name = piece.prefix { $0.isLetter || $0 == "_" }
            guard let list = lists[String(name)] else {
                throw SchemaError(
                    "sql/\(file): the header names the list $\(name), which sql/\(Self.file) does not have above it"
                )
            }
            filled += list + piece.dropFirst(name.count)
        }
        return filled
    }
}
