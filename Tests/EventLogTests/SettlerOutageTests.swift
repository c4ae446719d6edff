import Postgres
import Testing

@testable import EventLog

@Suite("Settler: what is told of an outage")
struct SettlerOutageTests {
    @Test("its beginning, another cause, and its end, each once")
    func told() {
        var outage = SettlerOutage()
        let start = ContinuousClock.now
        let denied = PostgresError(unexpected: "permission denied")
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
