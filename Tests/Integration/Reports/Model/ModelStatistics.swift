import Foundation

/// The statistics of reports, from their definitions, by plain loops.
enum ModelStatistics {
    /// The 97.5th percentile of the standard normal distribution.
    static let z = 1.959963984540054

    static func ratio(_ part: Int, _ whole: Int) -> Double? { whole == 0 ? nil : Double(part) / Double(whole) }

    /// The 95 % Wilson score interval.
    static func wilson(_ successes: Int, _ trials: Int) -> (low: Double?, high: Double?) {
        guard trials > 0 else { return (nil, nil) }
        let (n, p) = (Double(trials), Double(successes) / Double(trials))
        let centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        return (successes == 0 ? 0 : centre - half, successes == trials ? 1 : centre + half)
    }

    /// The same, of a rate.
    static func score(_ rate: Double, _ trials: Double) -> (low: Double, high: Double) {
        let centre = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
        let half = z / (1 + z * z / trials) * (rate * (1 - rate) / trials + z * z / (4 * trials * trials)).squareRoot()
        return (rate == 0 ? 0 : centre - half, rate == 1 ? 1 : centre + half)
    }

    /// Newcombe's 95 % interval of the difference of two rates, each of some trials.
    static func newcombe(_ p: Double, _ n: Double, _ q: Double, _ m: Double) -> (low: Double, high: Double) {
        let (one, other) = (score(p, n), score(q, m))
        let low = ((p - one.low) * (p - one.low) + (other.high - q) * (other.high - q)).squareRoot()
        let high = ((one.high - p) * (one.high - p) + (q - other.low) * (q - other.low)).squareRoot()
        return (p - q - low, p - q + high)
    }

    /// The two-sided p value of a standard normal number.
    static func pValue(_ z: Double) -> Double { erfc(abs(z) / 2.0.squareRoot()) }

    /// The probability that a chi-square variable exceeds a number: from one or two degrees of freedom upwards, by the
    /// recurrence that leads from each number of degrees to the next but one.
    static func chiSquareTail(_ x: Double, degrees: Int) -> Double? {
        guard degrees > 0 else { return nil }
        guard x.isFinite else { return 0 }
        let isEven = degrees % 2 == 0
        var a = isEven ? 1.0 : 0.5
        var tail = isEven ? exp(-x / 2) : erfc((x / 2).squareRoot())
        // x^a e^-x over the gamma function of a + 1.
        var step = isEven ? x / 2 * exp(-x / 2) : 2 * (x / 2 / Double.pi).squareRoot() * exp(-x / 2)
        while a < Double(degrees) / 2 {
            tail += step
            a += 1
            step *= x / 2 / a
        }
        return tail
    }

    /// Holm's correction: p values in their order, each times the number of hypotheses not yet rejected.
    static func holm(_ values: [Double]) -> [Double] {
        var corrected = values
        var largest = 0.0
        for (rank, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
            largest = max(largest, min(1, values[index] * Double(values.count - rank)))
            corrected[index] = largest
        }
        return corrected
    }
}
