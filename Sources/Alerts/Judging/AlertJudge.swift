internal import Deliveries
internal import EventLog
internal import JSON
public import Logging
internal import NotificationEvents
public import Pacing
internal import Postgres
public import Reports

/// Judges days by rules: runs their reports, and writes what holds.
public struct AlertJudge: Sendable {
    private let store: AlertStore
    private let runner: ReportRunner
    private let page: PageAddress

    /// - Parameters:
    ///   - store: where rules and alerts are.
    ///   - runner: runs the reports; on connections of its own, so that no request waits for it.
    ///   - pageURL: where people open the page, for links.
    public init(_ store: AlertStore, _ runner: ReportRunner, pageURL: String) {
        self.store = store
        self.runner = runner
        page = PageAddress(pageURL)
    }

    /// Rules that are taken at a time, each of another app: their reports have ended before they are due again.
    private static let rulesAtATime: Int32 = 5

    /// How late figures are still of equal age, in microseconds.
    private static let lateness: Int64 = 3_600_000_000

    /// Judges what is due, every five seconds.
    ///
    /// - Parameter logger: receives the number of days that were judged, and errors.
    public func judging(logger: Logger) -> Recurring {
        Recurring("judge days by alert rules", every: .pause(.seconds(5)), logger: logger) {
            try await judgeDue(logger: logger)
        }
    }

    /// Deletes old alerts, every hour.
    ///
    /// - Parameter logger: receives their number, and errors.
    public func pruning(logger: Logger) -> Recurring {
        Recurring("delete old alerts", every: .pause(.seconds(3600)), logger: logger) {
            try await store.pool.query("SELECT notilog.prune_alerts(10000)").only().get(0)
        }
    }

    /// Judges the next day of each rule that is due, some at a time. A rule that fails is tried again later, and holds up no other.
    ///
    /// - Parameter logger: receives why a day cannot be judged, once.
    /// - Returns: how many days were judged.
    /// - Throws: `PostgresError` if rules cannot be read or noted.
    public func judgeDue(logger: Logger) async throws -> Int {
        try await Rounds.each {
            try await store.claim(most: Self.rulesAtATime)
        } _: { rule in
            try await judgeOrPostpone(rule, logger)
        }
    }

    private func judgeOrPostpone(_ rule: AlertRule, _ logger: Logger) async throws -> Bool {
        let problem: String
        do {
            return try await judge(rule)
        } catch let error as AlertRuleError {
            problem = error.description
        } catch {
            do {
                problem = try ReportRunner.problem(error)
            } catch {
                // Next time the others come first. If the database is away it is not noted, and the rule's claim expires.
                if !Task.isCancelled { try? await store.postpone(rule, ReportRunner.brokenOff, seconds: 900) }
                throw error
            }
        }
        try await store.postpone(rule, problem, seconds: 900)
        if rule.lastError != problem {
            logger.warning(
                "a day cannot be judged by an alert rule and is tried again for a week: `notilog alerts list` shows what to mend",
                metadata: ["app": "\(rule.app)", "rule": "\(rule.id)", "error": "\(problem)"]
            )
        }
        return false
    }

    /// What a rule says of a day, without writing it.
    ///
    /// - Parameter day: `YYYY-MM-DD`; nil for the day before the rule's next one.
    /// - Throws: ``AlertRuleError`` if the report has no such column, or the wait of that day is not over: its figures still grow;
    ///   `ReportError`; `PostgresError`.
    public func preview(_ rule: AlertRule, day: String?) async throws -> (day: String, cells: [Judgement]) {
        var rule = rule
        guard let newest = Timestamp.day(rule.nextDay, plus: -1) else { throw Self.noDay }
        if let day {
            guard Timestamp.day(day, plus: 1) != nil else { throw Self.noDay }
            if let time = try await store.ripens(rule, day: day) {
                throw AlertRuleError(
                    "\(day) has no verdict before \(time), when it and its time to respond are over: "
                        + "choose \(newest) or an earlier day"
                )
            }
        }
        rule.nextDay = day ?? newest
        return (rule.nextDay, try await judgements(rule, isInTime: { _ in true }).cells)
    }

    /// Judges a rule's next day, and writes that.
    ///
    /// - Parameter time: the current time for the rule; nil for the database's clock.
    /// - Returns: whether it did; not while projections are behind, and where another service was quicker.
    func judge(_ rule: AlertRule, at time: Timestamp? = nil) async throws -> Bool {
        let open = try await store.open(rule)
        let (answer, cells, isInTime) = try await judgements(rule, at: time) {
            $0 - rule.ripeAt.microseconds <= Self.lateness
        }
        guard answer.lagSeconds <= ReportRunner.mostLag else {
            try await store.postpone(rule, ReportRunner.behind(answer.lagSeconds), seconds: 60)
            return false
        }
        var figures = JSONWriter(capacity: 256 * (cells.count + 1))
        figures.array { json in
            for cell in cells { cell.write(to: &json, bound: rule.condition.bound) }
        }
        let column = try rule.column(in: runner.catalogue)
        let message = AlertMessage.opening(rule, of: column, position: answer.position, page)
        return try await store.finish(
            rule,
            inTime: isInTime,
            position: answer.position,
            figures: figures.bytes,
            message: message,
            open: open
        )
    }

    private func judgements(
        _ rule: AlertRule,
        at time: Timestamp? = nil,
        isInTime: (Int64) -> Bool
    ) async throws -> (asOf: ReportResult.AsOf, cells: [Judgement], isInTime: Bool) {
        let definition = try runner.catalogue.report(rule.report)
        guard let next = Timestamp.day(rule.nextDay, plus: 1) else { throw Self.noDay }
        var pairs = rule.pairs + [(name: "from", value: rule.nextDay), (name: "to", value: next)]
        // A report ranks its keys by a count of its own, not by the rule's volume: as many are asked for as it gives. Where a key has
        // several rows, one for each outcome and period, those that it gives by default are enough to hold in memory.
        if definition.isBounded, definition.namesRowsByFirstKeys,
            let most = definition.parameter("limit")?.bounds?.upperBound
        {
            pairs.append((name: "limit", value: "\(most)"))
        }
        let result = try await runner.run(try ReportParameters(pairs, for: definition), app: rule.app, asOf: time)
        let figures = try Self.figures(result, metric: rule.condition.metric)
        let past = try await store.past(rule, before: rule.nextDay)
        let inTime = isInTime(time?.microseconds ?? result.asOf.at)
        let cells = figures.judged(rule.condition, leastVolume: rule.leastVolume, past: past, isInTime: inTime)
        return (result.asOf, cells, inTime)
    }

    private static let noDay = AlertRuleError("the day must be YYYY-MM-DD, such as 2026-11-01")

    /// A number as a whole one; the nearest there is beyond them, as a sum of durations may be.
    private static func whole(_ number: Double) -> Int64 {
        Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }

    /// The column that a figure which is no count is of: a rate's denominator; of a median and whatever else is no rate, the
    /// denominator of the report's rates, or its first count.
    private static func volume(of column: ReportColumn, in result: ReportResult) -> Int? {
        if let name = column.denominator { return result.columns.firstIndex { $0.name == name } }
        if let common = result.columns.firstIndex(where: { $0.name == "rate_denominator" }) { return common }
        return result.columns.indices.first { index in
            result.columns[index].unit != nil && result.columns[index].type == "bigint"
                // What was not asked for, such as the app's own question, is null in every row.
                && result.rows.contains { $0[index] != .null }
        }
    }

    /// The figures of a report's rows, those of the most volume first.
    static func figures(_ result: ReportResult, metric: String) throws -> DayFigures {
        let columns = result.columns
        guard let value = columns.firstIndex(where: { $0.name == metric && $0.isFigure }) else {
            throw AlertRuleError("the report has no column \(metric)")
        }
        let first = columns.prefix { $0.isKey }.count
        let keys = columns.indices.filter { $0 < first || columns[$0].isLaterKey }
            .map { (name: columns[$0].name, index: $0) }
        let other = columns.firstIndex { $0.name == "other" }
        let devices = columns.firstIndex { $0.name == "devices" && $0.type == "bigint" }
        let volume = Self.volume(of: columns[value], in: result) ?? value
        let isCount = columns[value].type != "double precision"
        var figures: [DayFigures.Figure] = []
        var isWhole = true
        for row in result.rows {
            if let other, row[other] == .bool(true) {
                isWhole = false
                continue
            }
            figures.append(
                DayFigures.Figure(
                    cell: AlertCell(keys, row),
                    value: row[value].number,
                    volume: whole(row[isCount ? value : volume].number ?? 0),
                    devices: devices.flatMap { row[$0].number }.map { whole($0) }
                )
            )
        }
        // Figures are kept by cell.
        guard Set(figures.map(\.cell)).count == figures.count else {
            throw AlertRuleError.alike(result.definition.name)
        }
        figures.sort { $0.volume > $1.volume }
        return DayFigures(
            figures: figures,
            isFraction: columns[value].unit == "fraction",
            isCount: isCount,
            isWhole: isWhole
        )
    }
}
