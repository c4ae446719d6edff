internal import Postgres

/// The tables that a version of a group has. One that an earlier release made lacks what came since, until it is rebuilt: a
/// fold writes what is there, and takes what is missing for unknown. A table that the version was made with and that is gone is
/// no such table: its statements fail.
struct FoldVersion: Sendable {
    /// Of the version that is applied in this task; nil where every table is as folds declare it.
    ///
    /// Task-local, as it concerns every statement of a batch and no fold: which tables and columns there are is asked once a
    /// batch.
    @TaskLocal private static var current: FoldVersion?

    /// By table; nil of one that is gone.
    private let columns: [String: Set<String>?]

    /// Reads the tables of a schema.
    ///
    /// - Throws: `PostgresError`.
    init(_ schema: String, on connection: isolated Connection) async throws {
        let rows = try await connection.query(
            "SELECT name, columns FROM projection.table_columns($1)",
            [.text(schema)]
        )
        var columns: [String: Set<String>?] = [:]
        for row in rows {
            columns.updateValue(try row.get(1, as: [String]?.self).map(Set.init), forKey: try row.get(0))
        }
        self.columns = columns
    }

    /// Runs what applies a batch to this version.
    func applied(by apply: () async throws -> Void, isolation: isolated (any Actor)? = #isolation) async rethrows {
        try await Self.$current.withValue(self, operation: apply)
    }

    /// Whether the version that is applied has a column of a table.
    static func has(_ table: String, _ column: String) -> Bool {
        guard let current else { return true }
        guard let columns = current.columns[table] else { return false }
        return columns?.contains(column) ?? true
    }
}

extension FoldTable {
    /// The table with the columns that the version has; nil where it lacks the table or a column of its key, so that nothing can
    /// be written to it, or where none of its values is there.
    var present: FoldTable? {
        guard keys.allSatisfy({ FoldVersion.has(name, $0.name) }) else { return nil }
        let known = values.filter { FoldVersion.has(name, $0.name) }
        if known.count == values.count { return self }
        return known.isEmpty ? nil : FoldTable(name, keys: keys, values: known)
    }
}
