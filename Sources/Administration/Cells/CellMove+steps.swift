internal import EventLog
internal import Postgres
internal import Schema

// What a move does to a cell, each for itself.

extension CellMove {
    /// The coordinator forgets the move first: from then on it cannot name the new place. A server that does not answer keeps its move, whose
    /// seal the new one may have.
    func reopen(_ record: Record) async throws {
        try await Connection.with(database(record.url)) { old in
            try await Connection.with(coordinator) { connection in
                let known = try await connection.query(
                    "UPDATE notilog.cell SET move = NULL, target = NULL WHERE cell = $1 AND url = $2 RETURNING cell",
                    [.int2(number), .text(record.url)]
                )
                guard known.first != nil else { throw isPlaced }
            }
            // The standby that was to be waited for may be none any more.
            _ = try await old.query("SET synchronous_commit = local")
            _ = try await old.query("SELECT log.end_move($1::text::uuid)", [.text(record.move)])
        }
    }

    /// Says of an error that the cell takes no events now.
    func whileClosed(_ work: () async throws -> Void) async throws {
        do { try await work() } catch let error as PostgresError {
            guard error.sqlState != SQLState.otherCell else { throw AdministrationError(error.message) }
            throw AdministrationError("\(error); cell \(number) takes no events: run this again")
        }
    }

    /// Makes the new server the cell's place.
    func take(_ plan: Plan, _ course: CellMoveCourse) async throws {
        if plan.rest == .take, try await promote(plan.target) { try await course.note(.promoted) }
        let hasAll: Bool = try await Connection.with(plan.target) { connection in
            try await connection.query("SELECT log.arrive($1::text::uuid)", [.text(plan.move)]).only().get(0)
        }
        guard hasAll else {
            throw AdministrationError(
                "the new server lacks what cell \(number) has: "
                    + "run `notilog cluster move \(number) --reopen`, and make a new standby"
            )
        }
        try await course.lock.check()
        try await place(plan.target.connectionString ?? "", plan.move)
    }

    func close(_ plan: Plan) async throws {
        try await whileWriting(plan) { connection in
            let target = plan.target.connectionString
            _ = try await connection.query(
                "SELECT log.close_for_move($1::text::uuid, $2)",
                [.text(plan.move), .text(target)]
            )
        }
    }

    func seal(_ plan: Plan) async throws {
        try await whileWriting(plan) { connection in
            _ = try await connection.query(
                "CALL log.seal($1::text::uuid, $2)",
                [.text(plan.move), .float8(limits.writing.seconds)]
            )
        }
    }

    /// Does what waits for those who write to the cell.
    func whileWriting(_ plan: Plan, _ work: (Connection) async throws -> Void) async throws {
        do {
            try await Connection.with(database(plan.record.url)) { connection in
                let wait = Int(limits.writing.seconds * 1000)
                _ = try await connection.query("SELECT set_config('lock_timeout', $1, false)", [.text("\(wait)ms")])
                try await work(connection)
            }
        } catch let error as PostgresError where error.sqlState == SQLState.busyCell || error.isContention {
            throw AdministrationError(
                "transactions that write to cell \(number) do not end: see its pg_stat_activity (backend_xid) and pg_locks, and try again"
            )
        }
    }

    func awaitSeal(_ plan: Plan) async throws {
        let hasSeal = try await Connection.with(plan.target) { connection in
            try await wait(limits.replay) {
                let now = try await CellServer.read(on: connection)
                return now.move == plan.move && now.isSealed
            }
        }
        guard hasSeal else {
            throw AdministrationError(
                "the standby did not have all of cell \(number) in time: see its replay, and what it answers slowly; then try again"
            )
        }
    }

    func catchUp(_ plan: Plan) async throws {
        let written = try await server(database(plan.record.url), "cell \(number)").bytes ?? 0
        var behind: Int64 = 0
        let isThere = try await Connection.with(plan.target) { connection in
            try await wait(limits.catchingUp) {
                behind = written - (try await CellServer.read(on: connection).bytes ?? 0)
                return behind <= 0
            }
        }
        guard isThere else {
            throw AdministrationError(
                "the standby is \(behind) bytes behind and does not catch up: see pg_stat_replication where cell \(number) is, and try again"
            )
        }
    }

    /// - Returns: false where it was none any more: another cell on it may move as well.
    @discardableResult
    func promote(_ target: ConnectionConfiguration) async throws -> Bool {
        try await Connection.with(target) { connection in
            func isPromoted() async throws -> Bool {
                try await connection.query("SELECT NOT pg_is_in_recovery()").only().get(0)
            }
            if try await isPromoted() { return false }
            _ = try await connection.query("SELECT pg_promote(true, 60)")
            guard try await wait(.seconds(60), isPromoted) else {
                throw AdministrationError("the standby was not promoted within a minute: see its log, and try again")
            }
            return true
        }
    }

    func open(_ target: ConnectionConfiguration, _ move: String) async throws {
        try await Connection.with(target) { connection in
            _ = try await connection.query("SELECT log.end_move($1::text::uuid)", [.text(move)])
        }
        try await Connection.with(coordinator) { connection in
            _ = try await connection.query(
                "UPDATE notilog.cell SET move = NULL WHERE cell = $1 AND move = $2::text::uuid AND target IS NULL",
                [.int2(number), .text(move)]
            )
        }
    }

    static func reopen(_ plans: [Plan], after error: any Error) async throws -> Never {
        var closed: [String] = []
        for plan in plans {
            let number = plan.cell.number
            do {
                try await plan.cell.reopen(plan.record)
            } catch let second {
                closed.append(
                    "cell \(number) takes no events, as it could not be opened again (\(second)): "
                        + "run this again, or `notilog cluster move \(number) --reopen`"
                )
            }
        }
        guard closed.isEmpty else { throw AdministrationError(([("\(error)")] + closed).joined(separator: "; and ")) }
        throw error
    }

    /// - Returns: whether a condition came in time.
    func wait(_ limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
        // A standby cancels a question that is in the way of its replay: it is asked again.
        func isMet() async throws -> Bool {
            do { return try await condition() } catch let error as PostgresError where error.isContention {
                return false
            }
        }
        let end = ContinuousClock.now + limit
        while try await !isMet() {
            guard ContinuousClock.now < end else { return false }
            try await ContinuousClock().sleep(for: .milliseconds(50))
        }
        return true
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
