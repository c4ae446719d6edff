import Foundation
import Testing

@testable import Simulator

/// The simulator's own calendar, zones and exponential against Foundation's.
@Suite struct CalendarTests {
    @Test func datesAgree() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for dayNumber in stride(from: -20_000, through: 60_000, by: 37) {
            let date = Date(timeIntervalSince1970: Double(dayNumber) * 86_400)
            let expected = calendar.dateComponents([.year, .month, .day, .weekday], from: date)
            let civil = CivilDate(dayNumber: dayNumber)
            #expect(civil == CivilDate(year: expected.year ?? 0, month: expected.month ?? 0, day: expected.day ?? 0))
            #expect(civil.dayNumber == dayNumber)
            #expect(CivilDate.weekday(dayNumber: dayNumber) + 1 == expected.weekday)
        }
    }

    @Test(arguments: Market.all.map(\.zone.identifier))
    func zonesAgree(identifier: String) throws {
        let zone = try #require(Market.all.first { $0.zone.identifier == identifier }).zone
        let expected = try #require(TimeZone(identifier: identifier))
        // Two years, hour by hour, past every change of the clocks.
        for hour in 0..<(2 * 8_766) {
            let seconds = 1_735_689_600 + hour * 3_600
            let offset = expected.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) / 60
            guard zone.offset(at: Int64(seconds) * 1_000_000) == offset else {
                Issue.record("\(identifier) differs at \(seconds)")
                return
            }
        }
    }

    @Test func wallClockGoesBothWays() {
        for market in Market.all {
            let instant = market.zone.instant(day: 20_400, timeOfDay: 9 * Span.hour)
            #expect(market.zone.local(instant) == (20_400, 9 * Span.hour))
        }
    }

    @Test func exponentialIsExact() {
        for power in stride(from: -30.0, through: 12, by: 0.173) {
            #expect(abs(exponential(power) / exp(power) - 1) < 1e-14)
        }
    }

    @Test func normalHasItsMoments() {
        var random = DeterministicGenerator(seed: 11)
        let draws = (0..<50_000).map { _ in random.normal() }
        let mean = draws.reduce(0, +) / Double(draws.count)
        let variance = draws.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(draws.count)
        #expect(abs(mean) < 0.02)
        #expect(abs(variance - 1) < 0.03)
    }
}
