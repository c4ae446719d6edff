import NotificationEvents
import Testing

@Suite("Times as RFC 3339")
struct TimestampTests {
    @Test(
        "are read with their offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("1970-01-01T00:00:00.000001Z", 1, 0),
            ("1969-12-31T23:59:59.999999Z", -1, 0),
            ("2026-03-01T09:30:00.25+01:00", 1_772_353_800_250_000, 60),
            ("2026-03-01T09:30:00-03:30", 1_772_370_000_000_000, -210),
            ("2024-02-29T00:00:00z", 1_709_164_800_000_000, 0),
            ("2000-02-29t12:00:00-00:00", 951_825_600_000_000, 0),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000, 0),
            ("2017-01-01T08:59:60+09:00", 1_483_228_800_000_000, 540),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000, 0),
            ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999, 0),
        ]
    )
    func read(text: String, microseconds: Int64, offset: Int16) throws {
        let zoned = try #require(Timestamp.parse(text))
        #expect(zoned.timestamp.microseconds == microseconds)
        #expect(zoned.utcOffsetMinutes == offset)
    }

    @Test(
        "are refused in any other form",
        arguments: [
            "", "yesterday", "2026-03-01", "2026-03-01T09:30:00", "2026-03-01 09:30:00Z", "2026-03-01T09:30Z",
            "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-10T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z", "2026-01-01T00:00:60Z", "2016-12-31T23:59:60.5Z", "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.1234567Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00.5", "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00", "２026-01-01T00:00:00Z", "+2026-01-01T00:00:00Z",
        ]
    )
    func refuse(text: String) {
        #expect(Timestamp.parse(text) == nil)
    }

    @Test("are written in UTC with microseconds, and read back as the same moment")
    func roundTrip() throws {
        #expect(Timestamp(seconds: 1_772_353_800).description == "2026-03-01T08:30:00.000000Z")
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let range = Timestamp.earliest.microseconds...Timestamp.latest.microseconds
            let moment = Timestamp(microseconds: Int64.random(in: range, using: &generator))
            #expect(try #require(Timestamp.parse(moment.description)).timestamp == moment)
        }
    }

    @Test("count every day of 400 years once")
    func days() throws {
        var expected = Int64(-62_135_596_800)
        for year in 1...400 {
            for month in 1...12 {
                for day in 1...31 {
                    let text =
                        String("000\(year)".suffix(4)) + "-" + String("0\(month)".suffix(2)) + "-"
                        + String("0\(day)".suffix(2))
                    guard let zoned = Timestamp.parse(text + "T00:00:00Z") else { continue }
                    #expect(zoned.timestamp == Timestamp(seconds: expected))
                    expected += 86_400
                }
            }
        }
        #expect(expected == -62_135_596_800 + 146_097 * 86_400)
    }

    @Test("stay within the years 1 to 9999 when moved")
    func advance() {
        #expect(Timestamp(seconds: 0).advanced(byMicroseconds: .max) == .latest)
        #expect(Timestamp(seconds: 0).advanced(byMicroseconds: .min) == .earliest)
        #expect(Timestamp(seconds: 5).advanced(byMicroseconds: -5_000_000) == Timestamp(seconds: 0))
    }

    @Test(
        "a day so many days after another",
        arguments: [
            ("2026-03-01", -1, "2026-02-28"), ("2024-02-28", 1, "2024-02-29"), ("2026-12-31", 1, "2027-01-01"),
            ("2026-11-26", 0, "2026-11-26"),
            ("2026-02-30", 1, nil), ("26-03-01", 1, nil), ("", 1, nil),
        ] as [(String, Int, String?)]
    )
    func days(day: String, days: Int, expected: String?) {
        #expect(Timestamp.day(day, plus: days) == expected)
    }
}
