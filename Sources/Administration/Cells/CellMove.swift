internal import EventLog
internal import Pacing
public import Postgres
internal import Schema

/// Moves a cell to another server: a streaming standby of the server that has it takes its place.
///
/// The cell is closed and sealed, the standby that shows the seal is promoted, and the coordinator names it as the cell's place. Only then is
/// it opened, so one of the two takes events at any time, or none. The old one is never opened again: it would take events that no report
/// counts, and lack those that the new one took.
///
/// What broke off goes on when it is done again. Until the coordinator names the new place, it can be taken back.
public struct CellMove: Sendable {
    /// How far a move is. What each has done can be read from the servers before the next one begins.
    public enum Step: Sendable, CaseIterable {
        /// The coordinator knows of it.
        case begun
        /// The cell takes no events.
        case closed
        /// All that anybody was told of is written.
        case sealed
        /// The standby has all of it.
        case replayed
        /// The standby is none any more.
        case promoted
        /// Services and reports go to the new server.
        case placed
        /// The new server takes events.
        case opened
    }

    /// How long to wait for what.
    public struct Limits: Sendable {
        /// For the standby to have what the cell has, before the cell is closed.
        public var catchingUp: Duration
        /// For appends, for transactions that write and for exports in the closed cell, each.
        public var writing: Duration
        /// For the standby to have the seal, with the cell closed.
        public var replay: Duration

        /// - Parameters: as the properties of the same names.
        public init(
            catchingUp: Duration = .seconds(60),
            writing: Duration = .seconds(30),
            replay: Duration = .seconds(30)
        ) {
            self.catchingUp = catchingUp
            self.writing = writing
            self.replay = replay
        }
    }

    let coordinator: ConnectionConfiguration
    let number: Int16
    private let limits: Limits

    /// - Parameters:
    ///   - cell: its number.
    ///   - coordinator: the database that the service is told of, as a superuser.
    ///   - limits: how long to wait for what.
    public init(of cell: Int16, _ coordinator: ConnectionConfiguration, limits: Limits = Limits()) {
        self.coordinator = coordinator.with(
            settings: ["lock_timeout": "30s", "synchronous_commit": "on", "notilog.here": "on"],
            applicationName: SessionName.move.rawValue
        )
        number = cell
        self.limits = limits
    }

    /// Moves the cell, or goes on with a move that broke off.
    ///
    /// - Parameters:
    ///   - url: the standby.
    ///   - isLost: whether the cell's server is gone for good, with what the standby lacks.
    ///   - reached: told of each step.
    /// - Throws: ``AdministrationError`` with what to do; `PostgresError`. Unless a message says otherwise, the cell takes events then as
    ///   before.
    public func run(
        to url: String,
        isLost: Bool = false,
        reached: @escaping @Sendable (Step) async -> Void = { _ in }
    ) async throws {
        try await run(to: url, isLost: isLost, until: .opened, reached: reached)
    }

    /// Stops after a step, as a process does that is killed there.
    package func run(
        to url: String,
        isLost: Bool = false,
        until last: Step,
        reached: @escaping @Sendable (Step) async -> Void = { _ in }
    ) async throws {
        try await withLock { lock in
            do {
                let course = CellMoveCourse(last: last, lock: lock, reached: reached)
                if isLost {
                    try await replace(url, course)
                } else {
                    try await move(url, course)
                }
            } catch is CellMoveCourse.Ended {}
        }
    }

    /// Takes back a move that has not ended: the cell takes events where it was.
    ///
    /// - Parameter isLost: whether the new server is gone for good.
    /// - Throws: ``AdministrationError`` if the cell is at its new place already, or may be; `PostgresError`.
    public func takeBack(isLost: Bool = false) async throws {
        try await withLock { _ in
            var record = try await record()
            guard record.move == nil || record.target != nil else { throw isPlaced }
            let here = try await server(database(record.url), "cell \(number)")
            if !isLost, let target = here.target ?? record.target { try await checkUnused(target) }
            record.move = here.move
            try await reopen(record)
        }
    }

    /// The coordinator may have been set back to before it named the new place: then that takes events.
    private func checkUnused(_ target: String) async throws {
        switch try await answer(target, "the new server") {
        case .success(let there) where there.isStandby || there.isClosed: return
        case .success:
            throw AdministrationError(
                "the new server takes events: set its URL in notilog.cell and dblink.cell of the coordinator, or stop it for good and add --lost"
            )
        case .failure(let error):
            throw AdministrationError(
                "the new server does not say whether it takes events (\(error)): start it; if it is gone for good, add --lost"
            )
        }
    }

    private var isPlaced: AdministrationError {
        AdministrationError("cell \(number) is at its new place already: run the move again, to its end")
    }

    /// Where the cell is now, as `host:port/database`.
    ///
    /// - Throws: ``AdministrationError``; `PostgresError`.
    public func server() async throws -> String { database(try await record().url).place ?? "" }

    /// The coordinator forgets the move first: from then on it cannot name the new place. A server that does not answer keeps its move, whose
    /// seal the new one may have.
    private func reopen(_ record: Record) async throws {
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

    /// One move at a time.
    private func withLock(_ work: (HeldLock) async throws -> Void) async throws {
        do {
            guard let lock = try await HeldLock.take("move", coordinator) else {
                throw AdministrationError("another move is under way: wait for its end, or stop it")
            }
            try await deferring({ await lock.release() }) { try await work(lock) }
        } catch let error as PostgresError where error.sqlState == SQLState.objectNotInPrerequisiteState {
            throw AdministrationError(error.message)
        }
    }

    func database(_ url: String) -> ConnectionConfiguration {
        var other = coordinator
        other.connectionString = url
        other.database = nil
        return other
    }

    // MARK: - A move

    private func move(_ url: String, _ course: CellMoveCourse) async throws {
        var record = try await record()
        let target = database(url)
        if record.url == url, record.target == nil {
            guard let move = record.move else {
                throw AdministrationError("cell \(number) is there already: nothing is left to do")
            }
            return try await whileClosed { try await open(target, move, course) }
        }
        guard record.target == (record.move == nil ? nil : url) else {
            let place = database(record.target ?? record.url).place ?? "another server"
            throw AdministrationError(
                "a move of cell \(number) to \(place) has not ended: run that again, with the same URL"
                    + (record.target == nil ? "" : ", or with --reopen")
            )
        }
        let there = try await server(target, "the new server")
        try check(there, record)
        let here: CellServer
        switch try await answer(record.url, "cell \(number)") {
        case .success(let answer): here = answer
        case .failure(let error):
            guard let move = record.move, there.move == move, there.isSealed else {
                throw AdministrationError(
                    "cell \(number) does not answer (\(error)): start its server; if it is gone for good, stop it and run this with --lost"
                )
            }
            // It was sealed, and what the seal says is there.
            return try await whileClosed { try await take(target, there, move, course) }
        }
        try check(here, there, record)
        if !there.isStandby, let move = record.move {
            return try await whileClosed { try await take(target, there, move, course) }
        }
        try await checkReach(url)
        if !(here.isSealed && here.move == record.move) { try await catchUp(target, record) }
        let move = try await begin(url)
        (record.move, record.target) = (move, url)
        try await course.note(.begun)
        do {
            try await close(database(record.url), move, to: url, course)
            try await awaitSeal(target, move, course)
        } catch let error where !(error is CellMoveCourse.Ended) {
            try await reopen(record, after: error)
        }
        do {
            try await promote(target, course)
        } catch let error where !(error is CellMoveCourse.Ended) {
            // Promoted or not: nobody is told of it yet.
            try await reopen(record, after: error)
        }
        try await course.note(.promoted)
        try await whileClosed { try await take(target, nil, move, course) }
    }

    /// Says of an error that the cell takes no events now.
    private func whileClosed(_ work: () async throws -> Void) async throws {
        do { try await work() } catch let error as PostgresError {
            guard error.sqlState != SQLState.otherCell else { throw AdministrationError(error.message) }
            throw AdministrationError("\(error); cell \(number) takes no events: run this again")
        }
    }

    /// Puts a server in the place of one that is gone. What that alone had is lost.
    private func replace(_ url: String, _ course: CellMoveCourse) async throws {
        let record = try await record()
        let target = database(url)
        guard record.url != url else {
            throw AdministrationError("cell \(number) is there already: run this without --lost")
        }
        let there = try await server(target, "the new server")
        try check(there, record)
        guard case .failure = try await answer(record.url, "cell \(number)") else {
            throw AdministrationError(
                "cell \(number) answers where it is: run this without --lost, or stop its server if it has to go as it is"
            )
        }
        try checkRights(there, "the new server")
        try await checkReach(url)
        let move = try await begin(url)
        try await course.note(.begun)
        if there.isStandby { try await promote(target, course) }
        try await course.note(.promoted)
        try await whileClosed {
            try await Connection.with(target) { connection in
                _ = try await connection.query("SELECT log.replace($1::text::uuid)", [.text(move)])
            }
            try await course.lock.check()
            try await place(url, move)
            try await course.note(.placed)
            try await open(target, move, course)
        }
    }

    /// Makes a promoted server the cell's place.
    private func take(
        _ target: ConnectionConfiguration,
        _ seen: CellServer?,
        _ move: String,
        _ course: CellMoveCourse
    ) async throws {
        if seen?.isStandby == true {
            try await promote(target, course)
            try await course.note(.promoted)
        }
        let hasAll: Bool = try await Connection.with(target) { connection in
            try await connection.query("SELECT log.arrive($1::text::uuid)", [.text(move)]).only().get(0)
        }
        guard hasAll else {
            throw AdministrationError(
                "the new server lacks what cell \(number) has: run this with --reopen, and make a new standby"
            )
        }
        try await course.lock.check()
        try await place(target.connectionString ?? "", move)
        try await course.note(.placed)
        try await open(target, move, course)
    }

    private func close(
        _ database: ConnectionConfiguration,
        _ move: String,
        to url: String,
        _ course: CellMoveCourse
    ) async throws {
        do {
            try await Connection.with(database) { connection in
                let wait = Int(limits.writing.seconds * 1000)
                _ = try await connection.query("SELECT set_config('lock_timeout', $1, false)", [.text("\(wait)ms")])
                _ = try await connection.query(
                    "SELECT log.close_for_move($1::text::uuid, $2)",
                    [.text(move), .text(url)]
                )
                try await course.note(.closed)
                _ = try await connection.query(
                    "CALL log.seal($1::text::uuid, $2)",
                    [.text(move), .float8(limits.writing.seconds)]
                )
            }
        } catch let error as PostgresError where error.sqlState == SQLState.busyCell || error.isContention {
            throw AdministrationError(
                "transactions that write to cell \(number) do not end: see its pg_stat_activity (backend_xid) and pg_locks, and try again"
            )
        }
        try await course.note(.sealed)
    }

    private func awaitSeal(_ target: ConnectionConfiguration, _ move: String, _ course: CellMoveCourse) async throws {
        let hasSeal = try await Connection.with(target) { connection in
            try await wait(limits.replay) {
                let now = try await CellServer.read(on: connection)
                return now.move == move && now.isSealed
            }
        }
        guard hasSeal else {
            throw AdministrationError(
                "the standby did not have all of cell \(number) in time: see its replay, and what it answers slowly; then try again"
            )
        }
        try await course.note(.replayed)
        try await course.lock.check()
    }

    private func catchUp(_ target: ConnectionConfiguration, _ record: Record) async throws {
        let written = try await server(database(record.url), "cell \(number)").bytes ?? 0
        var behind: Int64 = 0
        let isThere = try await Connection.with(target) { connection in
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

    private func promote(_ target: ConnectionConfiguration, _ course: CellMoveCourse) async throws {
        try await Connection.with(target) { connection in
            _ = try await connection.query("SELECT pg_promote(true, 60)")
            let isPromoted = try await wait(.seconds(60)) {
                try await connection.query("SELECT NOT pg_is_in_recovery()").only().get(0)
            }
            guard isPromoted else {
                throw AdministrationError("the standby was not promoted within a minute: see its log, and try again")
            }
        }
    }

    private func open(_ target: ConnectionConfiguration, _ move: String, _ course: CellMoveCourse) async throws {
        try await Connection.with(target) { connection in
            _ = try await connection.query("SELECT log.end_move($1::text::uuid)", [.text(move)])
        }
        try await Connection.with(coordinator) { connection in
            _ = try await connection.query(
                "UPDATE notilog.cell SET move = NULL WHERE cell = $1 AND move = $2::text::uuid AND target IS NULL",
                [.int2(number), .text(move)]
            )
        }
        try await course.note(.opened)
    }

    private func reopen(_ record: Record, after error: any Error) async throws -> Never {
        do {
            try await reopen(record)
        } catch let second {
            throw AdministrationError(
                "\(error); and cell \(number) takes no events, as it could not be opened again (\(second)): run this again, or with --reopen"
            )
        }
        throw error
    }

    /// - Returns: whether a condition came in time.
    private func wait(_ limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
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

/// How far a move is to go, and what it holds meanwhile.
struct CellMoveCourse: Sendable {
    /// It was to end here.
    struct Ended: Error {}

    let last: CellMove.Step
    let lock: HeldLock
    let reached: @Sendable (CellMove.Step) async -> Void

    func note(_ step: CellMove.Step) async throws {
        await reached(step)
        if step == last, step != .opened { throw Ended() }
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
