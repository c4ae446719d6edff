import EventLog
import Postgres

/// Reads rows of projections in the form of the model's.
struct LawRows: Sendable {
    /// Its `search_path` begins with the schema that holds them.
    let connection: Connection

    /// Every row of a table by app, each column as text: times as microseconds since 1970, bytes as hex. Columns that keep
    /// books are left out. Of a rollup the rows of all lanes are added up.
    func rows(of table: LawTable) async throws -> [AppID: [LawRow]] {
        let columns = try await columns(of: table)
        let values = columns.map(\.expression).joined(separator: ", ")
        let source = try await source(of: table)
        let rows = try await connection.query("SELECT app_id, ARRAY[\(values)] FROM \(source) t", cached: false)
        var result: [AppID: [LawRow]] = [:]
        for row in rows {
            let values: [String?] = try row.get(1)
            let pairs = zip(columns, values).compactMap { column, value in value.map { (column.name, $0) } }
            result[try row.get(0), default: []].append(LawRow(uniqueKeysWithValues: pairs))
        }
        return result
    }

    private func source(of table: LawTable) async throws -> String {
        // Each lane counts all versions.
        if table == .categoryVersions { return "(SELECT * FROM \(table.rawValue) WHERE lane = 0)" }
        // Of tokens beyond a bound it depends on the batches what is kept: the log has the rest.
        if table == .tokenEnd { return "(SELECT * FROM token_end WHERE is_whole)" }
        if table == .tokenRequest {
            return """
                (SELECT r.* FROM token_request r JOIN token_end e USING (app_id, device_id, token) WHERE e.is_whole)
                """
        }
        guard let counts = try await counts(of: table) else { return table.rawValue }
        let key = (["app_id"] + table.key).joined(separator: ", ")
        let sums = counts.map { "sum(\($0)) AS \($0)" }.joined(separator: ", ")
        return "(SELECT \(key), \(sums) FROM \(table.rawValue) GROUP BY \(key))"
    }

    /// What a rollup counts; nil of a table of which no two lanes have rows of one key.
    private func counts(of table: LawTable) async throws -> [String]? {
        guard table != .categoryWalk, table != .categoryChange else { return nil }
        let names = try await connection.query(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped",
            [.text("projection." + table.rawValue)]
        ).map { try $0.get(0, as: String.self) }
        guard names.contains("lane") else { return nil }
        return names.filter { $0 != "lane" && $0 != "app_id" && !table.key.contains($0) }
    }

    private func columns(of table: LawTable) async throws -> [(name: String, expression: String)] {
        let rows = try await connection.query(
            """
            SELECT attname::text, format(CASE atttypid
              WHEN 'timestamptz'::regtype THEN
                'CASE WHEN isfinite(%1$I) THEN (extract(epoch FROM %1$I) * 1000000)::bigint::text ELSE %1$I::text END'
              WHEN 'timestamptz[]'::regtype THEN
                'to_json(ARRAY(SELECT (extract(epoch FROM e) * 1000000)::bigint FROM unnest(%1$I) e))::text'
              WHEN 'text[]'::regtype THEN 'to_json(%1$I)::text'
              WHEN 'bytea'::regtype THEN 'encode(%1$I, ''hex'')'
              ELSE '%1$I::text' END, attname)
            FROM pg_attribute
            WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('app_id', 'lane')
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
