internal import Postgres

/// The tables and columns of a version of a group. A version of an earlier release lacks newer ones until it is rebuilt. A fold
/// writes those that exist, and treats missing values as unknown. If a table that the version was made with has been dropped,
/// statements on it fail.
struct FoldVersion: Sendable {
    /// The version that this task applies; nil if every table is as folds declare it.
    ///
    /// It is task-local because every statement of a batch needs it, but no fold does. A stepper reads it once, until something fails.
    @TaskLocal private static var current: FoldVersion?

    /// By table; nil for a table that was dropped.
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
    func applied<Value>(
        by apply: () async throws -> Value,
        isolation: isolated (any Actor)? = #isolation
    ) async rethrows -> Value {
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
    /// The table with the columns that the version has. Nil if nothing can be written to it: the table, a column of its key or
    /// all of its values are missing.
    var present: FoldTable? {
        guard keys.allSatisfy({ FoldVersion.has(name, $0.name) }) else { return nil }
        let known = values.filter { FoldVersion.has(name, $0.name) }
        if known.count == values.count { return self }
        return known.isEmpty ? nil : FoldTable(name, keys: keys, values: known)
    }
}
