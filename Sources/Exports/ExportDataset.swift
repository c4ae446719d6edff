internal import Postgres

/// A column of a dataset.
public struct ExportColumn: Sendable, Equatable, Codable {
    /// Its name.
    public var name: String
    /// PostgreSQL's name of its type.
    public var type: String
}

/// What can be exported: a file of `sql/exports`.
public struct ExportDataset: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// Whether it is the log itself: each event is exported once, under its position. A row of any other dataset is exported
    /// again whenever it changes, under a new change number.
    public var isLog: Bool
    /// The projections whose checkpoints limit its rows.
    var checkpoints: [String]
    /// Its columns, in order.
    public var columns: [ExportColumn]
}

extension ExportDataset {
    /// Every dataset, by name.
    ///
    /// - Throws: `PostgresError`.
    static func all(on connection: Connection) async throws -> [ExportDataset] {
        let names = try await connection.query(
            "SELECT name, keys = '{}', projections FROM export.dataset ORDER BY name"
        )
        var all: [ExportDataset] = []
        for row in names {
            let name: String = try row.get(0)
            let isLog: Bool = try row.get(1)
            let columns = try await connection.query("SELECT name, type FROM export.columns($1)", [.text(name)])
            all.append(
                ExportDataset(
                    name: name,
                    isLog: isLog,
                    checkpoints: isLog ? ["log"] : try row.get(2),
                    columns: try columns.map { ExportColumn(name: try $0.get(0), type: try $0.get(1)) }
                )
            )
        }
        return all
    }
}
