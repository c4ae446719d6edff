import Testing

@testable import Reports

/// How a figure reads wherever people read it: in a report, a digest and an alert.
@Suite struct FigureTextTests {
    @Test(
        arguments: [
            (0, "fraction", "0.0 %"), (0.0005, "fraction", "0.05 %"), (0.0042, "fraction", "0.42 %"),
            (-0.0042, "fraction", "-0.42 %"), (0.01, "fraction", "1.0 %"), (0.1324, "fraction", "13.2 %"),
            (1, "fraction", "100.0 %"), (12.5, "fraction", "1,250.0 %"),
            (0, "seconds", "0.0 s"), (0.05, "seconds", "0.1 s"), (9.97, "seconds", "10 s"), (52.4, "seconds", "52 s"),
            (90, "seconds", "1.5 min"), (2586, "seconds", "43 min"), (7200, "seconds", "2.0 h"),
            (86_400, "seconds", "1.0 d"), (129_600, "seconds", "1.5 d"), (-5400, "seconds", "-1.5 h"),
            (0, "notifications", "0"), (999, "events", "999"), (1_234_567, "events", "1,234,567"),
            (-1000, "events", "-1,000"), (2.5, "per 1000", "2.5"), (999.96, "changes", "1,000"),
            (1_234_567.8, "changes", "1,234,567.8"), (32.65995019472881, "changes", "32.66"), (-2.346, nil, "-2.346"),
            (0.9003484857200165, "probability", "0.9003"), (0.00929830172820029, "probability", "0.009298"),
            (0.00001, "probability", "0.00001"), (0.0000001, "probability", "<0.000001"),
            (-0.0000001, nil, ">-0.000001"),
            (1e300, nil, "1e+300"), (.infinity, nil, "inf"), (.nan, "fraction", "nan %"),
        ] as [(Double, String?, String)]
    )
    func aFigureReadsBy(_ value: Double, _ unit: String?, _ text: String) {
        #expect(FigureText.value(value, unit: unit) == text)
    }

    @Test func aDifferenceIsInPointsAndHasASign() {
        for (value, text) in [
            (0.123456789, "+12.3 pp"), (0.01, "+1.0 pp"), (-0.019, "-1.9 pp"), (0, "0.0 pp"), (0.0004, "0.0 pp"),
            (-0.0004, "0.0 pp"),
        ] {
            #expect(FigureText.value(value, unit: "fraction", isDifference: true) == text)
        }
    }

    @Test func whatIsNotKnownIsADash() {
        for unit in ["fraction", "seconds", "notifications", nil] {
            #expect(FigureText.value(nil, unit: unit) == "–")
        }
    }
}
