import Administration
import Alerts
import ArgumentParser
import Deliveries
import NotificationEvents
import Reports
import Schema
import Service

extension AlertsCommand {
    /// `notilog alerts add 'REPORT by DIMENSION' --when CONDITION`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a rule: a condition on a figure, asked of every day.",
            usage: "notilog alerts add [<options>] <question> --when <condition>",
            discussion: """
                A day is judged once, one hour after its window to respond closes, each row of
                the report by itself. `falls`, `rises` and `changes` compare it with the same
                weekdays at the same age, which takes three weeks to learn; `<` and `>` with a
                bound.

                Examples:
                  notilog alerts add 'engagement by category' --when 'engagement_rate falls' \\
                    --window P1D --volume 500 --to https://ops.example.com/hook
                  notilog alerts add activity --filter kind=push_result \\
                    --when 'events < 1000' --name 'few pushes' --to mailto:ops@example.com
                """
        )
        @OptionGroup var chosen: AppOptions
        @Argument(help: "A report, or a report and `by` and one or two dimensions.")
        var question: String
        @Option(name: .customLong("when"), help: "A column and what it does, such as 'engagement_rate falls'.")
        var condition: String
        @Option(help: "The rule's name; default: the question and the condition.")
        var name: String?
        @Option(help: "The least volume that is judged: a rate's denominator, or the count.")
        var volume: Int64 = 100
        @Option(
            name: .customLong("to"),
            help: "https://HOST/PATH, slack:https://HOST/PATH or mailto:NAME@HOST; up to five."
        )
        var receivers: [String] = []
        @Option(help: "The time zone of days, such as Europe/Berlin.")
        var tz: String?
        @Option(help: "How long a response may take, as an ISO 8601 duration such as P3D.")
        var window: String?
        @OptionGroup var more: ReportPairs
        @OptionGroup var result: ResultOptions

        func run() async throws {
            let words = question.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 1 || words.count == 3 && words[1] == "by" else {
                throw ValidationError(
                    "the question is a report, or REPORT by DIMENSION, such as 'engagement by category'"
                )
            }
            let pairs = [("tz", tz), ("window", window), ("by", words.count == 3 ? words[2] : nil)]
                .compactMap { name, value in value.map { (name: name, value: $0) } }
            let rule: WantedAlertRule
            do {
                rule = try WantedAlertRule(
                    name: name ?? "\(question): \(condition)",
                    report: words[0],
                    pairs: pairs + more.pairs(),
                    condition: condition,
                    leastVolume: volume,
                    receivers: receivers,
                    catalogue: try ReportCatalogue(folder: try ReleaseFolder.locate())
                )
            } catch let error as AlertRuleError {
                throw ValidationError(error.description)
            }
            let deliveries = try await chosen.store.options.settings().service.deliveries
            let added = try await chosen.withPool(needs: .writer, writes: true) { pool, app in
                let store = AlertStore(pool)
                do {
                    try await store.add(rule, app: app.id)
                } catch let error as AlertRuleError {
                    throw CommandFailure(error.description)
                }
                return try await store.rules(app: app.id).first { $0.name == rule.name }
            }
            guard let added else { return }
            try result.print(
                "added: it judges \(added.nextDay) at \(added.ripeAt)",
                ["added": added.name, "next_day": "\(added.nextDay)", "due_at": "\(added.ripeAt)"]
            )
            // The service delivers, which may have other settings than this command.
            for refusal in receivers.compactMap({ deliveries.refusal(of: $0) }) { Console.note(refusal) }
            for lack in deliveries.lacks(for: receivers) { Console.note(lack) }
        }
    }

    /// `notilog alerts test NAME`.
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what a rule says of a day, without raising anything.",
            usage: "notilog alerts test [<options>] <name>",
            discussion: """
                Example:
                  notilog alerts test 'news is read less' --day 2026-11-01
                """
        )
        @OptionGroup var chosen: AppOptions
        @Argument(help: "The rule's name.")
        var name: String
        @Option(help: "The day; default: the newest one that is judged.")
        var day: String?
        @Flag(name: .customLong("json"), help: "Write the cells as JSON.")
        var asJSON = false

        func validate() throws {
            guard let day else { return }
            guard Timestamp.day(day, plus: 1) != nil else {
                throw ValidationError("--day takes a day as YYYY-MM-DD, such as 2026-11-01")
            }
        }

        private struct Output: Encodable {
            var day: String
            var cell: String
            var value: Double?
            var volume: Int64
            var usual: Double?
            var low: Double?
            var high: Double?
            var verdict: String
        }

        func run() async throws {
            let catalogue = try ReportCatalogue(folder: try ReleaseFolder.locate())
            let (rule, (judged, cells)) = try await chosen.withPool(needs: .writer) { pool, app in
                let store = AlertStore(pool)
                guard let rule = try await store.rules(app: app.id).first(where: { $0.name == name }) else {
                    throw CommandFailure("the app has no rule of that name: see `notilog alerts list`")
                }
                do {
                    let judge = AlertJudge(store, ReportRunner(catalogue: catalogue, pool: pool), pageURL: "")
                    return (rule, try await judge.preview(rule, day: day))
                } catch let error as AlertRuleError {
                    throw CommandFailure(error.description)
                } catch let error as ReportError {
                    throw CommandFailure(error.message)
                }
            }
            let rows: [Output] = cells.map { cell in
                Output(
                    day: judged,
                    cell: cell.cell.description,
                    value: cell.value,
                    volume: cell.volume,
                    usual: cell.range?.mean,
                    low: cell.range?.low,
                    high: cell.range?.high,
                    verdict: cell.verdict
                )
            }
            let column = try rule.column(in: catalogue)
            func text(_ value: Double?) -> String {
                FigureText.value(value, unit: column?.unit, isDifference: column?.isDifference == true)
            }
            try TextTable<Output>(
                rows,
                [
                    "DAY": { $0.day }, "CELL": { $0.cell }, "VALUE": { text($0.value) },
                    "VOLUME": { FigureText.count($0.volume) }, "USUAL": { text($0.usual) }, "FROM": { text($0.low) },
                    "TO": { text($0.high) }, "VERDICT": { $0.verdict },
                ]
            ).print(asJSON: asJSON)
            guard rows.isEmpty else { return }
            Console.note(
                "nothing to judge of \(judged): no cell of the report has a volume of \(rule.leastVolume), on that day or usually"
            )
        }
    }
}
