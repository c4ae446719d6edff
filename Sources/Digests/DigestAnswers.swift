internal import EventLog
internal import NotificationEvents
internal import Reports

/// Asks a view's report of a period and of the one before, and notes of when the answers are.
struct DigestAnswers {
    /// The answers of both periods, and those at equal age.
    struct Compared {
        var now: ReportResult
        var before: ReportResult
        /// Nil where nothing is of equal age.
        var aged: (now: ReportResult, before: ReportResult)?
        var isWindowed: Bool
        /// Whether all of it is of some campaigns.
        var isOfCampaigns = false
    }

    private let runner: ReportRunner
    private let app: String
    private let question: DigestQuestion
    private let definition: ReportDefinition
    private let period: DigestPeriod
    let equalAge: EqualAge
    /// Of when the oldest of the answers is.
    private(set) var asOf: ReportResult.AsOf?
    /// The greatest lag of the answers.
    private(set) var lagSeconds = 0.0

    init(
        _ runner: ReportRunner,
        app: String,
        _ question: DigestQuestion,
        _ definition: ReportDefinition,
        _ period: DigestPeriod,
        _ equalAge: EqualAge
    ) {
        self.runner = runner
        self.app = app
        self.question = question
        self.definition = definition
        self.period = period
        self.equalAge = equalAge
    }

    /// How many keys of a report have rows: of the period those that are shown, of the one before all in which they may be found.
    private static let keys = (shown: "10", sought: "1000")

    /// Asks of both periods.
    ///
    /// - Parameter changes: parameters in place of the view's.
    mutating func compared(_ changes: [(String, String)]) async throws -> Compared {
        let limit = { [definition] (count: String) -> [(String, String)] in
            definition.isBounded ? [("limit", count)] : []
        }
        let (shown, sought) = (changes + limit(Self.keys.shown), changes + limit(Self.keys.sought))
        let now = try await ask(shown, period.from, period.to)
        let before = try await ask(sought, period.before, period.from)
        let aged: (now: ReportResult, before: ReportResult)?
        switch equalAge {
        case .whole: aged = (now, before)
        case .until(let end, let endBefore):
            aged = (
                try await ask(sought, period.from, end.description),
                try await ask(sought, period.before, endBefore.description)
            )
        case .within(let window):
            let shorter = sought + [("window", window)]
            aged = (
                try await ask(shorter, period.from, period.to), try await ask(shorter, period.before, period.from)
            )
        case .nowhere: aged = nil
        }
        return Compared(
            now: now,
            before: before,
            aged: aged,
            isWindowed: definition.parameter("window") != nil,
            isOfCampaigns: question.isOfCampaigns
        )
    }

    /// How the first figure went over some days or weeks; nil where the report is not of those.
    ///
    /// - Parameters:
    ///   - changes: parameters in place of the view's.
    ///   - keys: whose lines are drawn; an empty one is of everything together.
    ///   - answer: whose first figure it is.
    ///   - by: the parameter of dimensions, if the report has one.
    mutating func chart(
        _ changes: [(String, String)],
        of keys: [[String?]],
        _ answer: Compared,
        _ by: String?
    ) async throws -> DigestMessage.Chart? {
        let interval = period.isWeekly ? "week" : "day"
        let days = period.chartDays
        guard let column = answer.columns.first, let first = days.first, !keys.isEmpty,
            definition.parameter("interval")?.accepted.contains(interval) == true
        else { return nil }
        var changes = changes + [("interval", interval)]
        if let by, keys == [[]] { changes.append((by, "none")) }
        let result = try await ask(changes, first, period.to)
        guard let figure = result.columns.firstIndex(where: { $0.name == column.name }) else { return nil }
        let indices = result.keyIndices
        var values: [[String?]: [String: Double]] = [:]
        for row in result.rows where !result.isOther(row) {
            guard case .localTime(let start, let offset)? = row.first else { continue }
            let day = Timestamp(microseconds: start + Int64(offset) * 60_000_000).description.prefix(10)
            values[indices.map { row[$0].keyText }, default: [:]][String(day)] = row[figure].number
        }
        // A day without rows has a count of nought, and no rate. Before the first one with rows nothing was recorded.
        let none = column.type == "double precision" ? nil : 0.0
        let begun = values.values.flatMap(\.keys).min() ?? ""
        return DigestMessage.Chart(
            name: column.name,
            unit: column.unit,
            days: days,
            lines: keys.map { key in
                DigestMessage.Chart.Line(key: key, values: days.map { values[key]?[$0] ?? ($0 < begun ? nil : none) })
            }
        )
    }

    private mutating func ask(_ changes: [(String, String)], _ from: String, _ to: String) async throws -> ReportResult
    {
        let changed = Set(changes.map(\.0))
        let pairs =
            question.pairs.filter { !changed.contains($0.name) } + changes.map { (name: $0.0, value: $0.1) }
            + [(name: "from", value: from), (name: "to", value: to)]
        let result = try await runner.run(try ReportParameters(pairs, for: definition), app: app)
        if asOf.map({ result.asOf.position < $0.position }) ?? true { asOf = result.asOf }
        lagSeconds = max(lagSeconds, result.asOf.lagSeconds)
        return result
    }
}

extension DigestAnswers.Compared {
    /// The columns of a row's key.
    var keys: [String] { now.keyIndices.map { now.columns[$0].name } }

    /// The figures that people look at first.
    var columns: [ReportColumn] {
        now.tableColumns.compactMap { name in now.columns.first { $0.name == name } }
            .filter { $0.isFigure && !$0.name.hasSuffix("_low") && !$0.name.hasSuffix("_high") }
    }

    /// Figures of a row, beside those of the period before.
    func figures(of key: [String?], most: Int) -> [DigestMessage.Figure] {
        columns.prefix(most).map { column in
            let value = now.number(key, column.name)
            let range = (low: now.number(key, column.name + "_low"), high: now.number(key, column.name + "_high"))
            var figure = DigestMessage.Figure(name: column.name, unit: column.unit, value: value)
            if let low = range.low, let high = range.high { (figure.low, figure.high) = (low, high) }
            if column.isDifference { figure.isDifference = true }
            guard !isCampaign(key), !isWindowed || !column.isGrowing(in: key) else { return figure }
            if isWindowed && column.maturity == .afterWindow {
                guard let aged else { return figure }
                figure.compare(column, key, aged.now, aged.before)
            } else {
                figure.compare(column, key, now, before)
            }
            return figure
        }
    }

    /// Whether a row is of a campaign. One that is in both periods is cut where one ends and the other begins: neither is all of it,
    /// and by how much their parts differ says nothing of it.
    private func isCampaign(_ key: [String?]) -> Bool {
        isOfCampaigns || zip(keys, key).contains { $0 == "campaign" && $1 != nil }
    }

    /// The rows of the most volume, and whether there are others. A report of few rows keeps its order.
    func rows(most: Int) -> (rows: [DigestMessage.Row], hasMore: Bool) {
        var own = now.rows.filter { !now.isOther($0) }
        if own.count > most || definition.isBounded, let first = columns.first?.name,
            let index = now.columns.firstIndex(where: { $0.name == first })
        {
            own.sort { ($0[index].number ?? 0) > ($1[index].number ?? 0) }
        }
        let indices = now.keyIndices
        let rows = own.prefix(most).map { row in
            let key = indices.map { row[$0].keyText }
            return DigestMessage.Row(key: key, figures: figures(of: key, most: 3))
        }
        return (rows, own.count > most || now.rows.count > own.count)
    }

    private var definition: ReportDefinition { now.definition }
}

extension DigestMessage.Figure {
    /// A period that has so much less was not yet counted as this one is: it says nothing of a change.
    private static let least = 0.1

    fileprivate mutating func compare(
        _ column: ReportColumn,
        _ key: [String?],
        _ now: ReportResult,
        _ before: ReportResult
    ) {
        func pair(_ suffix: String) -> (now: Double, before: Double)? {
            guard let one = now.number(key, column.name + suffix), let other = before.number(key, column.name + suffix)
            else { return nil }
            return (one, other)
        }
        guard let rate = pair("") else { return }
        guard unit == "fraction" else {
            if rate.before > 0, rate.before >= rate.now * Self.least { change = rate.now / rate.before - 1 }
            return
        }
        change = rate.now - rate.before
        guard let low = pair("_low"), let high = pair("_high") else { return }
        func length(_ one: Double, _ other: Double) -> Double { (one * one + other * other).squareRoot() }
        changeLow = rate.now - rate.before - length(rate.now - low.now, high.before - rate.before)
        changeHigh = rate.now - rate.before + length(high.now - rate.now, rate.before - low.before)
    }
}

extension ReportResult {
    /// Where the values of a row's key are.
    var keyIndices: [Int] {
        let start = columns.first?.name == "interval_start" ? 1 : 0
        return Array(columns.indices.dropFirst(start).prefix { columns[$0].isKey })
    }

    /// Whether a row sums those that have none of their own.
    func isOther(_ row: [ReportValue]) -> Bool {
        columns.firstIndex { $0.name == "other" }.map { row[$0] == .bool(true) } ?? false
    }

    /// A figure of the row with a key; nought for a count where there is no such row.
    func number(_ key: [String?], _ column: String) -> Double? {
        guard let index = columns.firstIndex(where: { $0.name == column }) else { return nil }
        let indices = keyIndices
        guard let row = rows.first(where: { row in !isOther(row) && indices.map { row[$0].keyText } == key }) else {
            return columns[index].type == "double precision" ? nil : 0
        }
        return row[index].number
    }
}

extension ReportValue {
    /// A value of a key as text; nil for none.
    var keyText: String? {
        switch self {
        case .text(let text): text
        case .integer(let number): "\(number)"
        default: nil
        }
    }
}
