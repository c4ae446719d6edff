import Testing

@testable import Alerts

@Suite("Alerts: Student's t")
struct StudentTTests {
    @Test(
        "quantiles are those of tables",
        arguments: [
            (0.05, 6.0, 1.943180), (0.01, 14.0, 2.624494), (0.0005, 10.0, 4.586894), (0.005, 120.0, 2.617421),
            (0.025, 1.0, 12.706205),
        ]
    )
    func quantiles(_ tail: Double, _ degrees: Double, _ expected: Double) {
        #expect(abs(StudentT.quantile(upperTail: tail, degrees: degrees) - expected) < 1e-5)
        #expect(abs(StudentT.upperTail(expected, degrees: degrees) - tail) < 1e-6)
        #expect(abs(StudentT.upperTail(-expected, degrees: degrees) - (1 - tail)) < 1e-6)
    }
}
