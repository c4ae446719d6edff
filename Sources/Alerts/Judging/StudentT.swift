internal import Foundation

/// Student's t-distribution.
enum StudentT {
    /// The probability of a value above `t`, with so many degrees of freedom.
    static func upperTail(_ t: Double, degrees: Double) -> Double {
        let half = regularised(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
        return t >= 0 ? half : 1 - half
    }

    /// The value above which lies a probability of at most a half.
    static func quantile(upperTail probability: Double, degrees: Double) -> Double {
        var (low, high) = (0.0, 2.0)
        while upperTail(high, degrees: degrees) > probability, high < 1e12 { high *= 2 }
        for _ in 0..<80 {
            let middle = (low + high) / 2
            if upperTail(middle, degrees: degrees) > probability { low = middle } else { high = middle }
        }
        return high
    }

    /// The regularised incomplete beta function, by its continued fraction (DLMF 8.17.22).
    private static func regularised(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
        // Where both sides are equal, each would leave it to the other.
        guard x <= (a + 1) / (a + b + 2) else { return 1 - regularised(1 - x, b, a) }
        let front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
        // Lentz's method.
        let tiny = 1e-300
        var c = 1.0
        var d = 1 - (a + b) * x / (a + 1)
        d = 1 / (abs(d) < tiny ? tiny : d)
        var fraction = d
        for step in 1...300 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            d = 1 + even * d
            c = 1 + even / c
            d = 1 / (abs(d) < tiny ? tiny : d)
            c = abs(c) < tiny ? tiny : c
            fraction *= d * c
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            d = 1 + odd * d
            c = 1 + odd / c
            d = 1 / (abs(d) < tiny ? tiny : d)
            c = abs(c) < tiny ? tiny : c
            let change = d * c
            fraction *= change
            if abs(change - 1) < 1e-14 { break }
        }
        return front * fraction
    }
}
