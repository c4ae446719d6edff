/// A projection as the header of its `apply.sql` declares it, or of its `fold.sql` where a fold in Swift applies its group.
///
/// The header's lines: `-- projection: <name>`, then optional `-- after: <name>, …` (it may only be applied up to where
/// those have been; in one group: it is applied after them) and `-- with: <leader>` (it is applied in the leader's
/// transactions and has no checkpoint of its own). The leader of a group that a fold applies has `-- fold: <version>`; with
/// `-- lanes: <number>` several sessions may apply the group side by side, as many as that by default.
public struct ProjectionDefinition: Sendable, Equatable {
    /// Its name: that of its folder. With an `apply.sql` its function is `<name>_apply(after, upto)`.
    public var name: String
    /// The projections that must be ahead of it.
    public var after: [String]
    /// The projection in whose transactions it is applied; nil where it has its own.
    public var leader: String?
    /// The version of the fold that applies it and its group; nil where functions in SQL do.
    public var fold: String?
    /// The number of lanes of new versions of its group; nil where the group cannot have more than one.
    public var lanes: Int16?

    /// The file with a projection's header and functions; nil where the folder is none of a projection.
    static func file(of name: String, in folder: ReleaseFolder) -> String? {
        ["apply.sql", "fold.sql"].first { folder.list("projections/\(name)").contains($0) }
            .map { "projections/\(name)/\($0)" }
    }

    /// Reads a header.
    ///
    /// - Throws: ``SchemaError``, which names the folder and what is wrong.
    public init(folder: String, sql: String) throws(SchemaError) {
        let header = SQLHeader(sql)
        guard header["projection"].map(\.text) == [folder], Self.isName(folder) else {
            throw SchemaError("the file of sql/projections/\(folder) must begin with `-- projection: \(folder)`")
        }
        name = folder
        after = header["after"].flatMap(\.names)
        let leaders = header["with"].flatMap(\.names)
        guard leaders.count <= 1 else {
            throw SchemaError(
                "sql/projections/\(folder): the header has `-- with: \(leaders.joined(separator: ", "))`; name one projection"
            )
        }
        leader = leaders.first
        fold = header["fold"].first?.text
        lanes = try header["lanes"].first.map { line throws(SchemaError) in
            guard let number = Int16(line.text), ProjectionGroup.laneNumbers.contains(number) else {
                throw SchemaError(
                    "sql/projections/\(folder): the header has `-- lanes: \(line.text)`; write 1, 2, 4 or 8"
                )
            }
            return number
        }
    }

    /// Whether a name needs no quotes in a statement.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
    }
}
