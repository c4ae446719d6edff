extension DeterministicGenerator {
    /// Evenly from 0 up to, not including, 1.
    mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    mutating func chance(_ probability: Double) -> Bool {
        unit() < probability
    }

    /// Evenly from 0 up to, not including, `bound`, which is above 0.
    mutating func below(_ bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Evenly from `low` up to, not including, `high`, which is above `low`.
    mutating func between(_ low: Int64, _ high: Int64) -> Int64 {
        low + Int64(next().multipliedFullWidth(by: UInt64(high - low)).high)
    }

    /// An index, each as often as its weight says.
    mutating func index(weights: [Int]) -> Int {
        var rest = below(max(1, weights.reduce(0, +)))
        for (index, weight) in weights.enumerated() {
            rest -= weight
            if rest < 0 { return index }
        }
        return weights.count - 1
    }

    /// Nearly standard normal: the sum of twelve even numbers, which needs no logarithm or cosine of the machine's own.
    mutating func normal() -> Double {
        var sum = 0
        for _ in 0..<3 {
            let bits = next()
            sum += Int(bits & 0xFFFF) + Int(bits >> 16 & 0xFFFF) + Int(bits >> 32 & 0xFFFF) + Int(bits >> 48)
        }
        return (Double(sum) + 6) * 0x1p-16 - 6
    }

    mutating func logNormal(median: Double, sigma: Double) -> Double {
        median * exponential(sigma * normal())
    }

    mutating func poisson(mean: Double) -> Int {
        let limit = exponential(-min(mean, 50))
        var count = 0
        var product = unit()
        while product > limit {
            count += 1
            product *= unit()
        }
        return count
    }
}

/// e to the power of `power`, by additions and multiplications alone: the C library's may differ in the last bit from one
/// machine to the next, and then the bytes would.
func exponential(_ power: Double) -> Double {
    let whole = (power * 1.442695040888963407).rounded(.toNearestOrEven)
    let rest = power - whole * 0.693147180559945309
    var term = 1.0
    var sum = 1.0
    for index in 1...14 {
        term *= rest / Double(index)
        sum += term
    }
    return sum * Double(sign: .plus, exponent: Int(max(-1_000, min(1_000, whole))), significand: 1)
}
