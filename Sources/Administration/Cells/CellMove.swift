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
    let limits: Limits

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
        try await Self.withCourse(coordinator, until: last, reached: reached) { course in
            if isLost { try await replace(url, course) } else { try await Self.move([try await plan(url)], course) }
        }
    }

    /// Runs a move, unless another is under way.
    static func withCourse(
        _ coordinator: ConnectionConfiguration,
        until last: Step,
        reached: @escaping @Sendable (Step) async -> Void,
        _ work: (CellMoveCourse) async throws -> Void
    ) async throws {
        try await withLock(coordinator) { lock in
            do {
                try await work(CellMoveCourse(last: last, lock: lock, reached: reached))
            } catch is CellMoveCourse.Ended {}
        }
    }

    /// Takes back a move that has not ended: the cell takes events where it was.
    ///
    /// - Parameter isLost: whether the new server is gone for good.
    /// - Throws: ``AdministrationError`` if the cell is at its new place already, or may be; `PostgresError`.
    public func takeBack(isLost: Bool = false) async throws {
        try await Self.withLock(coordinator) { _ in
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

    var isPlaced: AdministrationError {
        AdministrationError("cell \(number) is at its new place already: run the move again, to its end")
    }

    /// Where the cell is now, as `host:port/database`.
    ///
    /// - Throws: ``AdministrationError``; `PostgresError`.
    public func server() async throws -> String { database(try await record().url).place ?? "" }

    /// One move at a time.
    private static func withLock(
        _ coordinator: ConnectionConfiguration,
        _ work: (HeldLock) async throws -> Void
    ) async throws {
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

    /// What is left to do.
    enum Rest {
        /// All of it.
        case whole
        /// The new server may have all of the cell, and takes its place.
        case take
        /// The new server has the cell's place, and is to be opened.
        case open
    }

    /// A cell, and what is left to do to move it.
    struct Plan {
        let cell: CellMove
        let target: ConnectionConfiguration
        var record: Record
        let rest: Rest
        /// Whether the cell is sealed for this move.
        var isSealed = false

        /// The move: it has one once it is begun.
        var move: String { record.move ?? "" }
    }

    /// Finds out how far a move to a server is, and checks that it can go on. Changes nothing.
    func plan(_ url: String) async throws -> Plan {
        let record = try await record()
        let target = database(url)
        func plan(_ rest: Rest, isSealed: Bool = false) -> Plan {
            Plan(cell: self, target: target, record: record, rest: rest, isSealed: isSealed)
        }
        if record.url == url, record.target == nil {
            guard record.move != nil else {
                throw AdministrationError("cell \(number) is there already: nothing is left to do")
            }
            return plan(.open)
        }
        guard record.target == (record.move == nil ? nil : url) else {
            let place = database(record.target ?? record.url).place ?? "another server"
            throw AdministrationError(
                "a move of cell \(number) to \(place) has not ended: run that again, with the same URL"
                    + (record.target == nil ? "" : ", or take it back with `notilog cluster move \(number) --reopen`")
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
                    "cell \(number) does not answer (\(error)): start its server; if it is gone for good, stop it and run `notilog cluster move \(number)` with --lost"
                )
            }
            // It was sealed, and what the seal says is there.
            return plan(.take)
        }
        try check(here, there, record)
        if !there.isStandby, record.move != nil { return plan(.take) }
        try await checkReach(url)
        return plan(.whole, isSealed: here.isSealed && here.move == record.move)
    }

    /// Moves cells to a standby of their server, which is promoted once for all of them, when it has the seal of each.
    static func move(_ plans: [Plan], _ course: CellMoveCourse) async throws {
        var plans = plans
        let whole = plans.indices.filter { plans[$0].rest == .whole }
        if !whole.isEmpty {
            for index in whole where !plans[index].isSealed { try await plans[index].cell.catchUp(plans[index]) }
            for (index, move) in zip(whole, try await begin(whole.map { plans[$0] })) {
                (plans[index].record.move, plans[index].record.target) = (move, plans[index].target.connectionString)
            }
            let begun = whole.map { plans[$0] }
            try await course.note(.begun)
            do {
                for plan in begun { try await plan.cell.close(plan) }
                try await course.note(.closed)
                for plan in begun { try await plan.cell.seal(plan) }
                try await course.note(.sealed)
                for plan in begun { try await plan.cell.awaitSeal(plan) }
                try await course.note(.replayed)
                try await course.lock.check()
                for plan in begun { try await plan.cell.promote(plan.target) }
            } catch let error where !(error is CellMoveCourse.Ended) {
                // Promoted or not: nobody is told of it yet.
                try await reopen(begun, after: error)
            }
            try await course.note(.promoted)
        }
        let taken = plans.filter { $0.rest != .open }
        for plan in taken { try await plan.cell.whileClosed { try await plan.cell.take(plan, course) } }
        if !taken.isEmpty { try await course.note(.placed) }
        for plan in plans { try await plan.cell.whileClosed { try await plan.cell.open(plan.target, plan.move) } }
        try await course.note(.opened)
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
        let plan = Plan(cell: self, target: target, record: record, rest: .whole)
        guard let move = try await Self.begin([plan]).first else { return }
        try await course.note(.begun)
        if there.isStandby { try await promote(target) }
        try await course.note(.promoted)
        try await whileClosed {
            try await Connection.with(target) { connection in
                _ = try await connection.query("SELECT log.replace($1::text::uuid)", [.text(move)])
            }
            try await course.lock.check()
            try await place(url, move)
            try await course.note(.placed)
            try await open(target, move)
        }
        try await course.note(.opened)
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
