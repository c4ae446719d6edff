internal import EventLog
public import NotificationEvents
internal import Postgres

/// What is known of a key; the key itself is not.
public struct KeyRecord: Sendable, Equatable {
    /// Its public part.
    public var id: String
    /// The name of its app.
    public var app: String
    /// What it may do.
    public var scope: String
    /// What it is for, in its maker's words.
    public var label: String?
    /// When it was made.
    public var createdAt: Timestamp
    /// When it was revoked; `nil` while it counts.
    public var revokedAt: Timestamp?
}

extension Administration {
    /// Makes a key. Its text is in what this returns and nowhere else.
    ///
    /// - Throws: ``AdministrationError`` where there is no such app; `PostgresError`.
    public func createKey(app name: String, scope: Scope, label: String? = nil) async throws -> APIKey {
        let app = try await app(name)
        let key = APIKey.generate(scope: scope)
        _ = try await change { connection in
            try await connection.query(
                "INSERT INTO notilog.api_key (key_id, app_id, scope, hash, label) VALUES ($1, $2, $3, $4, $5)",
                [.text(key.id), .app(app.id), .text(scope.rawValue), .bytea(key.hash), .text(label)]
            )
        }
        return key
    }

    /// Keys, newest last.
    ///
    /// - Parameter app: only this app's; `nil` for all.
    /// - Throws: ``AdministrationError`` where there is no such app; `PostgresError`.
    public func keys(app name: String? = nil) async throws -> [KeyRecord] {
        if let name { _ = try await app(name) }
        return try await pool.query("SELECT * FROM notilog.keys($1)", [.text(name)]).map { row in
            KeyRecord(
                id: try row.get(0),
                app: try row.get(1),
                scope: try row.get(2),
                label: try row.get(3),
                createdAt: try row.get(4),
                revokedAt: try row.get(5)
            )
        }
    }

    /// Revokes a key for good; one that is revoked already stays so.
    ///
    /// - Parameter key: the key's id, or its whole text.
    /// - Throws: ``AdministrationError`` where there is no such key; `PostgresError`.
    public func revokeKey(_ key: String) async throws -> String {
        let id = APIKey.id(in: key) ?? key
        let rows = try await change { connection in
            try await connection.query(
                "UPDATE notilog.api_key SET revoked_at = coalesce(revoked_at, now()) WHERE key_id = $1 RETURNING key_id",
                [.text(id)]
            )
        }
        guard rows.count == 1 else {
            throw AdministrationError("there is no such key: see `notilog keys list` for the ids")
        }
        return id
    }
}

extension Administration {
    /// Whether all of these keys are active keys of an app.
    ///
    /// - Throws: `PostgresError`.
    public func areActive(_ keys: [String], app name: String) async throws -> Bool {
        let rows = try await pool.query(
            "SELECT count(*) FROM notilog.active_keys() WHERE app = $1 AND hash = ANY($2)",
            [.text(name), .byteas(keys.map { KeyHash(of: $0).bytes })]
        )
        return try rows.only().get(0, as: Int64.self) == Int64(keys.count)
    }
}
