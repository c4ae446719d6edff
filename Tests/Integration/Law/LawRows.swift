import EventLog
import Postgres

/// Reads rows of projections in the form of the model's.
struct LawRows: Sendable {
    /// Its `search_path` begins with the schema that holds them.
    let connection: Connection

    /// Every row of a table by app, each column as text: times as microseconds since 1970, bytes as hex. Columns that keep
    /// books are left out.
    func rows(of table: LawTable) async throws -> [AppID: [LawRow]] {
        let columns = try await columns(of: table)
        let values = columns.map(\.expression).joined(separator: ", ")
        let rows = try await connection.query("SELECT app_id, ARRAY[\(values)] FROM \(table.rawValue)", cached: false)
        var result: [AppID: [LawRow]] = [:]
        for row in rows {
            let values: [String?] = try row.get(1)
            let pairs = zip(columns, values).compactMap { column, value in value.map { (column.name, $0) } }
            result[try row.get(0), default: []].append(LawRow(uniqueKeysWithValues: pairs))
        }
        return result
    }

    private func columns(of table: LawTable) async throws -> [(name: String, expression: String)] {
        let rows = try await connection.query(
            """
            SELECT attname::text, format(CASE atttypid
              WHEN 'timestamptz'::regtype THEN
                'CASE WHEN isfinite(%1$I) THEN (extract(epoch FROM %1$I) * 1000000)::bigint::text ELSE %1$I::text END'
              WHEN 'bytea'::regtype THEN 'encode(%1$I, ''hex'')'
              ELSE '%1$I::text' END, attname)
            FROM pg_attribute
            WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'app_id'
              AND coalesce(col_description(attrelid, attnum), '') NOT LIKE 'book-keeping%'
            ORDER BY attnum
            """,
            [.text("projection." + table.rawValue)]
        )
        return try rows.map { (try $0.get(0), try $0.get(1)) }
    }
}

extension LawStore {
    /// Every row of a table by app, in the form of the model's.
    func rows(of table: LawTable) async throws -> [AppID: [LawRow]] {
        try await LawRows(connection: connection).rows(of: table)
    }
}
