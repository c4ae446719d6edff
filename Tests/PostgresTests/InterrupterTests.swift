import Testing

@testable import Postgres

@Suite("Interrupter")
struct InterrupterTests {
    @Test("a watch that expires sooner than the last one would have is not missed", .timeLimit(.minutes(1)))
    func sooner() async {
        let interrupter = Interrupter()
        interrupter.watch(for: .seconds(3600))
        interrupter.endWatch()
        interrupter.watch(for: .milliseconds(1))
        while !Task.isCancelled, !interrupter.isInterrupted { await Task.yield() }
    }

    @Test("a watch that has ended interrupts nothing, and the next one has its own time")
    func ended() {
        let interrupter = Interrupter()
        interrupter.watch(for: .seconds(60))
        interrupter.endWatch()
        let later = ContinuousClock.now + .seconds(61)
        interrupter.watch(for: .seconds(3600))
        #expect(interrupter.checkDeadline(now: later) != nil)
        #expect(!interrupter.isInterrupted)
        interrupter.endWatch()
        #expect(interrupter.checkDeadline(now: later + .seconds(3600)) == nil)
        #expect(!interrupter.isInterrupted)
        interrupter.watch(for: .seconds(60))
        #expect(interrupter.checkDeadline(now: later) == nil)
        #expect(interrupter.isInterrupted)
    }
}
