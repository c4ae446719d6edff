import Testing

@testable import EventLog

@Suite("Log signal")
struct LogSignalTests {
    @Test("everybody who waits for a position is woken by it, and by nothing less")
    func settled() async {
        let signal = LogSignal()
        await withTaskGroup(of: Position.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    while signal.settledPosition < 5 {
                        await signal.waitForSettled(beyond: signal.settledPosition, timeout: .seconds(60))
                    }
                    return signal.settledPosition
                }
            }
            for position in [3, 2, 5] as [Position] {
                signal.settled(upTo: position)
                await Task.yield()
            }
            for await position in group { #expect(position == 5) }
        }
        #expect(signal.settledPosition == 5)
    }

    @Test("an append before the wait is not forgotten; it wakes once", .timeLimit(.minutes(15)))
    func append() async {
        let signal = LogSignal()
        signal.appended()
        let clock = ContinuousClock()
        // Were it forgotten, the test would run into its limit.
        await signal.waitForAppend(timeout: .seconds(3600))
        #expect(await clock.measure { await signal.waitForAppend(timeout: .milliseconds(20)) } >= .milliseconds(20))
    }

    @Test("a wait ends with its task")
    func cancelled() async {
        let signal = LogSignal()
        let task = Task { await signal.waitForSettled(beyond: 0, timeout: .seconds(600)) }
        task.cancel()
        await task.value
    }
}
