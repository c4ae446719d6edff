import Testing

@testable import Postgres

@Suite("Text of binary values")
struct BinaryTextTests {
    @Test(
        "dates",
        arguments: [
            (0, "1970-01-01"), (-1, "1969-12-31"), (59, "1970-03-01"), (11_016, "2000-02-29"), (19_782, "2024-02-29"),
            (20_089, "2025-01-01"), (-719_162, "0001-01-01"),
        ]
    )
    func dates(days: Int64, text: String) {
        #expect(BinaryText.date(daysSince1970: days) == text)
    }

    @Test(
        "times",
        arguments: [
            (0, "1970-01-01T00:00:00.000000"), (-1, "1969-12-31T23:59:59.999999"),
            (1_767_225_599_123_456, "2025-12-31T23:59:59.123456"), (Int64.max, "infinity"),
        ] as [(Int64, String)]
    )
    func times(microseconds: Int64, text: String) {
        #expect(BinaryText.time(microseconds: microseconds) == text)
    }
}
