import Testing

@testable import Postgres

@Suite("Pool: decisions")
struct PoolStateMachineTests {
    typealias Machine = PoolStateMachine<String, Int>

    private func isOpen(_ action: Machine.AcquireAction) -> Bool {
        if case .grant(.open) = action { true } else { false }
    }

    private func isWait(_ action: Machine.AcquireAction) -> Bool {
        if case .wait = action { true } else { false }
    }

    private func connection(_ action: Machine.AcquireAction) -> String? {
        if case .grant(.connection(let connection)) = action { connection } else { nil }
    }

    private func connection(_ action: Machine.FreeAction) -> String? {
        if case .connection(let connection)? = action.grant?.grant { connection } else { nil }
    }

    @Test("opens up to its limit, then lets wait")
    func limit() {
        var machine = Machine(limit: 2)
        let first = machine.acquire(1)
        #expect(isOpen(first))
        let second = machine.acquire(2)
        #expect(isOpen(second))
        let action1 = machine.acquire(3)
        #expect(isWait(action1))
        #expect(machine.leased == 2)
        #expect(machine.waiting == 1)
    }

    @Test("reuses the connection given back last")
    func reuse() {
        var machine = Machine(limit: 2)
        _ = machine.acquire(1)
        _ = machine.acquire(2)
        let action2 = machine.release("a", isReusable: true)
        #expect(action2.grant == nil)
        let action3 = machine.release("b", isReusable: true)
        #expect(action3.grant == nil)
        let action4 = machine.acquire(3)
        #expect(connection(action4) == "b")
        let action5 = machine.acquire(4)
        #expect(connection(action5) == "a")
        let action6 = machine.acquire(5)
        #expect(isWait(action6))
    }

    @Test("serves who waits in order of arrival, and lets nobody overtake")
    func order() {
        var machine = Machine(limit: 1)
        _ = machine.acquire(1)
        for waiter in 2...4 {
            let action7 = machine.acquire(waiter)
            #expect(isWait(action7))
        }
        for waiter in 2...4 {
            let action = machine.release("a", isReusable: true)
            #expect(action.grant?.waiter == waiter)
            #expect(connection(action) == "a")
        }
        let action8 = machine.release("a", isReusable: true)
        #expect(action8.grant == nil)
    }

    @Test("closes a connection that cannot be used again, and lets the next waiter open one in its place")
    func broken() {
        var machine = Machine(limit: 1)
        _ = machine.acquire(1)
        _ = machine.acquire(2)
        let action = machine.release("a", isReusable: false)
        #expect(action.close == "a")
        #expect(action.grant?.waiter == 2)
        #expect(connection(action) == nil)
        #expect(machine.leased == 1)
    }

    @Test("a failed opening frees the place for the next waiter")
    func openFailed() {
        var machine = Machine(limit: 1)
        _ = machine.acquire(1)
        _ = machine.acquire(2)
        let action9 = machine.openFailed()
        #expect(action9.grant?.waiter == 2)
        let action10 = machine.openFailed()
        #expect(action10.grant == nil)
        #expect(machine.leased == 0)
    }

    @Test("who leaves is not served; who was served cannot leave")
    func leave() {
        var machine = Machine(limit: 1)
        _ = machine.acquire(1)
        _ = machine.acquire(2)
        _ = machine.acquire(3)
        let action11 = machine.leave(2)
        #expect(action11)
        let action12 = machine.leave(2)
        #expect(!action12)
        let action13 = machine.release("a", isReusable: true)
        #expect(action13.grant?.waiter == 3)
        let action14 = machine.leave(3)
        #expect(!action14)
    }

    @Test("after shutting down it refuses, and closes what comes back")
    func shutDown() {
        var machine = Machine(limit: 2)
        _ = machine.acquire(1)
        _ = machine.acquire(2)
        _ = machine.release("a", isReusable: true)
        _ = machine.acquire(3)
        _ = machine.acquire(4)
        let (close, refuse) = machine.shutDown()
        #expect(close == [])
        #expect(refuse == [4])
        let action15 = machine.release("a", isReusable: true)
        #expect(action15.close == "a")
        let action16 = machine.release("b", isReusable: true)
        #expect(action16.close == "b")
        guard case .refuse = machine.acquire(5) else {
            Issue.record("it was not refused")
            return
        }
    }

    @Test("never leases more than its limit, loses nobody and nothing, whatever happens", arguments: 1...20)
    func storm(seed: Int) {
        var random = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % UInt64(bound))
        }
        var machine = Machine(limit: 3)
        var held: [String] = []
        var opening = 0
        var waiting: Set<Int> = []
        var made = 0
        func take(_ grant: Machine.Grant) {
            switch grant {
            case .connection(let connection): held.append(connection)
            case .open: opening += 1
            }
        }
        func free(_ action: Machine.FreeAction) {
            guard let (waiter, grant) = action.grant else { return }
            #expect(waiting.remove(waiter) != nil)
            take(grant)
        }
        for step in 0..<2000 {
            switch next(5) {
            case 0, 1:
                switch machine.acquire(step) {
                case .grant(let grant): take(grant)
                case .wait: waiting.insert(step)
                case .refuse: Issue.record("refused")
                }
            case 2 where opening > 0:
                opening -= 1
                if next(4) == 0 {
                    free(machine.openFailed())
                } else {
                    made += 1
                    held.append("c\(made)")
                }
            case 3 where !held.isEmpty:
                free(machine.release(held.remove(at: next(held.count)), isReusable: next(3) > 0))
            case 4:
                if let waiter = waiting.randomElement(), machine.leave(waiter) { waiting.remove(waiter) }
            default: break
            }
            #expect(held.count + opening == machine.leased)
            #expect(machine.leased <= 3)
            #expect(machine.waiting == waiting.count)
            #expect(Set(held).isDisjoint(with: machine.idle))
            #expect(waiting.isEmpty || machine.leased == 3)
        }
    }
}
