import Pacing
import Testing

@Suite("Drain rate")
struct DrainRateTests {
    @Test(
        "how long work takes follows from the rate of the last seconds, and from the standstill where nothing is done"
    )
    func rate() {
        let start = ContinuousClock.now
        var rate = DrainRate()
        #expect(rate.seconds(for: 1000, now: start) == 1, "nobody knows")
        for second in 0..<20 { rate.done(100, now: start + .seconds(second)) }
        let at = start + .seconds(20)
        #expect(abs(rate.seconds(for: 1000, now: at) - 10) < 2.5)
        // Nothing is done any more: as long as it has stood still.
        #expect(abs(rate.seconds(for: 1, now: at + .seconds(29)) - 30) < 0.1)
        rate.done(1000, now: at + .seconds(30))
        #expect(rate.seconds(for: 1000, now: at + .seconds(30)) < 10)
    }
}
