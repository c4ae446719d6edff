import Pacing
import Testing

@Suite("Backoff")
struct BackoffTests {
    @Test("pauses grow to their limit and start over")
    func backoff() {
        var backoff = Backoff(first: .milliseconds(100), longest: .milliseconds(350))
        let pauses = (0..<4).map { _ in backoff.next() }
        #expect((Duration.milliseconds(50)...(.milliseconds(100))).contains(pauses[0]))
        #expect((Duration.milliseconds(100)...(.milliseconds(200))).contains(pauses[1]))
        #expect((Duration.milliseconds(175)...(.milliseconds(350))).contains(pauses[3]))
        backoff.reset()
        #expect(backoff.next() <= .milliseconds(100))
    }
}
