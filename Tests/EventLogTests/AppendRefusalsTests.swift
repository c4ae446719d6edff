import Postgres
import Testing

@testable import EventLog

@Suite("Append: what PostgreSQL refused")
struct AppendRefusalsTests {
    @Test("a refusal counts until events are stored, and without events for a minute")
    func lifetime() {
        let refusals = AppendRefusals()
        let start = ContinuousClock.now
        #expect(refusals.current(at: start) == nil)
        refusals.note(.diskFull, at: start)
        #expect(refusals.current(at: start + .seconds(59)) == .diskFull)
        #expect(refusals.current(at: start + .seconds(60)) == nil)
        refusals.note(.readOnly, at: start + .seconds(59))
        #expect(refusals.current(at: start + .seconds(60)) == .readOnly)
        refusals.clear()
        #expect(refusals.current(at: start + .seconds(60)) == nil)
    }
}
