internal import Postgres

extension Erasure {
    /// What the import of a ledger did.
    public struct Import: Sendable, Equatable {
        /// Entries that the database's ledger did not have.
        public var added: Int64
        /// Devices of the log that were erased by the import.
        public var devices: Int
        /// Events of them that were changed.
        public var events: Int64
    }

    /// The ledger as lines of JSON, to be kept apart from the database and its dumps. It names devices by keyed hashes.
    ///
    /// - Throws: `PostgresError`.
    public func exportLedger() async throws -> [String] {
        try await withConnection { connection in
            try await connection.query("SELECT log.erasure_export()").map { try $0.get(0, as: String.self) }
        }
    }

    /// Imports a ledger, and erases every device and token in the log that it names. Use it after restoring a dump that is
    /// older than an erasure. It reads every device and token of the log once.
    ///
    /// - Parameter lines: of ``exportLedger()``.
    /// - Throws: `PostgresError`, with the server's message where the lines are no ledger or of another secret.
    public func importLedger(_ lines: [String]) async throws -> Import {
        try await withConnection { connection in
            let added: Int64 = try await connection.query(
                "SELECT log.erasure_import($1)",
                [.texts(lines)]
            ).only().get(0)
            var result = Import(added: added, devices: 0, events: 0)
            // Once for events that were stored before the entries were imported.
            try await connection.query("CALL log.drain_appends()")
            for row in try await connection.query("SELECT app_id, device_id FROM log.erasure_matches()") {
                let app: AppID = try row.get(0)
                let device: String = try row.get(1)
                try await connection.query("SELECT log.erasure_begin($1, $2)", [.app(app), .text(device)])
                result.events += try await finish(device, app: app, on: connection).events
                result.devices += 1
            }
            // The log does not say whose tokens these were. Each is erased as if it had a device of its own.
            try await retrying(for: Self.timeout) {
                try await connection.query(
                    "SELECT f.events FROM log.erasure_token_matches() m, log.erasure_finish(m.app_id, 'erased-' || gen_random_uuid(), m.tokens) f"
                )
            }
            return result
        }
    }
}
