/// A projection as the header of its `apply.sql` declares it.
///
/// The header's lines: `-- projection: <name>`, then optional `-- after: <name>, …` (it may only be applied up to where
/// those have been; in one group: it is applied after them) and `-- with: <leader>` (it is applied in the leader's
/// transactions and has no checkpoint of its own).
public struct ProjectionDefinition: Sendable, Equatable {
    /// Its name: that of its folder, and the first part of its function `<name>_apply(after, upto)`.
    public var name: String
    /// The projections that must be ahead of it.
    public var after: [String]
    /// The projection in whose transactions it is applied; nil where it has its own.
    public var leader: String?

    /// Reads a header.
    ///
    /// - Throws: ``SchemaError``, which names the folder and what is wrong.
    public init(folder: String, sql: String) throws(SchemaError) {
        let header = SQLHeader(sql)
        guard header["projection"].map(\.text) == [folder], Self.isName(folder) else {
            throw SchemaError("sql/projections/\(folder)/apply.sql must begin with `-- projection: \(folder)`")
        }
        name = folder
        after = header["after"].flatMap(\.names)
        let leaders = header["with"].flatMap(\.names)
        guard leaders.count <= 1 else {
            throw SchemaError("sql/projections/\(folder)/apply.sql goes with more than one projection")
        }
        leader = leaders.first
    }

    /// Whether a name needs no quotes in a statement.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
    }
}
