internal import Folds
internal import Postgres

/// A table that folds write: its columns, declared once, and the statements made of them.
///
/// Rows travel as one array a column, so that every statement is planned once, whatever a batch holds. Statements are those of
/// ``present``: of the columns that the version has. They are pipelined: PostgreSQL executes one while the next is made. Many rows are
/// written in parts.
struct FoldTable<Row>: Sendable {
    let name: String
    let keys: [FoldColumn<Row>]
    let values: [FoldColumn<Row>]

    private var columns: [FoldColumn<Row>] { keys + values }
    /// The names of its columns, in the order in which rows are read.
    let columnNames: String

    init(_ name: String, keys: [FoldColumn<Row>], values: [FoldColumn<Row>]) {
        self.name = name
        self.keys = keys
        self.values = values
        let (keyNames, valueNames) = (keys.map(\.name), values.map(\.name))
        let all = (keyNames + valueNames).joined(separator: ", ")
        func list(_ prefix: String, _ names: [String]) -> String {
            names.map { "\(prefix).\($0)" }.joined(separator: ", ")
        }
        func rows(_ names: [String]) -> String {
            zip(names, 1...).map { "unnest($\($1)) AS \($0)" }.joined(separator: ", ")
        }
        let isSame = "(\(list("t", keyNames))) = (\(list("k", keyNames)))"
        let insert = "INSERT INTO \(name) AS t (\(all)) SELECT \(rows(keyNames + valueNames))"
        columnNames = all
        self.insert = insert
        insertMissing = insert + " ON CONFLICT DO NOTHING"
        update =
            "UPDATE \(name) t SET (\(valueNames.joined(separator: ", "))) = ROW(\(list("k", valueNames))) "
            + "FROM (SELECT \(rows(keyNames + valueNames))) k WHERE \(isSame)"
        upsert =
            insert + " ON CONFLICT (\(keyNames.joined(separator: ", "))) DO UPDATE SET "
            + values.map { "\($0.name) = \($0.combination.expression($0.name))" }.joined(separator: ", ")
        delete = "DELETE FROM \(name) t USING (SELECT \(rows(keyNames))) k WHERE \(isSame)"
        // With CASE, because the planner would otherwise expect one row with 0, and begin with it.
        deleteZero = delete + " AND CASE t.\(valueNames.first ?? "") WHEN 0 THEN true END"
    }

    /// The table in which each lane has rows of its own; without the column of the lane if the version has no lanes.
    func lane(_ lane: FoldLane?, in name: String? = nil) -> FoldTable {
        guard let lane else { return self }
        let column = FoldColumn<Row>.int2("lane") { _ in lane.number }
        return FoldTable(name ?? self.name, keys: keys + [column], values: values)
    }

    private let insert: String
    private let insertMissing: String
    private let update: String
    private let upsert: String
    private let delete: String
    private let deleteZero: String

    /// Inserts no row. Fails if the table cannot be written at all.
    func insertNothing(on connection: isolated Connection) async throws {
        guard let table = present else { return }
        try await connection.send(table.insert, table.columns.map { $0.parameter([], Symbols()) })
    }

    /// Inserts new rows.
    func insert(_ rows: [Row], _ symbols: Symbols, on connection: isolated Connection) async throws {
        try await run({ ($0.insert, $0.columns) }, rows, symbols, on: connection)
    }

    /// Inserts rows, except those that exist already.
    func insertMissing(_ rows: [Row], _ symbols: Symbols, on connection: isolated Connection) async throws {
        try await run({ ($0.insertMissing, $0.columns) }, rows, symbols, on: connection)
    }

    /// Updates existing rows.
    func update(_ rows: [Row], _ symbols: Symbols, on connection: isolated Connection) async throws {
        try await run({ ($0.update, $0.columns) }, rows, symbols, on: connection)
    }

    /// Inserts new rows, and updates existing ones.
    ///
    /// - Parameters:
    ///   - exists: whether a row of the same key exists.
    ///   - meanwhile: called with each row once, while PostgreSQL writes some of them.
    func write(
        _ rows: [Row],
        exists: (Row) -> Bool,
        _ symbols: Symbols,
        on connection: isolated Connection,
        meanwhile: (Row) throws -> Void = { _ in }
    ) async throws {
        try await run({ ($0.insert, $0.columns) }, rows.filter { !exists($0) }, symbols, on: connection, meanwhile)
        try await run({ ($0.update, $0.columns) }, rows.filter(exists), symbols, on: connection, meanwhile)
    }

    /// Inserts rows, or combines them with existing ones.
    func upsert(_ rows: [Row], _ symbols: Symbols, on connection: isolated Connection) async throws {
        try await run({ ($0.upsert, $0.columns) }, rows, symbols, on: connection)
    }

    /// Deletes rows.
    func delete(_ rows: [Row], _ symbols: Symbols, on connection: isolated Connection) async throws {
        try await run({ ($0.delete, $0.keys) }, rows, symbols, on: connection)
    }

    /// Adds rows to those of the same keys, and deletes rows whose first sum becomes 0.
    ///
    /// - Parameter first: the first sum of a row.
    func add(
        _ rows: [Row],
        first: (Row) -> Int64,
        _ symbols: Symbols,
        on connection: isolated Connection
    ) async throws {
        try await run({ ($0.upsert, $0.columns) }, rows, symbols, on: connection)
        try await run({ ($0.deleteZero, $0.keys) }, rows.filter { first($0) < 0 }, symbols, on: connection)
    }

    /// The most rows of a statement: PostgreSQL writes them while the next ones are made, column by column, from what is still in the
    /// processor's cache.
    private static var rowsOfAPart: Int { 1_000 }

    private func run(
        _ statement: (FoldTable) -> (sql: String, columns: [FoldColumn<Row>]),
        _ rows: [Row],
        _ symbols: Symbols,
        on connection: isolated Connection,
        _ meanwhile: (Row) throws -> Void = { _ in }
    ) async throws {
        guard !rows.isEmpty, let (sql, columns) = present.map(statement) else { return try rows.forEach(meanwhile) }
        for part in stride(from: 0, to: rows.count, by: Self.rowsOfAPart) {
            let end = min(part + Self.rowsOfAPart, rows.count)
            let some = end - part == rows.count ? rows : Array(rows[part..<end])
            try await connection.send(sql, columns.map { $0.parameter(some, symbols) })
            try some.forEach(meanwhile)
        }
    }
}

extension FoldColumn {
    /// The column's values of rows as an array.
    func parameter(_ rows: [Row], _ symbols: Symbols) -> Parameter {
        Parameter.array(of: type, count: rows.count, elementBytes: 16) { writer in
            for row in rows { append(row, symbols, &writer) }
        }
    }
}
