public import NotificationEvents
internal import Postgres

/// A database role that may read an app's data in SQL.
public struct Reader: Sendable, Equatable {
    /// The role's name.
    public var role: String
    /// The app's name.
    public var app: String
    /// When it was granted.
    public var grantedAt: Timestamp
    /// Whether the role exists; one that was dropped may be made again, and then reads again.
    public var exists: Bool
}

extension Administration {
    /// Lets a database role read an app's reports, projections and events in SQL.
    ///
    /// - Returns: whether that is new.
    /// - Throws: ``AdministrationError`` where there is no such app or role; `PostgresError`, with 42501 where this login
    ///   is no member of `notilog_owner`.
    @discardableResult
    public func grantReader(_ role: String, app: String) async throws -> Bool {
        do {
            return try await pool.query("SELECT notilog.grant_reader($1, $2)", [.text(app), .text(role)]).only().get(0)
        } catch let error as PostgresError where error.sqlState == SQLState.unknownName {
            throw AdministrationError(error.message)
        }
    }

    /// Lets a database role read an app no longer, at once.
    ///
    /// - Throws: ``AdministrationError`` where it could not read it; `PostgresError`.
    public func revokeReader(_ role: String, app: String) async throws {
        let row = try await pool.query("SELECT notilog.revoke_reader($1, $2)", [.text(app), .text(role)]).only()
        guard try row.get(0, as: Bool.self) else {
            throw AdministrationError("\(role) does not read the app \(app): see `notilog apps readers`")
        }
    }

    /// Who may read which app, by app and role.
    ///
    /// - Throws: `PostgresError`.
    public func readers() async throws -> [Reader] {
        try await pool.query("SELECT * FROM notilog.readers()").map { row in
            Reader(
                role: try row.get(0),
                app: try row.get(1),
                grantedAt: try row.get(2),
                exists: try row.get(3)
            )
        }
    }
}
