public import NotificationEvents
internal import Postgres

/// Why the database did not make what an admin key asked for.
public enum DelegationRefusal: String, Error, Sendable {
    /// An app of that name exists.
    case taken
    /// The key's own app was made by a key, and so makes no other.
    case madeByKey = "made_by_key"
    /// The app has as many as it may have.
    case tooMany = "too_many"
    /// The key does not count any more, or is not of scope admin.
    case notAdmin = "not_admin"
}

/// What a key of scope admin may do for its own app, and for apps that it makes.
extension Administration {
    /// Makes an app with a first key, of scope admin, which alone sees it.
    ///
    /// - Parameters:
    ///   - name: a name as ``App/isName(_:)`` allows it.
    ///   - maker: the id of the admin key that asks.
    /// - Throws: ``DelegationRefusal``; `PostgresError`.
    public func createApp(_ name: String, by maker: String) async throws -> APIKey {
        let key = APIKey.generate(scope: .admin)
        let rows = try await pool.query(
            "SELECT notilog.make_app($1, $2, $3, $4)",
            [.text(maker), .text(name), .text(key.id), .bytea(key.hash)]
        )
        try Self.check(try rows.only().get(0))
        try? await mirror()
        return key
    }

    /// Makes a key of the app that the asking key belongs to.
    ///
    /// - Parameter maker: the id of the admin key that asks.
    /// - Throws: ``DelegationRefusal``; `PostgresError`.
    public func createKey(scope: Scope, label: String?, by maker: String) async throws -> APIKey {
        let key = APIKey.generate(scope: scope)
        let rows = try await pool.query(
            "SELECT notilog.make_key($1, $2, $3, $4, $5)",
            [.text(maker), .text(key.id), .text(scope.rawValue), .bytea(key.hash), .text(label)]
        )
        try Self.check(try rows.only().get(0))
        return key
    }

    /// Revokes a key of the app that the asking key belongs to.
    ///
    /// - Parameters:
    ///   - id: the id of the key to revoke.
    ///   - maker: the id of the admin key that asks.
    /// - Returns: whether the app has such a key.
    /// - Throws: `PostgresError`.
    public func revokeKey(_ id: String, by maker: String) async throws -> Bool {
        try await pool.query("SELECT notilog.revoke_key($1, $2)", [.text(maker), .text(id)]).only().get(0)
    }

    private static func check(_ outcome: String) throws(DelegationRefusal) {
        guard outcome != "made" else { return }
        throw DelegationRefusal(rawValue: outcome) ?? .notAdmin
    }
}
