import Foundation
import Testing

@testable import Alerts

/// A reproducible generator (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func normal() -> Double {
        (-2 * log(max(unit(), 1e-300))).squareRoot() * cos(2 * .pi * unit())
    }
}

/// Days of an app in which nothing changes. Devices are unlike in how often they are notified and how readily they respond, and stay
/// so; weekdays differ; some days have a campaign to a part of the devices that is unlike the others; days differ for reasons
/// that nobody knows; and what some devices report arrives late, or after the day is judged.
private struct World {
    static let categories = ["news", "offer", "chat", "order", "tip"]
    static let reported: Int = 3  // days after a day until it is judged

    private struct Device {
        var perDay: Double
        var logit: Double
        var isLate: Bool
        var inSegment: Bool
    }

    private var random: Seeded
    private let devices: [Device]
    private let weekday: [Double]

    init(seed: UInt64, devices count: Int = 400) {
        var random = Seeded(state: seed)
        devices = (0..<count).map { _ in
            let logit = -2 + 1.2 * random.normal()
            // Those who respond readily are more often in the campaigns' segment.
            return Device(
                perDay: exp(0.6 * random.normal() - 0.3),
                logit: logit,
                isLate: random.unit() < 0.2,
                inSegment: random.unit() < 1 / (1 + exp(-(logit + 2.5)))
            )
        }
        weekday = (0..<7).map { _ in 0.25 * random.normal() }
        self.random = random
    }

    /// The figures of a day as they are when it is judged.
    ///
    /// - Parameter changed: what the log-odds of responses of the first category change by.
    mutating func day(_ day: Int, changed: Double = 0) -> (rates: DayFigures, counts: DayFigures) {
        let effect = weekday[day % 7] + 0.1 * random.normal()
        let volume = exp(0.5 * weekday[(day + 3) % 7] + 0.05 * random.normal())
        let hasCampaign = random.unit() < 0.12
        var reached = Self.categories.map { _ in 0 }
        var responded = reached
        var seen = reached
        for device in devices {
            var counts = Self.categories.map { _ in 0 }
            for category in counts.indices {
                let mean = device.perDay * volume / Double(category + 1)
                // Poisson by products of uniforms.
                var product = random.unit()
                while product > exp(-mean) {
                    counts[category] += 1
                    product *= random.unit()
                }
            }
            if hasCampaign, device.inSegment { counts[1] += 1 }
            // A late device reports after two days on average, all of its day together.
            guard !device.isLate || -2 * log(max(random.unit(), 1e-300)) < Double(Self.reported) else { continue }
            for category in counts.indices where counts[category] > 0 {
                seen[category] += 1
                reached[category] += counts[category]
                let odds = exp(device.logit + effect + (category == 0 ? changed : 0))
                for _ in 0..<counts[category] where random.unit() < odds / (1 + odds) { responded[category] += 1 }
            }
        }
        func figures(_ value: (Int) -> Double?, isCount: Bool) -> DayFigures {
            DayFigures(
                figures: Self.categories.indices.map { index in
                    DayFigures.Figure(
                        cell: AlertCell(["category": .text(Self.categories[index])]),
                        value: value(index),
                        volume: Int64(reached[index]),
                        devices: Int64(seen[index])
                    )
                },
                isFraction: !isCount,
                isCount: isCount
            )
        }
        return (
            figures({ reached[$0] > 0 ? Double(responded[$0]) / Double(reached[$0]) : nil }, isCount: false),
            figures({ Double(reached[$0]) }, isCount: true)
        )
    }
}

/// A rule as the service applies it day by day.
private struct Applied {
    let condition: AlertCondition
    private var past: [AlertCell: [(day: Int, figure: PastFigure)]] = [:]
    private(set) var open: Set<AlertCell> = []
    private(set) var judgedDays = 0
    private(set) var alarmDays = 0

    init(_ condition: String) throws {
        self.condition = try #require(AlertCondition(condition))
    }

    mutating func judge(_ figures: DayFigures, day: Int) {
        let known = past.mapValues { list in
            list.filter { day - $0.day <= 56 }.map { day, figure in
                var figure = figure
                figure.daysBefore = self.today - day
                return figure
            }
        }
        let cells = figures.judged(condition, leastVolume: 50, past: known, isInTime: true)
        if cells.contains(where: \.isJudged) { judgedDays += 1 }
        var isNew = false
        for cell in cells {
            past[cell.cell, default: []].append(
                (
                    day,
                    PastFigure(
                        daysBefore: 0,
                        value: cell.value,
                        volume: cell.volume,
                        devices: cell.devices,
                        isUsual: !cell.isOut
                    )
                )
            )
            if cell.isOut {
                if open.insert(cell.cell).inserted { isNew = true }
            } else if cell.isJudged, open.remove(cell.cell) != nil {
                // What is over belongs to what days are like.
                for index in past[cell.cell, default: []].indices { past[cell.cell]?[index].figure.isUsual = true }
            }
        }
        if isNew { alarmDays += 1 }
        today = day + 1
    }

    private var today = 0
}

@Suite("Alerts: what is usual")
struct NullWorldTests {
    private static let days = 160

    @Test("where nothing changes, at most one day of a rule in a hundred raises an alert", .timeLimit(.minutes(5)))
    func falseAlarms() async throws {
        let conditions = ["engagement_rate falls", "engagement_rate changes", "reached changes"]
        let counts = try await withThrowingTaskGroup(of: [(Int, Int)].self) { group in
            for seed in 1...24 {
                group.addTask {
                    var world = World(seed: UInt64(seed))
                    var rules = try conditions.map { try Applied($0) }
                    for day in 0..<Self.days {
                        let (rates, counts) = world.day(day)
                        for index in rules.indices { rules[index].judge(index < 2 ? rates : counts, day: day) }
                    }
                    return rules.map { ($0.judgedDays, $0.alarmDays) }
                }
            }
            return try await group.reduce(into: [[(Int, Int)]]()) { $0.append($1) }
        }
        for (index, condition) in conditions.enumerated() {
            let judged = counts.map { $0[index].0 }.reduce(0, +)
            let alarms = counts.map { $0[index].1 }.reduce(0, +)
            #expect(judged > 2500, "\(condition)")
            #expect(Double(alarms) <= 0.01 * Double(judged), "\(condition): \(alarms) of \(judged) days")
        }
    }

    @Test("where responses of a category fall by half, its alert is raised within a week")
    func power() throws {
        var found = 0
        for seed in 101...106 {
            var world = World(seed: UInt64(seed), devices: 1000)
            var rule = try Applied("engagement_rate falls")
            for day in 0..<56 { rule.judge(world.day(day).rates, day: day) }
            var isRaised = false
            for day in 56..<63 {
                rule.judge(world.day(day, changed: -0.9).rates, day: day)
                isRaised = isRaised || rule.open.contains(AlertCell(["category": .text("news")]))
            }
            if isRaised { found += 1 }
        }
        #expect(found >= 5, "\(found) of 6")
    }

    @Test("nothing is judged before it is known what is usual, of too little, late, or of a column without a value")
    func unknown() throws {
        let cell = AlertCell(["category": .text("news")])
        let rule = try #require(AlertCondition("engagement_rate falls"))
        func judgement(_ days: Int, volume: Int64 = 100, value: Double? = 0.01, inTime: Bool = true) throws -> Judgement
        {
            let past = (1...days).map {
                PastFigure(daysBefore: $0, value: 0.3 + 0.001 * Double($0 % 5), volume: 100, devices: 90)
            }
            let figures = DayFigures(
                figures: [.init(cell: cell, value: value, volume: volume, devices: 90)],
                isFraction: true,
                isCount: false
            )
            return try #require(figures.judged(rule, leastVolume: 50, past: [cell: past], isInTime: inTime).first)
        }
        #expect(try judgement(21).isOut)
        #expect(try !judgement(20).isJudged)
        #expect(try !judgement(21, volume: 49).isJudged)
        #expect(try !judgement(21, value: nil).isJudged)
        #expect(try !judgement(21, inTime: false).isJudged)
        #expect(try !judgement(21, value: 0.3).isOut)
        #expect(try !judgement(21, value: 0.9).isOut)
    }

    @Test("a count that stops is judged although it has no row")
    func stopped() throws {
        let cell = AlertCell(["category": .text("news")])
        let past = (1...28).map { PastFigure(daysBefore: $0, value: Double(500 + $0 % 3), volume: 500, devices: nil) }
        let figures = DayFigures(figures: [], isFraction: false, isCount: true)
        let falls = try #require(AlertCondition("reached falls"))
        let judged = figures.judged(falls, leastVolume: 50, past: [cell: past], isInTime: true)
        #expect(judged.map(\.isOut) == [true])
        let below = try #require(AlertCondition("reached < 10"))
        #expect(figures.judged(below, leastVolume: 50, past: [cell: past], isInTime: false).map(\.isOut) == [true])
    }

    @Test("a cell in which nothing was counted for eight weeks is gone")
    func goneCells() throws {
        let past = (1...56).map { PastFigure(daysBefore: $0, value: 0, volume: 0, devices: nil) }
        let figures = DayFigures(figures: [], isFraction: false, isCount: true)
        for text in ["reached < 10", "reached falls"] {
            let condition = try #require(AlertCondition(text))
            let cell = AlertCell(["category": .text("news")])
            #expect(figures.judged(condition, leastVolume: 0, past: [cell: past], isInTime: true).isEmpty)
        }
    }

    @Test("of more cells than are judged, one that has fallen to nothing goes before those that always have little")
    func fallenAmongMany() throws {
        let fallen = AlertCell(["category": .text("zz")])
        let usual = (1...28).map { PastFigure(daysBefore: $0, value: Double(500 + $0 % 3), volume: 500, devices: nil) }
        let figures = DayFigures(
            figures: (0..<DayFigures.mostCells).map { index in
                DayFigures.Figure(cell: AlertCell(["category": .text("\(index)")]), value: 1, volume: 1, devices: nil)
            },
            isFraction: false,
            isCount: true
        )
        for text in ["reached < 10", "reached falls"] {
            let condition = try #require(AlertCondition(text))
            let judged = figures.judged(condition, leastVolume: 50, past: [fallen: usual], isInTime: true)
            #expect(judged.count == DayFigures.mostCells && judged.first?.cell == fallen)
            #expect(judged.first?.isOut == true)
        }
    }

    @Test("of a day, 200 rows are judged: those of the most volume, that day or usually")
    func mostRows() throws {
        let cells = (0..<500).map { AlertCell(["category": .text("\($0)")]) }
        // The first one has the least volume of the day, and usually the most.
        let figures = DayFigures(
            figures: cells.indices.map { index in
                DayFigures.Figure(cell: cells[index], value: Double(index + 1), volume: Int64(index + 1), devices: nil)
            },
            isFraction: false,
            isCount: true
        )
        let usual = (1...28).map { PastFigure(daysBefore: $0, value: 1000, volume: 1000, devices: nil) }
        let condition = try #require(AlertCondition("reached > 0"))
        let judged = figures.judged(condition, leastVolume: 0, past: [cells[0]: usual], isInTime: true)
        #expect(judged.count == 200 && judged.allSatisfy(\.isOut))
        #expect(Set(judged.map(\.cell)) == Set([cells[0]] + cells.suffix(199)))
    }

    @Test("a count below a bound is judged if it has the volume, or usually has, or is new; one above it always")
    func boundsOfCounts() throws {
        let cell = AlertCell(["category": .text("news")])
        func isOut(_ text: String, _ value: Int64, usually: Int64?) throws -> Bool {
            let figures = DayFigures(
                figures: [.init(cell: cell, value: Double(value), volume: value, devices: nil)],
                isFraction: false,
                isCount: true
            )
            let past = usually.map { volume in
                (1...7).map { PastFigure(daysBefore: $0, value: Double(volume), volume: volume, devices: nil) }
            }
            let known = past.map { [cell: $0] } ?? [:]
            let condition = try #require(AlertCondition(text))
            let judged = figures.judged(condition, leastVolume: 50, past: known, isInTime: true)
            return try #require(judged.first).isOut
        }
        #expect(try !isOut("reached < 100", 3, usually: 5))
        #expect(try isOut("reached < 100", 60, usually: 5))
        #expect(try isOut("reached < 100", 3, usually: 500))
        #expect(try isOut("reached < 100", 3, usually: nil))
        #expect(try isOut("reached > 1", 3, usually: 1))
    }
}
