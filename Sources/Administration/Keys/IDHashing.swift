public import EventLog
internal import Hashing
public import Ingest
public import Settings

/// Makes the keys by which apps that keep no ids hash them, each app's from one secret.
public struct IDHashing: Sendable {
    private let secret: String?

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
    public var isAvailable: Bool { secret?.isEmpty == false }

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
    /// - Throws: ``AdministrationError`` where they must be hashed and no secret is set.
    public func key(of app: App) throws(AdministrationError) -> IDHashKey? {
        switch policy(app: app.id, hashesIDs: app.hashesIDs) {
        case .clear: return nil
        case .hashed(let key): return key
        case .unavailable:
            throw AdministrationError(
                "the app \(app.name) keeps hashed ids only: set NOTILOG_ID_HASH_SECRET to the service's secret"
            )
        }
    }
}
