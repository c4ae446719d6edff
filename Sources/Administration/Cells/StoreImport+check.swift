internal import EventLog
internal import Postgres
internal import Schema

extension StoreImport {
    /// What of a store has to fit another one, as one of its databases says.
    private struct Terms {
        var source: String
        var isOwned: Bool
        var isClosed: Bool
        /// Microseconds since 1970; nil if retention has dropped nothing.
        var floor: Int64?
        var hasDropped: Bool
        var ledger: String?
        var ids: String?
        var hasSecret: Bool
        /// How many devices are in its ledger.
        var erased: Int64
    }

    /// Checks that the other store can be imported, before anything is.
    ///
    /// - Returns: the databases of both.
    /// - Throws: ``AdministrationError`` with what to do.
    func check(leavesDropped: Bool) async throws -> (from: Cells, to: Cells) {
        let (from, there) = try await terms(of: source, "the other store")
        let (to, here) = try await terms(of: target, "this store")
        guard Set((there + here).map(\.source)).count == there.count + here.count else {
            throw AdministrationError("the store to import is this store: give the URL of another one")
        }
        if here.contains(where: \.isClosed) {
            throw AdministrationError(
                "this store takes no events: it was imported into another one, or a move of a cell has not ended (`notilog cluster status`)"
            )
        }
        if !leavesDropped, there.contains(where: \.hasDropped) {
            throw AdministrationError(
                "retention has dropped events of the other store: their figures stay there; add --without-dropped to go on without them"
            )
        }
        let floors = (there.map { $0.floor ?? .min }, here.map { $0.floor ?? .min })
        if let lowest = floors.0.min(), let highest = floors.1.max(), highest > lowest {
            throw AdministrationError(
                "retention has dropped events here that the other store has: import into a store without retention, and set it afterwards"
            )
        }
        if there.contains(where: \.hasSecret) {
            throw AdministrationError(
                "the ledger of erased devices of the other store has a secret of its own: unset NOTILOG_ERASURE_SECRET"
            )
        }
        let ledgers = try ledgersToImport(from, there) + here.compactMap(\.ledger)
        guard Set(ledgers).count <= 1 else {
            throw AdministrationError(
                "this store's ledger of erased devices has another secret than the other store's: import into a store that erased none"
            )
        }
        guard Set((there + here).compactMap(\.ids)).count <= 1 else {
            throw AdministrationError(
                "ids are hashed with another secret here than in the other store: import into a store that has taken no events"
            )
        }
        return (from, to)
    }

    /// What identifies the secrets of the other store's ledgers that are imported. If its cells have one each, as in clusters that were
    /// made before cells shared one, it is the coordinator's ledger alone: an erasure is in that of every cell.
    private func ledgersToImport(_ from: Cells, _ there: [Terms]) throws -> [String] {
        let ledgers = there.compactMap(\.ledger)
        guard Set(ledgers).count > 1 else { return ledgers }
        if let more = there.firstIndex(where: { $0.erased > there[0].erased }) {
            throw AdministrationError(
                "the cells of the other store have different ledger secrets, and cell \(from.all[more].number) erased devices that the "
                    + "coordinator did not: wait for erasures under way; if the coordinator was restored, run "
                    + "`notilog devices ledger import` on it, with its own ledger"
            )
        }
        return Array(ledgers.prefix(1))
    }

    /// The cells of a store, after the schema of each was found to fit.
    private func terms(
        of database: ConnectionConfiguration,
        _ name: String
    ) async throws -> (cells: Cells, terms: [Terms]) {
        do {
            try await checkSchema(of: database, name)
            let cells = try await cells(of: database)
            var all: [Terms] = []
            for cell in cells.all {
                let name = cells.isAlone ? name : "\(name), cell \(cell.number)"
                try await checkSchema(of: cell.database, name)
                let terms = try await terms(of: cell)
                guard terms.isOwned else {
                    throw AdministrationError("\(name): its login has to be a member of notilog_owner for an import")
                }
                all.append(terms)
            }
            return (cells, all)
        } catch let error as PostgresError {
            throw AdministrationError("\(name): \(error)")
        }
    }

    func cells(of database: ConnectionConfiguration) async throws -> Cells {
        try await Connection.with(database) { try await Cells.read(database, on: $0) }
    }

    private func checkSchema(of database: ConnectionConfiguration, _ name: String) async throws {
        try await Connection.with(database) { connection in
            if let problem = try await migrator.state(on: connection).problem {
                throw AdministrationError("\(name): \(problem)")
            }
        }
    }

    private func terms(of cell: Cell) async throws -> Terms {
        try await Connection.with(cell.database) { connection in
            let row = try await connection.query(
                """
                SELECT source, is_owned, closed, (extract(epoch FROM nullif(floor, '-infinity')) * 1000000)::bigint, has_dropped,
                  ledger, ids, has_secret, erased FROM log.import_terms()
                """
            ).only()
            return Terms(
                source: try row.get(0),
                isOwned: try row.get(1),
                isClosed: try row.get(2),
                floor: try row.get(3),
                hasDropped: try row.get(4),
                ledger: try row.get(5),
                ids: try row.get(6),
                hasSecret: try row.get(7),
                erased: try row.get(8)
            )
        }
    }
}
