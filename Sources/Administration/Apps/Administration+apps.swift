public import EventLog
public import NotificationEvents
internal import Postgres

/// An app: what a key belongs to, and whose events are kept apart from every other's.
public struct App: Sendable, Equatable {
    /// Its number in the database.
    public var id: AppID
    /// Its name.
    public var name: String
    /// Whether the text of replies is stored.
    public var keepsReplyText: Bool
    /// Whether ids are kept as keyed hashes only.
    public var hashesIDs: Bool
    /// When it was made.
    public var createdAt: Timestamp
    /// The keys of `attributes` that are dimensions of its own.
    public var dimensions: [String]
}

/// A switch of an app.
public enum AppSwitch: String, Sendable, CaseIterable {
    /// Store the text of replies, else measure and drop it.
    case keepReplyText = "keep_reply_text"
    /// Keep device, notification and request ids as keyed hashes only.
    case hashIDs = "hash_ids"
}

extension Administration {
    /// As ``App/init(_:)`` reads them.
    private static let columns = "app_id, name, keep_reply_text, hash_ids, created_at, dimensions"

    /// Makes an app.
    ///
    /// - Throws: ``AdministrationError`` where the name is taken or not allowed; `PostgresError`.
    public func createApp(_ name: String) async throws -> App {
        guard App.isName(name) else { throw AdministrationError(App.nameRule) }
        let rows = try await change { connection in
            try await connection.query(
                """
                INSERT INTO notilog.app (name) VALUES ($1) ON CONFLICT DO NOTHING
                RETURNING \(Self.columns)
                """,
                [.text(name)]
            )
        }
        guard let row = rows.first else {
            throw AdministrationError("the app \(name) exists already: see `notilog apps list`")
        }
        // A cell that does not answer hears of it from a service.
        try? await mirror()
        return try App(row)
    }

    /// Every app, by name.
    ///
    /// - Throws: `PostgresError`.
    public func apps() async throws -> [App] {
        try await pool.query(
            "SELECT \(Self.columns) FROM notilog.app ORDER BY name"
        ).map { try App($0) }
    }

    /// Finds an app.
    ///
    /// - Throws: ``AdministrationError`` if no app has that name; `PostgresError`.
    public func app(_ name: String) async throws -> App {
        let rows = try await pool.query(
            "SELECT \(Self.columns) FROM notilog.app WHERE name = $1",
            [.text(name)]
        )
        guard let row = rows.first else { throw Self.noApp(name) }
        return try App(row)
    }

    /// Sets a switch of an app.
    ///
    /// - Throws: ``AdministrationError`` where there is no such app; `PostgresError`.
    public func set(_ name: String, _ appSwitch: AppSwitch, _ value: Bool) async throws -> App {
        let rows = try await change { connection in
            try await connection.query(
                """
                UPDATE notilog.app SET \(appSwitch.rawValue) = $2 WHERE name = $1
                RETURNING \(Self.columns)
                """,
                [.text(name), .bool(value)]
            )
        }
        guard let row = rows.first else { throw Self.noApp(name) }
        try? await mirror()
        return try App(row)
    }

    static func noApp(_ name: String) -> AdministrationError {
        AdministrationError(
            "there is no app \(name): make it with `notilog apps create \(name)`, or see `notilog apps list`"
        )
    }
}

extension App {
    /// The rule for names, for the error.
    public static let nameRule =
        "an app's name is 1 to 63 of a-z, 0-9, dot, underscore and hyphen, and begins with a letter or digit: choose another"

    /// Whether an app may have this name.
    public static func isName(_ text: String) -> Bool {
        text.wholeMatch(of: /[a-z0-9][a-z0-9._-]{0,62}/) != nil
    }

    init(_ row: Row) throws {
        self.init(
            id: try row.get(0),
            name: try row.get(1),
            keepsReplyText: try row.get(2),
            hashesIDs: try row.get(3),
            createdAt: try row.get(4),
            dimensions: try row.get(5)
        )
    }
}
