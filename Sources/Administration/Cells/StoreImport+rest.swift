internal import EventLog
internal import Postgres

extension StoreImport {
    /// Imports what is no event of the closed store: its ledger of erased devices, what its apps have, and what it refused. Records that it
    /// is done.
    func importRest(_ from: Cells, _ to: Cells) async throws {
        var ledger: String?
        for cell in from.all { ledger = try await importLedger(of: cell, to, after: ledger) }
        try await Connection.with(target) { coordinator in
            try await coordinator.withTransaction { coordinator in
                _ = try await coordinator.query("SELECT notilog.drop_carried()")
                try await Connection.with(from.coordinator.database) { source in
                    try await source.withTransaction(isolation: .repeatableRead, readOnly: true) { source in
                        try await carry(from: source, to: coordinator)
                    }
                }
                let log = try await Connection.with(from.coordinator.database) { try await LogPositions.read(on: $0) }
                _ = try await coordinator.query(
                    """
                    INSERT INTO notilog.imported (source, incarnation, position, conflicts, finished) VALUES ($1, $2::text::uuid, 0, 0, true)
                    ON CONFLICT (source) DO UPDATE SET finished = true
                    """,
                    [.text(try await name(of: from.coordinator)), .text(log.incarnation)]
                )
            }
        }
    }

    /// Refuses erased devices here too, and erases what came of them before.
    ///
    /// - Parameter known: the line of the ledgers imported before that identifies their secret. A ledger with another secret is left out,
    ///   as the coordinator's has its devices: see ``check(leavesDropped:)``.
    /// - Returns: that line; nil as long as no ledger had a device.
    private func importLedger(of cell: Cell, _ to: Cells, after known: String?) async throws -> String? {
        let ledger = try await Erasure(cell.database).exportLedger()
        let (secret, floor) = try await Connection.with(cell.database) { connection in
            let row = try await connection.query(
                "SELECT k.secret, s.floor::text FROM log.erasure_secret k, log.state s"
            )
            .only()
            return (try row.get(0, as: [UInt8]?.self), try row.get(1, as: String.self))
        }
        let isTaken = ledger.count > 1 && (known == nil || ledger.first == known)
        for other in to.all {
            try await Connection.with(other.database) { connection in
                if let secret { _ = try await connection.query("SELECT log.adopt_ledger_secret($1)", [.bytea(secret)]) }
                _ = try await connection.query("SELECT log.raise_floor($1::text::timestamptz)", [.text(floor)])
            }
            if isTaken { _ = try await Erasure(other.database).importLedger(ledger) }
        }
        return known ?? (isTaken ? ledger.first : nil)
    }

    private static let rowsOfAStatement = 100

    private func carry(from source: Connection, to coordinator: Connection) async throws {
        let tables: [String] = try await source.query("SELECT name FROM notilog.carried_tables() ORDER BY ordinal").map
        {
            try $0.get(0)
        }
        for table in tables {
            _ = try await source.query("SELECT notilog.open_carried($1)", [.text(table)])
            while let rows = try await Self.nextRows(on: source) {
                do {
                    _ = try await coordinator.query("SELECT notilog.carry($1, $2)", [.text(table), .jsonb(rows)])
                } catch let error as PostgresError where error.isDataError {
                    throw AdministrationError("rows of \(table) do not fit here: \(error)")
                }
            }
            _ = try await source.query("CLOSE carried", cached: false)
        }
    }

    /// The next rows of the table whose cursor is open, as a JSON array; nil at its end.
    private static func nextRows(on source: Connection) async throws -> String? {
        let rows: [String] = try await source.query("FETCH \(rowsOfAStatement) FROM carried", cached: false).map {
            try $0.get(0)
        }
        return rows.isEmpty ? nil : "[\(rows.joined(separator: ","))]"
    }
}
