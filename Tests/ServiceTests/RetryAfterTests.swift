import EventLog
import HTTPTypes
import Testing

@testable import Service

struct RetryAfterTests {
    @Test(arguments: [
        (-1, 1...2), (0, 1...2), (0.2, 1...2), (2.4, 3...6), (30, 30...60), (45, 30...60), (.infinity, 30...60),
    ])
    func itIsBounded(seconds: Double, range: ClosedRange<Int>) {
        #expect(RetryAfter(seconds).range == range)
    }

    @Test func clientsComeBackAtDifferentMoments() {
        let moments = Set((0..<200).map { _ in Problem.overloaded(wait: 20).headers[.retryAfter] })
        #expect(moments.count > 10)
        let away = Set((0..<200).map { _ in Problem.databaseAway.headers[.retryAfter] })
        #expect(away == ["2", "3", "4"])
    }

    @Test func whoIsTurnedAwayIsToldWhatTheOthersTake() throws {
        let slots = Slots(limit: 1, appLimit: 1)
        for _ in 0..<5 { _ = try slots.take(1) }
        let held = try slots.take(1)
        let refused = #expect(throws: Problem.self) { try slots.take(2) }
        #expect(["1", "2"].contains(refused?.headers[.retryAfter]))
        withExtendedLifetime(held) {}
    }
}
