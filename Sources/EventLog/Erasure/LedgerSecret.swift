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

    /// Why events of erased devices cannot be recognised: the ledger was begun with another secret than the sessions have.
    ///
    /// - Returns: nil if they can.
    /// - Throws: `PostgresError`.
    public static func problem(_ pool: Pool) async throws -> String? {
        do {
            try await pool.query("SELECT FROM log.erasure_keys()")
            return nil
        } catch let error as PostgresError where error.sqlState == "55000" {
            return error.message
        }
    }
}
