public import EventLog
internal import Foundation
internal import Postgres

/// The app has as many views as it may have.
public struct TooManyViews: Error, Sendable, CustomStringConvertible {
    /// The message.
    public let description = "the app has 1,000 saved views, which is the limit: delete those that are of no use"
}

extension Administration {
    /// Saves a view, in place of one with the same name. Whether its report takes its parameters is the caller's to check.
    ///
    /// - Parameters:
    ///   - name: a name as `GivenName/isAccepted(_:)` allows it.
    ///   - app: the app.
    ///   - report: the report's name.
    ///   - pairs: names and values of parameters, as reports take them.
    /// - Throws: ``TooManyViews``; `PostgresError`.
    public func saveView(
        _ name: String,
        app: AppID,
        report: String,
        pairs: [(name: String, value: String)]
    ) async throws -> (view: SavedView, isNew: Bool) {
        let parameters = Dictionary(grouping: pairs, by: \.name).mapValues { $0.map(\.value) }
        let json = try JSONEncoder().encode(parameters)
        let rows = try await pool.query(
            "SELECT name, report, parameters::text, position, saved_at, is_new FROM notilog.save_view($1, $2, $3, $4)",
            [.app(app), .text(name), .text(report), .jsonb([UInt8](json))]
        )
        guard let row = rows.first else { throw TooManyViews() }
        return (try SavedView(row), try row.get(5))
    }

    /// An app's saved views, by name.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - name: only that one; `nil` for all.
    /// - Throws: `PostgresError`.
    public func savedViews(app: AppID, name: String? = nil) async throws -> [SavedView] {
        try await pool.query(
            "SELECT name, report, parameters::text, position, saved_at FROM notilog.saved_views($1, $2)",
            [.app(app), .text(name)]
        ).map { try SavedView($0) }
    }

    /// Deletes a saved view.
    ///
    /// - Returns: whether the app has such a view.
    /// - Throws: `PostgresError`.
    public func deleteView(_ name: String, app: AppID) async throws -> Bool {
        try await pool.query("SELECT notilog.delete_view($1, $2)", [.app(app), .text(name)]).only().get(0)
    }
}

extension SavedView {
    fileprivate init(_ row: Row) throws {
        let parameters: String = try row.get(2)
        self.init(
            name: try row.get(0),
            report: try row.get(1),
            parameters: try JSONDecoder().decode([String: [String]].self, from: Data(parameters.utf8)),
            position: try row.get(3),
            savedAt: try row.get(4)
        )
    }
}
