internal import EventLog
internal import Postgres

/// What a server says of itself, before and while a cell moves.
struct CellServer: Sendable {
    var isStandby: Bool
    /// The system and the database in it.
    var origin: String
    var cluster: String?
    var cell: Int16
    var isClosed: Bool
    /// The move for which it is closed.
    var move: String?
    /// Where that goes.
    var target: String?
    var isSealed: Bool
    var bytes: Int64?
    var isOwned: Bool
    var mayPromote: Bool

    static func read(on connection: Connection) async throws -> CellServer {
        let row = try await connection.query(
            "SELECT is_standby, origin, cluster, cell, closed, move, target, sealed, bytes, is_owned, may_promote FROM log.moving()"
        ).only()
        return CellServer(
            isStandby: try row.get(0),
            origin: try row.get(1),
            cluster: try row.get(2),
            cell: try row.get(3),
            isClosed: try row.get(4),
            move: try row.get(5),
            target: try row.get(6),
            isSealed: try row.get(7),
            bytes: try row.get(8),
            isOwned: try row.get(9),
            mayPromote: try row.get(10)
        )
    }
}

extension CellMove {
    /// What the coordinator knows of the cell.
    struct Record: Sendable {
        var cluster: String
        var url: String
        /// The move that has not ended.
        var move: String?
        /// Where the cell is to be; nil without a move, and once it is there.
        var target: String?
    }

    /// - Throws: ``AdministrationError`` if the cell cannot be moved.
    func record() async throws -> Record {
        guard number != 0 else {
            throw AdministrationError(
                "cell 0 is the coordinator, which services are told of by URL: promote a standby of it, and start the services with its URL"
            )
        }
        return try await Connection.with(coordinator) { connection in
            let cells = try await Cells.read(coordinator, on: connection)
            guard !cells.isAlone else {
                throw AdministrationError("this database is no cluster's coordinator: give the coordinator's URL")
            }
            guard
                let row = try await connection.query(
                    "SELECT s.cluster::text, c.url, c.move::text, c.target FROM log.state s, notilog.cell c WHERE c.cell = $1",
                    [.int2(number)]
                ).first
            else {
                throw AdministrationError("there is no cell \(number): see `notilog cluster status`")
            }
            // A database that is alone, or knows no dblink, has no such right to ask for.
            guard try await connection.query("SELECT cell.may_place()").only().get(0) else {
                throw AdministrationError("a move takes a superuser of the coordinator: give its URL as one")
            }
            return Record(
                cluster: try row.get(0),
                url: try row.get(1),
                move: try row.get(2),
                target: try row.get(3)
            )
        }
    }

    /// Tells the coordinator of moves, of all at once.
    ///
    /// - Returns: the moves, in the order of the plans.
    static func begin(_ plans: [Plan]) async throws -> [String] {
        guard let coordinator = plans.first?.cell.coordinator else { return [] }
        return try await Connection.with(coordinator) { connection in
            try await connection.withTransaction { connection in
                var moves: [String] = []
                for plan in plans {
                    moves.append(
                        try await connection.query(
                            "UPDATE notilog.cell SET move = coalesce(move, gen_random_uuid()), target = $2 WHERE cell = $1 RETURNING move::text",
                            [.int2(plan.cell.number), .text(plan.target.connectionString)]
                        ).only().get(0)
                    )
                }
                return moves
            }
        }
    }

    func place(_ url: String, _ move: String?) async throws {
        try await Connection.with(coordinator) { connection in
            _ = try await connection.query(
                "SELECT cell.place($1, $2, $3::text::uuid)",
                [.int2(number), .text(url), .text(move)]
            )
        }
    }

    func server(_ database: ConnectionConfiguration, _ name: String) async throws -> CellServer {
        do {
            return try await Connection.with(database) { try await CellServer.read(on: $0) }
        } catch let error as PostgresError {
            throw AdministrationError("\(name): \(error)")
        }
    }

    /// A server, or why nothing answers there. What is full, or starts, or does not let this login in, is there.
    func answer(_ url: String, _ name: String) async throws -> Result<CellServer, PostgresError> {
        do {
            return .success(try await Connection.with(database(url)) { try await CellServer.read(on: $0) })
        } catch let error as PostgresError {
            guard error.isConnectionFailure, !error.message.contains("FATAL: ") else {
                throw AdministrationError("\(name): \(error)")
            }
            return .failure(error)
        }
    }

    /// Checks the new server by itself.
    func check(_ there: CellServer, _ record: Record) throws {
        guard there.cluster == record.cluster else {
            throw AdministrationError(
                "the new server has no database of this cluster there: give a standby of the server that has cell \(number)"
            )
        }
        guard there.cell == number else {
            throw AdministrationError(
                "the database there is cell \(there.cell): give the standby's database of cell \(number)"
            )
        }
    }

    /// Checks the new server against the one that has the cell.
    func check(_ here: CellServer, _ there: CellServer, _ record: Record) throws {
        guard here.cluster == record.cluster, here.cell == number, !here.isStandby else {
            throw AdministrationError(
                "the database that the coordinator has as cell \(number) is another one, or a standby: run `notilog doctor`"
            )
        }
        guard !here.isClosed || here.move != nil else {
            throw AdministrationError("this cluster was imported into another store: move nothing of it")
        }
        guard here.origin == there.origin else {
            throw AdministrationError(
                "the new server is no standby of the server that has cell \(number): make one with pg_basebackup -R"
            )
        }
        guard !here.isSealed || there.isStandby || there.isClosed else {
            throw AdministrationError(
                "the new server takes the cell's events already, and the coordinator was set back since: "
                    + "set its URL in notilog.cell and dblink.cell of the coordinator, and move of cell \(number) to NULL"
            )
        }
        // Once it is promoted, both have to say that this move has closed the cell: it may have been taken back.
        let isOfMove = [here, there].allSatisfy { $0.isSealed && $0.move != nil && $0.move == record.move }
        guard there.isStandby || isOfMove else {
            throw AdministrationError(
                "the new server is no standby any more, and cell \(number) has gone on since: make a new one with pg_basebackup -R"
            )
        }
        try checkRights(there, "the new server")
        guard here.isOwned else {
            throw AdministrationError("cell \(number): its login has to be a member of notilog_owner for a move")
        }
    }

    func checkRights(_ there: CellServer, _ name: String) throws {
        guard there.isOwned else {
            throw AdministrationError("\(name): its login has to be a member of notilog_owner for a move")
        }
        guard there.mayPromote || !there.isStandby else {
            throw AdministrationError(
                "\(name): its login may not promote it: as a superuser where the cell is, GRANT EXECUTE ON FUNCTION pg_promote TO the login"
            )
        }
    }

    /// Checks that the coordinator's server reaches the new one by itself.
    func checkReach(_ url: String) async throws {
        do {
            try await Connection.with(coordinator) { connection in
                // Rolled back with the connection.
                _ = try await connection.query("BEGIN")
                _ = try await connection.query(
                    "UPDATE notilog.cell SET url = $2 WHERE cell = $1",
                    [.int2(number), .text(url)]
                )
                _ = try await connection.query(
                    "UPDATE dblink.cell SET url = $2 WHERE cell = $1",
                    [.int2(number), .text(url)]
                )
                _ = try await connection.query("SELECT cell.leave(cell.begin($1))", [.int2(number)])
                _ = try await connection.query("ROLLBACK")
            }
        } catch let error as PostgresError where error.sqlState == SQLState.silentCell {
            throw AdministrationError(
                "the coordinator's server cannot connect to the new server: check its network and password file (\(error.detail ?? ""))"
            )
        }
    }
}
