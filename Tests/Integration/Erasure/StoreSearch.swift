import Postgres

/// Looks for texts in everything that a database holds: every column of every table of every schema, whatever its type.
struct StoreSearch {
    /// The tables and columns in which one of the texts stands, as text, as JSON, or as the bytes of it.
    ///
    /// - Parameter condition: only rows for which it holds, of tables with the columns that it names.
    static func places(
        of needles: [String],
        in database: TestDatabase,
        where condition: (column: String, sql: String)? = nil
    ) async throws -> [String] {
        let connection = try await database.connect()
        let columns = try await connection.query(
            """
            SELECT c.table_schema::text, c.table_name::text, c.column_name::text, c.data_type::text
            FROM information_schema.columns c
            JOIN information_schema.tables t USING (table_schema, table_name)
            WHERE t.table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
              AND ($1::text IS NULL OR EXISTS (
                SELECT FROM information_schema.columns o
                WHERE (o.table_schema, o.table_name, o.column_name) = (c.table_schema, c.table_name, $1)))
            """,
            [.text(condition?.column)]
        )
        var found: [String] = []
        for row in columns {
            let (schema, table, column): (String, String, String) = (try row.get(0), try row.get(1), try row.get(2))
            let rows = try await connection.query(
                """
                SELECT count(*) FROM "\(schema)"."\(table)" t, unnest($1::text[]) AS n (needle)
                WHERE (position(lower(needle) IN lower("\(column)"::text)) > 0
                  OR position(encode(convert_to(needle, 'UTF8'), 'hex') IN "\(column)"::text) > 0)
                  AND \(condition?.sql ?? "true")
                """,
                [.texts(needles)],
                cached: false
            )
            if try rows.only().get(0, as: Int64.self) > 0 { found.append("\(schema).\(table).\(column)") }
        }
        await connection.close()
        return found.sorted()
    }
}
