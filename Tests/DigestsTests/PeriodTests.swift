import NotificationEvents
import Testing

@testable import Digests

@Suite("Digests: when, and what is compared")
struct PeriodTests {
    @Test(
        "a name that no view has is refused",
        arguments: [String(repeating: "x", count: 101), "a\0b"]
    )
    func noViews(_ name: String) throws {
        let schedule = try DigestSchedule(every: "day", weekday: nil, at: nil)
        #expect(throws: DigestError.self) {
            try WantedDigest(view: name, schedule: schedule, mail: "a@example.com")
        }
    }

    @Test("a schedule is each day or a weekday at a time of day")
    func schedules() throws {
        #expect(try DigestSchedule(every: "week", weekday: nil, at: nil).description == "each monday at 08:00")
        let friday = try DigestSchedule(every: "week", weekday: "friday", at: "23:59")
        #expect(friday.weekday == 5 && friday.isWeekly && friday.weekdayName == "friday")
        let daily = try DigestSchedule(every: "day", weekday: nil, at: "00:00")
        #expect(daily.weekday == nil && daily.every == "day")
    }

    @Test(
        "what is no schedule is refused",
        arguments: [
            ("month", nil, nil), ("day", "monday", nil), ("week", "Montag", nil), ("week", nil, "8:00"),
            ("day", nil, "24:00"), ("day", nil, "08:60"), ("day", nil, "08:00\n"),
        ] as [(String, String?, String?)]
    )
    func noSchedules(_ every: String, _ weekday: String?, _ at: String?) {
        #expect(throws: DigestError.self) { try DigestSchedule(every: every, weekday: weekday, at: at) }
    }

    @Test("an address ends no line of a mail")
    func addresses() throws {
        let daily = try DigestSchedule(every: "day", weekday: nil, at: nil)
        for mail in ["ops", "a@b\r\nRCPT TO:<c@d>", "https://example.com/", ""] {
            #expect(throws: DigestError.self) { try WantedDigest(view: "v", schedule: daily, mail: mail) }
        }
        #expect(
            try WantedDigest(view: "v", schedule: daily, mail: "a.b+c@example.com").receiver
                == "mailto:a.b+c@example.com"
        )
    }

    private func period(age: Int64, mature: Bool = false, isWeekly: Bool = false) throws -> DigestPeriod {
        let moment = try #require(Timestamp.parse("2026-03-01T06:00:00Z")).timestamp
        return DigestPeriod(
            isWeekly: isWeekly,
            from: "2026-03-02",
            to: isWeekly ? "2026-03-09" : "2026-03-03",
            before: isWeekly ? "2026-02-23" : "2026-03-01",
            matureTo: mature ? moment : nil,
            matureBeforeTo: mature ? moment.advanced(byMicroseconds: -7 * 86_400_000_000) : nil,
            ageSeconds: age
        )
    }

    @Test("all of a period is compared once its time to respond is over, before that what is of equal age")
    func equalAges() throws {
        #expect(try period(age: 28_800).equalAge(windowSeconds: nil) == .whole)
        #expect(try period(age: 3600).equalAge(windowSeconds: 3600) == .whole)
        let cut = try period(age: 28_800, mature: true)
        let (matureTo, matureBeforeTo) = (try #require(cut.matureTo), try #require(cut.matureBeforeTo))
        #expect(cut.equalAge(windowSeconds: 259_200) == .until(matureTo, matureBeforeTo))
        #expect(try period(age: 28_800).equalAge(windowSeconds: 259_200) == .within("PT6H"))
        #expect(try period(age: 3600).equalAge(windowSeconds: 259_200) == .within("PT1H"))
        #expect(try period(age: 3599).equalAge(windowSeconds: 259_200) == .nowhere)
        #expect(try period(age: 90_000).equalAge(windowSeconds: 604_800) == .within("P1D"))
    }

    @Test("a chart ends with the period, over ends of months")
    func charts() throws {
        let days = try period(age: 0).chartDays
        #expect(days.count == 14 && days.first == "2026-02-17" && days.last == "2026-03-02")
        let weeks = try period(age: 0, isWeekly: true).chartDays
        #expect(weeks.count == 8 && weeks.first == "2026-01-12" && weeks.last == "2026-03-02")
    }
}
