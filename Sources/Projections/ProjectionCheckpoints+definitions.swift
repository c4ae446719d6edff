internal import Postgres
public import Schema

extension ProjectionCheckpoints {
    /// How the version in use differs from this release's files.
    public enum Difference: String, Sendable {
        /// Its tables are those of another release: a rebuild creates the new ones.
        case tables
        /// Its functions changed after its rows were made: a rebuild applies the change to all rows.
        case rows
    }

    /// The groups whose version in use differs from this release's files, by leader.
    ///
    /// - Throws: `PostgresError`.
    public func differences(from folder: ReleaseFolder) async throws -> [String: Difference] {
        let files = try catalogue.groups.map { try ProjectionFiles($0, in: folder) }
        let rows = try await pool.query(
            "SELECT leader, has_other_tables, has_other_rows FROM projection.differences($1, $2, $3)",
            [
                .texts(files.map(\.group.leader)), .texts(files.map(\.tablesDefinition)),
                .texts(files.map(\.functionsDefinition)),
            ]
        )
        var result: [String: Difference] = [:]
        for row in rows {
            let hasOtherTables: Bool = try row.get(1)
            let hasOtherRows: Bool = try row.get(2)
            if hasOtherTables {
                result[try row.get(0)] = .tables
            } else if hasOtherRows {
                result[try row.get(0)] = .rows
            }
        }
        return result
    }
}
