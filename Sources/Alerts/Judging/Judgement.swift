internal import JSON

/// A cell of a day, and what a rule says of it.
public struct Judgement: Sendable {
    /// The cell.
    public let cell: AlertCell
    /// The value; nil where there is none.
    public let value: Double?
    /// What it was computed of.
    public let volume: Int64
    let devices: Int64?
    /// What is usual; nil for a rule with a bound, and while too little is known.
    let usual: Usual?
    /// Whether the cell is judged.
    public let isJudged: Bool
    /// Whether the rule's condition holds.
    public let isOut: Bool

    /// What is usual: the mean of the same weekday, and the interval of a new day.
    public var range: (mean: Double, low: Double, high: Double)? { usual.map { ($0.mean, $0.low, $0.high) } }

    /// What the rule says of the cell, in words: `alert`, `quiet` or `not judged`.
    public var verdict: String { isOut ? "alert" : isJudged ? "quiet" : "not judged" }

    func write(to json: inout JSONWriter, bound: Double?) {
        json.object { json in
            json.name("cell")
            cell.write(to: &json)
            json.field("value", value)
            json.field("volume", volume)
            json.field("devices", json: devices.map { "\($0)" })
            json.field("is_judged", isJudged)
            json.field("is_out", isOut)
            json.name("evidence")
            json.object { json in
                json.field("value", value)
                json.field("volume", volume)
                if let bound { json.field("bound", bound) }
                if let usual {
                    json.field("usual", usual.mean)
                    json.field("low", usual.low)
                    json.field("high", usual.high)
                }
            }
        }
    }
}

/// The figures of a day, of every cell of a rule's report.
struct DayFigures {
    struct Figure {
        var cell: AlertCell
        var value: Double?
        var volume: Int64
        var devices: Int64?
    }

    var figures: [Figure]
    /// Whether the column is a fraction, and whether it is a count.
    var isFraction: Bool
    var isCount: Bool
    /// Whether each cell in which something was counted has a row: none is part of the row `other`.
    var isWhole = true

    /// The greatest number of cells that a rule judges.
    static let mostCells = 200

    /// At most one false alarm in so many days of a rule, over all of its cells together.
    static let daysForOneFalseAlarm = 100.0

    /// What a rule says of each cell.
    ///
    /// - Parameters:
    ///   - past: what it judged before, at equal age.
    ///   - isInTime: whether these figures are of that age; if not they are compared with a bound only.
    func judged(
        _ condition: AlertCondition,
        leastVolume: Int64,
        past: [AlertCell: [PastFigure]],
        isInTime: Bool
    ) -> [Judgement] {
        var all = figures
        if isCount, isWhole {
            // A cell of before without a row: nothing was counted, unless it is part of the row `other`. Where nothing was in all of
            // the past either, it is gone.
            let seen = Set(all.map(\.cell))
            let missing = past.filter { cell, figures in
                !seen.contains(cell) && figures.contains { $0.volume != 0 }
            }
            all += missing.keys.sorted { $0.description < $1.description }
                .map { Figure(cell: $0, value: 0, volume: 0, devices: nil) }
        }
        // Those of the most volume, today or usually: what has fallen to nothing must not give way to what is always little.
        let usualVolumes = past.mapValues { Self.meanVolume($0) }
        let weighed = all.map { figure in
            (figure: figure, weight: max(Double(figure.volume), usualVolumes[figure.cell] ?? 0))
        }
        all = weighed.sorted { $0.weight > $1.weight }.prefix(Self.mostCells).map(\.figure)
        if let bound = condition.bound {
            return all.map { figure in
                var hasVolume = figure.volume >= leastVolume
                if isCount {
                    // A count above a bound has what it is judged by. One below is judged if it usually has enough, or is new.
                    let usually = usualVolumes[figure.cell].map { $0 >= Double(leastVolume) } ?? true
                    if case .below = condition.test { hasVolume = hasVolume || usually } else { hasVolume = true }
                }
                let isJudged = figure.value != nil && hasVolume
                var isOut = false
                if isJudged, let value = figure.value {
                    if case .below = condition.test { isOut = value < bound } else { isOut = value > bound }
                }
                return Judgement(figure, nil, isJudged: isJudged, isOut: isOut)
            }
        }
        // Of a count a day is judged that usually has enough, as one with too little may be what has fallen.
        let candidates = all.map { figure -> (figure: Figure, past: [PastFigure])? in
            let known = (past[figure.cell] ?? []).filter { isCount || $0.volume >= leastVolume }
            let hasVolume = figure.volume >= leastVolume || isCount && Self.meanVolume(known) >= Double(leastVolume)
            return isInTime && hasVolume && figure.value != nil ? (figure, known) : nil
        }
        // Every cell that could raise a false alarm has its part of the probability.
        let cells = Double(max(candidates.count { $0 != nil }, 1))
        let tail = 1 / Self.daysForOneFalseAlarm / cells / (condition.test == .changes ? 2 : 1)
        return zip(all, candidates).map { figure, candidate in
            guard let candidate, let value = figure.value,
                let usual = Usual(
                    candidate.past,
                    size: Double(figure.devices ?? figure.volume),
                    scale: Usual.Scale(isFraction: isFraction, candidate.past.compactMap(\.value) + [value]),
                    isCount: isCount,
                    tail: tail
                )
            else { return Judgement(figure, nil, isJudged: false, isOut: false) }
            let isOut =
                switch condition.test {
                case .falls: value < usual.low
                case .rises: value > usual.high
                default: value < usual.low || value > usual.high
                }
            return Judgement(figure, usual, isJudged: true, isOut: isOut)
        }
    }

    private static func meanVolume(_ past: [PastFigure]) -> Double {
        past.map { Double($0.volume) }.reduce(0, +) / Double(max(past.count, 1))
    }
}

extension Judgement {
    fileprivate init(_ figure: DayFigures.Figure, _ usual: Usual?, isJudged: Bool, isOut: Bool) {
        self.init(
            cell: figure.cell,
            value: figure.value,
            volume: figure.volume,
            devices: figure.devices,
            usual: usual,
            isJudged: isJudged,
            isOut: isOut
        )
    }
}
