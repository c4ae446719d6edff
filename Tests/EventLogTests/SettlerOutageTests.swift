import Postgres
import Testing

@testable import EventLog

@Suite("Settler: what is told of an outage")
struct SettlerOutageTests {
    @Test("its beginning, another cause, and its end, each once")
    func told() {
        var outage = SettlerOutage()
        let start = ContinuousClock.now
        var denied = PostgresError(unexpected: "permission denied")
        denied.sqlState = "42501"
        let lost = PostgresError(unexpected: "the connection was lost")
        let before = outage.ended(at: start)
        let told = [denied, denied, lost, denied].enumerated().map { second, error in
            outage.failed(error, at: start + .seconds(second))
        }
        let length = outage.ended(at: start + .seconds(4))
        let after = outage.ended(at: start + .seconds(5))
        let again = outage.failed(denied, at: start + .seconds(6))
        #expect(before == nil && after == nil)
        #expect(told == [true, false, true, true])
        #expect(length == .seconds(4))
        #expect(again)
    }

    @Test("the same cause in other words is not told again")
    func otherWords() {
        var outage = SettlerOutage()
        func full(_ words: String, _ sqlState: String = "53100") -> PostgresError {
            var error = PostgresError(unexpected: words)
            error.sqlState = sqlState
            return error
        }
        let errors: [any Error] = [
            full("could not extend file 1: no space left"), full("could not extend file 2: no space left"),
            full("could not extend file 2: no space left", "53200"), CancellationError(), CancellationError(),
        ]
        let told = errors.map { outage.failed($0) }
        #expect(told == [true, false, true, true, false])
    }

    @Test("that this login lacks the right is not over because another service settles")
    func leftToOthers() {
        var outage = SettlerOutage()
        var denied = PostgresError(unexpected: "permission denied")
        denied.sqlState = "42501"
        let lost = PostgresError(unexpected: "the connection was lost")
        let states = [lost, denied, lost].map { error in
            _ = outage.failed(error)
            return outage.isLeftToOthers
        }
        _ = outage.failed(denied)
        _ = outage.ended()
        #expect(states == [false, true, false])
        #expect(!outage.isLeftToOthers)
    }
}
