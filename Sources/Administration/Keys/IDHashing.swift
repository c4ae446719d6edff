public import Decoding
public import EventLog
internal import Hashing
internal import Postgres
public import Settings

/// Makes the keys by which apps that keep no ids hash them, each app's from one secret.
public struct IDHashing: Sendable {
    private let secret: String?
    /// Whether the database has ids that are hashed with another secret: then nothing is hashed.
    public private(set) var isOfAnotherSecret = false

    /// - Parameter secret: the same for ever, as another would make other ids; nil or empty where none is set.
    public init(secret: String?) {
        self.secret = secret
    }

    /// Reads the setting.
    public init(_ settings: SettingsReader) {
        self.init(
            secret: settings.text(
                "id_hash_secret",
                isSecret: true,
                "key of the hashes of ids, for apps with hash_ids"
            )
        )
    }

    /// Whether there is a secret to hash with.
    public var isAvailable: Bool { secret?.isEmpty == false && !isOfAnotherSecret }

    /// Proves the secret to a database, which can tell it from another one and cannot hash with it; nil without a secret.
    var proof: [UInt8]? {
        guard let secret, isAvailable else { return nil }
        return SHA256.authenticationCode(of: Array("notilog proof".utf8), key: Array(secret.utf8))
    }

    /// The same, of a database whose ids are hashed with another secret.
    func ofAnotherSecret() -> IDHashing {
        var other = self
        other.isOfAnotherSecret = true
        return other
    }

    /// How an app's ids are kept.
    ///
    /// - Parameters:
    ///   - app: the app's number, which its key depends on.
    ///   - hashesIDs: the app's switch.
    public func policy(app: AppID, hashesIDs: Bool) -> IDPolicy {
        guard hashesIDs else { return .clear }
        guard let secret, isAvailable else { return .unavailable }
        let code = SHA256.authenticationCode(of: Array("notilog app \(app.rawValue)".utf8), key: Array(secret.utf8))
        return .hashed(IDHashKey(bytes: code))
    }

    /// How an app's ids are kept.
    ///
    /// - Throws: ``AdministrationError`` where they must be hashed and there is no secret, or another one.
    public func key(of app: App) throws(AdministrationError) -> IDHashKey? {
        switch policy(app: app.id, hashesIDs: app.hashesIDs) {
        case .clear: return nil
        case .hashed(let key): return key
        case .unavailable:
            throw AdministrationError(
                isOfAnotherSecret
                    ? "the ids of the app \(app.name) are hashed with another secret: set NOTILOG_ID_HASH_SECRET to the service's"
                    : "the app \(app.name) keeps hashed ids only: set NOTILOG_ID_HASH_SECRET to the service's secret"
            )
        }
    }
}

extension Administration {
    /// Compares the secret with the one that the database's ids are hashed with.
    ///
    /// - Returns: the same where it is that one, or there is none yet; else one that hashes nothing.
    /// - Throws: `PostgresError`.
    public func verified(_ ids: IDHashing) async throws -> IDHashing {
        try await compared(ids, "SELECT coalesce((SELECT proof = $1 FROM notilog.id_hash_secret), true)")
    }

    /// Compares the secret before ids of an app are hashed with it: the first one becomes the one that the database's ids are hashed
    /// with.
    ///
    /// - Returns: as ``verified(_:)``.
    /// - Throws: `PostgresError`.
    public func settled(_ ids: IDHashing) async throws -> IDHashing {
        try await compared(ids, "SELECT notilog.id_hash_secret_settle($1)")
    }

    /// How ids of an app may have been kept before, whatever its switch says now: hashed if the database has the proof of a secret,
    /// because the switch may have been on once; unavailable if the secret is not that one.
    ///
    /// - Throws: `PostgresError`.
    public func pastPolicy(_ ids: IDHashing, app: AppID) async throws -> IDPolicy {
        let query = "SELECT coalesce(proof = $1, false) FROM notilog.id_hash_secret"
        guard let row = try await pool.query(query, [.bytea(ids.proof ?? [])]).first else { return .clear }
        return try row.get(0) ? ids.policy(app: app, hashesIDs: true) : .unavailable
    }

    /// Whether ids were hashed, and this is not the secret that they were hashed with. Then erasures are refused in every app, whatever its
    /// switch says now: each could miss events.
    ///
    /// - Throws: `PostgresError`.
    public func lacksSecretOfEarlierIDs(_ ids: IDHashing) async throws -> Bool {
        let query = "SELECT EXISTS (SELECT FROM notilog.id_hash_secret WHERE proof <> $1)"
        return try await pool.query(query, [.bytea(ids.proof ?? [])]).only().get(0)
    }

    private func compared(_ ids: IDHashing, _ query: String) async throws -> IDHashing {
        guard let proof = ids.proof else { return ids }
        return try await pool.query(query, [.bytea(proof)]).only().get(0) ? ids : ids.ofAnotherSecret()
    }
}
