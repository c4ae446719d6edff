internal import EventLog
internal import NotificationEvents
internal import Postgres

/// What an import of the Push Notifications Console's counts did.
public struct PushConsoleImport: Sendable, Equatable {
    /// Counts that were not known.
    public var added: Int64
    /// Counts that were known to be others: the later export stands.
    public var changed: Int64
    /// Counts that were known.
    public var unchanged: Int64
    /// Counts by the hour where the export is by the day, and those by the day where it is by the hour: they are known no longer.
    public var replaced: Int64
}

extension Administration {
    /// Takes an export of the Push Notifications Console in; again, it changes nothing.
    ///
    /// - Parameters:
    ///   - topic: the bundle id whose metrics they are; empty where the app has but one.
    ///   - environment: sandbox or production.
    /// - Throws: ``AdministrationError`` where there is no such app; `PostgresError`.
    public func importPushConsole(
        _ export: PushConsoleExport,
        app name: String,
        topic: String = "",
        environment: String = "production"
    ) async throws -> PushConsoleImport {
        let app = try await app(name)
        let row = try await pool.query(
            "SELECT added, changed, unchanged, replaced FROM notilog.import_push_console($1, $2, $3, $4, $5, $6, $7)",
            [
                .app(app.id), .text(topic), .text(environment), .timestamptzs(export.lines.map(\.at.microseconds)),
                .texts(export.lines.map(\.pushType)), .texts(export.lines.map(\.status)),
                .int8s(export.lines.map(\.count)),
            ]
        ).only()
        return PushConsoleImport(
            added: try row.get(0),
            changed: try row.get(1),
            unchanged: try row.get(2),
            replaced: try row.get(3)
        )
    }
}
