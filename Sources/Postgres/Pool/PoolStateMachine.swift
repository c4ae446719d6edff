/// Who gets which connection, and when one is made or closed: decisions only, no I/O, no clock, no waiting.
///
/// Each event gives the action that its caller then takes.
struct PoolStateMachine<Connection: Sendable, WaiterID: Hashable & Sendable> {
    /// The grant for a caller or a waiter.
    enum Grant {
        /// An idle connection, now theirs.
        case connection(Connection)
        /// The right to open one; ``openFailed()`` gives it back.
        case open
    }

    enum AcquireAction {
        case grant(Grant)
        case wait
        case refuse
    }

    /// The actions when a slot becomes free.
    struct FreeAction {
        var close: Connection?
        var grant: (waiter: WaiterID, grant: Grant)?
    }

    let limit: Int
    /// Connections leased or being opened.
    private(set) var leased = 0
    private(set) var idle: [Connection] = []
    private var waiters: [WaiterID] = []
    private(set) var isShutDown = false

    init(limit: Int) {
        precondition(limit > 0, "a pool needs at least one connection")
        self.limit = limit
    }

    var waiting: Int { waiters.count }

    /// A caller requests a connection. First come, first served: nobody overtakes waiters.
    mutating func acquire(_ waiter: WaiterID) -> AcquireAction {
        guard !isShutDown else { return .refuse }
        guard waiters.isEmpty, let grant = takeGrant() else {
            waiters.append(waiter)
            return .wait
        }
        return .grant(grant)
    }

    /// A waiter gave up. False where it has been served already (and so must give back what it got).
    mutating func leave(_ waiter: WaiterID) -> Bool {
        guard let index = waiters.firstIndex(of: waiter) else { return false }
        waiters.remove(at: index)
        return true
    }

    /// A connection is returned. One that cannot be used again is closed, and its slot becomes free.
    mutating func release(_ connection: Connection, isReusable: Bool) -> FreeAction {
        leased -= 1
        guard isReusable, !isShutDown else {
            return FreeAction(close: connection, grant: next())
        }
        idle.append(connection)
        return FreeAction(grant: next())
    }

    /// Opening failed: the slot is free for the next waiter.
    mutating func openFailed() -> FreeAction {
        leased -= 1
        return FreeAction(grant: next())
    }

    /// No more connections; gives those to close and those to turn away. Leased ones are closed as they come back.
    mutating func shutDown() -> (close: [Connection], refuse: [WaiterID]) {
        isShutDown = true
        defer {
            idle = []
            waiters = []
        }
        return (idle, waiters)
    }

    private mutating func next() -> (waiter: WaiterID, grant: Grant)? {
        guard !isShutDown, !waiters.isEmpty, let grant = takeGrant() else { return nil }
        return (waiters.removeFirst(), grant)
    }

    private mutating func takeGrant() -> Grant? {
        guard leased < limit else { return nil }
        leased += 1
        // The one used last: its caches are warm.
        if let connection = idle.popLast() { return .connection(connection) }
        return .open
    }
}
