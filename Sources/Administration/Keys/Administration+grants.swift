internal import EventLog
internal import NotificationEvents
internal import Postgres

/// A key that counts: its hash, and what it grants.
public struct ActiveKey: Sendable {
    /// The hash that a request's key must have.
    public let hash: KeyHash
    /// Its permissions.
    public let grant: Grant

    /// - Parameters: as the properties of the same names.
    public init(hash: KeyHash, grant: Grant) {
        self.hash = hash
        self.grant = grant
    }
}

extension Administration {
    /// The channel on which changes of apps and keys are notified, by `sql/notilog/notify_keys.sql`.
    public static let channel = "notilog_keys"

    /// The keys that count now. One of a scope that this release does not know is left out.
    ///
    /// - Parameter ids: how apps hash their ids. If one does, this is compared with the database's (``settled(_:)``).
    /// - Throws: `PostgresError`.
    public func activeKeys(_ ids: IDHashing) async throws -> [ActiveKey] {
        let rows = try await pool.query("SELECT * FROM notilog.active_keys()")
        let ids = try rows.contains { try $0.get(5) } ? try await settled(ids) : ids
        let hasHashed = ids.isAvailable ? try await hasHashed(ids) : false
        return try rows.compactMap { row in
            guard let hash = KeyHash(bytes: try row.get(1)), let scope = Scope(rawValue: try row.get(2)) else {
                return nil
            }
            let app: AppID = try row.get(3)
            let grant = Grant(
                keyID: try row.get(0),
                appID: app,
                appName: try row.get(6),
                scope: scope,
                keepsReplyText: try row.get(4),
                ids: ids.policy(app: app, hashesIDs: try row.get(5)),
                pastIDs: hasHashed ? ids.policy(app: app, hashesIDs: true) : .clear
            )
            return ActiveKey(hash: hash, grant: grant)
        }
    }

    /// Whether ids were hashed with this secret.
    private func hasHashed(_ ids: IDHashing) async throws -> Bool {
        let query = "SELECT EXISTS (SELECT FROM notilog.id_hash_secret WHERE proof = $1)"
        return try await pool.query(query, [.bytea(ids.proof ?? [])]).only().get(0)
    }
}
