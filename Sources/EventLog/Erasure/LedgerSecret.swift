public import Postgres
public import Settings

/// The key of the ledger of erased devices.
public struct LedgerSecret: Sendable {
    private let text: String?

    /// Reads the setting.
    public init(_ settings: SettingsReader) {
        text = settings.text(
            "erasure.secret",
            isSecret: true,
            "key of the ledger of erased devices; default: a random key in the database"
        )
    }

    /// The database with the secret in its sessions' settings: every session needs it, because every append reads the ledger.
    public func applied(to database: ConnectionConfiguration) -> ConnectionConfiguration {
        guard let text, !text.isEmpty else { return database }
        return database.with(settings: ["notilog.erasure_secret": text])
    }

    /// Why events of erased devices cannot be recognised: the ledger was begun with another secret than that of the sessions.
    ///
    /// - Returns: nil if they can.
    /// - Throws: `PostgresError`.
    public static func problem(_ pool: Pool) async throws -> String? {
        do {
            try await pool.query("SELECT FROM log.erasure_keys()")
            return nil
        } catch let error as PostgresError where error.sqlState == SQLState.objectNotInPrerequisiteState {
            return error.message
        }
    }

    /// Whether the sessions' secret has no effect: a device was erased before it was set, so the ledger keeps the key of the database.
    ///
    /// - Throws: `PostgresError`.
    public static func isIgnored(_ pool: Pool) async throws -> Bool {
        try await pool.query("SELECT log.erasure_ignores_secret()").only().get(0)
    }

    /// Says that the secret has no effect, and why.
    public static let ignored =
        "NOTILOG_ERASURE_SECRET has no effect: a device was erased before it was set, so the ledger keeps the random key in the database"

    /// What to do if it has no effect.
    public static let whatToDoIfIgnored =
        "unset it; every dump has the key, so keep dumps from whoever must not learn which ids were erased"
}
