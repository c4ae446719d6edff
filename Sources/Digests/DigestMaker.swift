internal import Deliveries
internal import EventLog
public import Logging
internal import NotificationEvents
public import Pacing
public import Reports

/// Makes digests: asks the view's report of the last full day or week and of the one before.
public struct DigestMaker: Sendable {
    let store: DigestStore
    let runner: ReportRunner
    private let page: PageAddress

    /// - Parameters:
    ///   - store: where digests are.
    ///   - runner: runs the reports.
    ///   - pageURL: where people open the page, for links.
    public init(_ store: DigestStore, _ runner: ReportRunner, pageURL: String) {
        self.store = store
        self.runner = runner
        page = PageAddress(pageURL)
    }

    /// Digests that are taken at a time, each of another app.
    private static let atATime: Int32 = 5

    /// Makes what is due, every five seconds.
    ///
    /// - Parameter logger: receives the number of digests, and errors.
    public func making(logger: Logger) -> Recurring {
        Recurring("make digests", every: .pause(.seconds(5)), logger: logger) {
            try await makeDue(logger: logger)
        }
    }

    /// Makes each digest that is due, some at a time, and puts it into the outbox. One that fails is tried again later, and holds
    /// up no other.
    ///
    /// - Parameter logger: receives why one cannot be made, once.
    /// - Returns: how many were made.
    /// - Throws: `PostgresError` if digests cannot be read or noted.
    public func makeDue(logger: Logger) async throws -> Int {
        try await Rounds.each {
            try await store.claim(most: Self.atATime)
        } _: { digest in
            try await makeOrPostpone(digest, logger)
        }
    }

    private func makeOrPostpone(_ digest: Digest, _ logger: Logger) async throws -> Bool {
        let problem: String
        do {
            let (message, lag) = try await make(
                digest.question,
                app: digest.app,
                isWeekly: digest.schedule.isWeekly,
                digest: digest.id
            )
            guard lag <= ReportRunner.mostLag else {
                try await store.postpone(digest, ReportRunner.behind(lag), seconds: 60)
                return false
            }
            return try await store.finish(digest, message)
        } catch let error as DigestError {
            problem = error.description
        } catch {
            do {
                problem = try ReportRunner.problem(error)
            } catch {
                // Next time the others come first. If the database is away it is not noted, and the digest's claim expires.
                if !Task.isCancelled { try? await store.postpone(digest, ReportRunner.brokenOff, seconds: 900) }
                throw error
            }
        }
        try await store.postpone(digest, problem, seconds: 900)
        if digest.lastError != problem {
            logger.warning(
                "a digest cannot be made and is tried again every quarter of an hour: `notilog digests list` shows what to mend",
                metadata: ["app": "\(digest.app)", "digest": "\(digest.id)", "error": "\(problem)"]
            )
        }
        return false
    }

    /// Makes a digest without sending it.
    ///
    /// - Parameters:
    ///   - question: the view.
    ///   - app: the app's name.
    ///   - isWeekly: of the last full week instead of the last full day.
    /// - Throws: ``DigestError`` if the view's report is not of days; `ReportError`; `PostgresError`.
    public func preview(_ question: DigestQuestion, app: String, isWeekly: Bool) async throws -> DigestMessage {
        try await make(question, app: app, isWeekly: isWeekly, digest: nil).message
    }

    private func make(
        _ question: DigestQuestion,
        app: String,
        isWeekly: Bool,
        digest: Int64?
    ) async throws -> (message: DigestMessage, lag: Double) {
        let definition = try runner.catalogue.report(question.report)
        try Self.check(definition)
        let parameters = try ReportParameters(question.pairs, for: definition)
        let window = parameters.seconds("window")
        let period = try await store.period(isWeekly: isWeekly, tz: question.tz, windowSeconds: window ?? 0)
        var asking = DigestAnswers(
            runner,
            app: app,
            question,
            definition,
            period,
            period.equalAge(windowSeconds: window)
        )
        var shown = try await show(&asking, definition, isByDimensions: !parameters.dimensions.isEmpty)
        if let first = shown.chart?.days.first {
            shown.chart?.notes = try await store.notes(app: app, from: first, to: period.to, tz: question.tz)
        }
        guard let asOf = asking.asOf else { throw DigestError("the report gave no answer") }
        let message = DigestMessage(
            app: app,
            view: question.view,
            question: question.words,
            digest: digest,
            tz: question.tz,
            from: period.from,
            to: period.to,
            before: period.before,
            compared: asking.equalAge.words(
                hasCampaigns: question.isOfCampaigns || shown.campaigns > 0,
                hasOthers: !question.isOfCampaigns && (!shown.figures.isEmpty || shown.campaigns < shown.rows.count)
            ),
            figures: shown.figures,
            keys: shown.keys,
            rows: shown.rows,
            hasMore: shown.hasMore,
            chart: shown.chart,
            position: asOf.position.rawValue,
            at: Timestamp(microseconds: asOf.at).description,
            link: page.link(to: "saved", "name", question.view)
        )
        return (message, asking.lagSeconds)
    }

    /// - Throws: ``DigestError`` if no digest can be made of the report.
    static func check(_ definition: ReportDefinition) throws(DigestError) {
        guard definition.parameter("from") != nil, definition.parameter("to") != nil else {
            throw DigestError("the report \(definition.name) is not of days: save a view of one that takes from and to")
        }
        guard definition.namesRowsByFirstKeys else {
            throw DigestError(
                "the report \(definition.name) has several rows of one name, which a digest cannot distinguish: "
                    + "save a view of another"
            )
        }
    }

    /// What a digest shows: the figures of the whole, rows with the most, and a chart of days.
    private struct Shown {
        var figures: [DigestMessage.Figure] = []
        var keys: [String] = []
        var rows: [DigestMessage.Row] = []
        var hasMore = false
        var chart: DigestMessage.Chart?

        /// How many rows are of a campaign.
        var campaigns: Int {
            guard let index = keys.firstIndex(of: "campaign") else { return 0 }
            return rows.count { $0.key[index] != nil }
        }
    }

    private func show(
        _ asking: inout DigestAnswers,
        _ definition: ReportDefinition,
        isByDimensions: Bool
    ) async throws -> Shown {
        let by = definition.parameters.first { $0.kind == .dimensions }?.name
        var shown = Shown()
        var total: DigestAnswers.Compared?
        if let by {
            let answer = try await asking.compared([(by, "none")])
            if answer.keys.isEmpty { total = answer }
        }
        if let total, !isByDimensions {
            shown.chart = try await asking.chart([], of: [[]], total, by)
        } else {
            let answer = try await asking.compared([])
            if answer.keys.isEmpty {
                total = answer
            } else {
                shown.keys = answer.keys
                (shown.rows, shown.hasMore) = answer.rows(most: 10)
            }
            let charted = total == nil ? shown.rows.prefix(3).map(\.key) : [[]]
            shown.chart = try await asking.chart([], of: charted, total ?? answer, by)
        }
        if let total { shown.figures = total.figures(of: [], most: 6) }
        return shown
    }
}
