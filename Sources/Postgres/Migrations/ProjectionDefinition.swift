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
    /// - Throws: `PostgresError` with code `migration`, which names the folder and what is wrong.
    public init(folder: String, sql: String) throws(PostgresError) {
        var values: [String: String] = [:]
        for line in sql.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("--") else { break }
            let parts = line.dropFirst(2).split(separator: ":", maxSplits: 1).map(Self.trimmed)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        guard values["projection"] == folder, Self.isName(folder) else {
            throw PostgresError(
                migration: "sql/projections/\(folder)/apply.sql must begin with `-- projection: \(folder)`"
            )
        }
        name = folder
        after = (values["after"] ?? "").split(separator: ",").map(Self.trimmed).filter { !$0.isEmpty }
        leader = values["with"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " || $0 == "\r" }.reversed())
    }

    /// Whether a name can stand in a statement as it is.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
    }
}
