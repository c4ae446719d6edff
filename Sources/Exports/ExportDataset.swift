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
    /// Whether it is the log itself, each of whose rows is exported once under its position. Of any other dataset a row is
    /// exported again whenever it changed, under a new change number.
    public var isLog: Bool
    /// The checkpoints behind which its rows stand.
    var checkpoints: [String]
    /// What its rows are made of, in their order.
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
