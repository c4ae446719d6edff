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
        /// Apps whose entries were left out, as they would protect no device.
        public var leftOut: [LeftOut]
    }

    /// Entries of an app that the import of a ledger left out.
    public struct LeftOut: Sendable, Equatable {
        /// The app's name.
        public var app: String
        /// How many.
        public var entries: Int64
        /// Whether the database has an app of that name: then it has another number than where the ledger was exported.
        public var isHere: Bool
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
            let leftOut = try await connection.query(
                "SELECT app, entries, is_here FROM log.erasure_left_out($1)",
                [.texts(lines)]
            ).map { LeftOut(app: try $0.get(0), entries: try $0.get(1), isHere: try $0.get(2)) }
            var result = Import(added: added, devices: 0, events: 0, leftOut: leftOut)
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
