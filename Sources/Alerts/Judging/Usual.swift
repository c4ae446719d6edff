internal import Foundation

/// A figure that was judged before, at the same age.
struct PastFigure: Sendable {
    /// How many days before the day that is judged.
    var daysBefore: Int
    /// The value; nil where there was none.
    var value: Double?
    /// What it was computed of.
    var volume: Int64
    /// The devices that it is of; nil where the report does not say.
    var devices: Int64?
    /// Whether it counts as usual: judged in time, and not out of the usual itself.
    var isUsual = true
}

/// What is usual of a cell on a weekday, and the interval in which a new day of that weekday lies unless something changed.
///
/// The interval is a prediction interval of Student's t. Its variance is how days differed from the mean of their weekday, over
/// all weekdays. Days differ because devices do, because a device's notifications go together, because campaigns reach others
/// than usual, and by chance: the variance has all of these, and assumes of none how large it is. It takes two forms, of which
/// the larger counts: the same on every day, and in proportion to one over the devices of the day. Days are not normal in their
/// tails (a campaign is a rare day), so a day also lies inside where some earlier day was as far from what the others predicted.
struct Usual: Sendable, Equatable {
    /// The mean of the same weekday.
    var mean: Double
    /// The lower end.
    var low: Double
    /// The upper end.
    var high: Double

    /// Same weekdays before a cell is judged, and differences from their means.
    static let leastSameDays = 3
    static let leastDegrees = 6

    /// Which values are compared.
    enum Scale {
        /// Shares: the arcsine of their root, whose variance does not depend on the share
        case share
        /// Counts and durations: by ratio
        case ratio
        /// What can be negative: as it is
        case plain

        /// - Parameter isFraction: whether the column's unit is a fraction.
        init(isFraction: Bool, _ values: [Double]) {
            if isFraction, values.allSatisfy({ (0...1).contains($0) }) {
                self = .share
            } else {
                self = values.allSatisfy { $0 >= 0 } ? .ratio : .plain
            }
        }

        func scaled(_ value: Double) -> Double {
            switch self {
            case .share: asin(value.squareRoot())
            case .ratio: log1p(value)
            case .plain: value
            }
        }

        func value(_ scaled: Double) -> Double {
            switch self {
            case .share: pow(sin(min(max(scaled, 0), .pi / 2)), 2)
            case .ratio: max(expm1(scaled), 0)
            case .plain: scaled
            }
        }

        /// The variance that chance alone gives a value: of a share of so many, of a count; never less, though all days were alike.
        func leastVariance(mean: Double, size: Double, isCount: Bool) -> Double {
            switch self {
            case .share: 0.25 / max(size, 1)
            case .ratio where isCount: 1 / max(value(mean), 1)
            default: 0
            }
        }
    }

    /// - Parameters:
    ///   - past: the figures of the cell.
    ///   - size: the devices of the new day, or its volume.
    ///   - scale: which values are compared.
    ///   - isCount: whether the values are counts.
    ///   - tail: the probability that a day lies outside on one side although nothing changed.
    /// - Returns: nil if too little is known.
    init?(_ past: [PastFigure], size: Double, scale: Scale, isCount: Bool, tail: Double) {
        var weekdays: [Int: [(value: Double, size: Double)]] = [:]
        for figure in past {
            guard figure.isUsual, let value = figure.value else { continue }
            weekdays[figure.daysBefore % 7, default: []].append(
                (scale.scaled(value), max(Double(figure.devices ?? figure.volume), 1))
            )
        }
        guard let same = weekdays[0], same.count >= Self.leastSameDays else { return nil }
        var (degrees, squares, weighted, furthest) = (0, 0.0, 0.0, 0.0)
        for days in weekdays.values where days.count > 1 {
            let mean = days.map(\.value).reduce(0, +) / Double(days.count)
            degrees += days.count - 1
            for day in days {
                let difference = day.value - mean
                squares += difference * difference
                weighted += difference * difference * day.size
                // How far it was from what the other days of its weekday predicted.
                furthest = max(furthest, abs(difference) * Double(days.count) / Double(days.count - 1))
            }
        }
        guard degrees >= Self.leastDegrees else { return nil }
        let middle = same.map(\.value).reduce(0, +) / Double(same.count)
        let variance = max(
            squares / Double(degrees),
            weighted / Double(degrees) / max(size, 1),
            scale.leastVariance(mean: middle, size: size, isCount: isCount)
        )
        guard variance > 0 else { return nil }
        let deviation = (variance * (1 + 1 / Double(same.count))).squareRoot()
        let half = max(StudentT.quantile(upperTail: tail, degrees: Double(degrees)) * deviation, furthest)
        mean = scale.value(middle)
        low = scale.value(middle - half)
        high = scale.value(middle + half)
    }
}
