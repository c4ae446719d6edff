import Testing

@testable import Alerts

@Suite("Alerts: what people write")
struct RuleTests {
    @Test(
        "conditions are read as they are written",
        arguments: [
            ("engagement_rate falls", "engagement_rate falls"), ("reached < 1000", "reached < 1000"),
            ("reached  >  1e3", "reached > 1000"), ("rate < 0.5", "rate < 0.5"), ("p50 changes", "p50 changes"),
            ("x rises", "x rises"),
        ]
    )
    func conditions(_ text: String, _ shown: String) throws {
        #expect(try #require(AlertCondition(text)).description == shown)
    }

    @Test(
        "what is no condition is refused",
        arguments: ["", "falls", "x", "x drops", "x <", "x < many", "x < nan", "x = 1"]
    )
    func noConditions(_ text: String) {
        #expect(AlertCondition(text) == nil)
    }
}
