import Administration
import Alerts
import ArgumentParser
import Deliveries
import EventLog
import Foundation
import NotificationEvents
import Reports
import Schema

/// `notilog alerts`: rules over the cells of reports, what they raised, and its deliveries.
struct AlertsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts",
        abstract: "Manage rules of alerts; show what they raised and delivered.",
        discussion: """
            Example:
              notilog alerts list --app shop
            """,
        subcommands: [
            Add.self, List.self, Remove.self, Test.self, Raised.self, Resolve.self, Deliveries.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the rules of an app, by name.",
            usage: "notilog alerts list [<options>]",
            discussion: """
                Receivers are shown without the paths of their URLs.

                Example:
                  notilog alerts list --app shop
                """
        )
        @OptionGroup var chosen: AppOptions
        @Flag(name: .customLong("json"), help: "Write the rules as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var name: String
            var report: String
            var parameters: [String: [String]]
            var condition: String
            var leastVolume: Int64
            var receivers: [String]
            var nextDay: String
            var dueAt: String
            var judgedAt: String?
            var lastError: String?
        }

        func run() async throws {
            let rules = try await chosen.withPool(needs: .writer) { try await AlertStore($0).rules(app: $1.id) }
            let rows = rules.map { rule in
                Output(
                    name: rule.name,
                    report: rule.report,
                    parameters: rule.parameters,
                    condition: rule.condition.description,
                    leastVolume: rule.leastVolume,
                    receivers: rule.shownReceivers,
                    nextDay: rule.nextDay,
                    dueAt: rule.ripeAt.description,
                    judgedAt: rule.judgedAt?.description,
                    lastError: rule.lastError
                )
            }
            try TextTable(
                rows,
                [
                    "NAME": { $0.name }, "REPORT": { $0.report },
                    "PARAMETERS": { ReportQuestion.words($0.parameters) },
                    "WHEN": { $0.condition }, "VOLUME": { String($0.leastVolume) },
                    "TO": { $0.receivers.joined(separator: " ") }, "NEXT": { $0.nextDay },
                    "ERROR": { $0.lastError ?? "" },
                ]
            ).print(asJSON: asJSON)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a rule, with its alerts.",
            usage: "notilog alerts remove [<options>] <name>",
            discussion: """
                What is not delivered yet will not be.

                Example:
                  notilog alerts remove 'news is read less' --app shop
                """
        )
        @OptionGroup var chosen: AppOptions
        @Argument(help: "The rule's name.")
        var name: String
        @OptionGroup var result: ResultOptions

        func run() async throws {
            let isRemoved = try await chosen.withPool(needs: .writer, writes: true) {
                try await AlertStore($0).remove(name, app: $1.id)
            }
            guard isRemoved else {
                throw CommandFailure("the app has no rule of that name: see `notilog alerts list`")
            }
            try result.print("removed", ["removed": name])
        }
    }

    struct Raised: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List alerts, the newest first.",
            usage: "notilog alerts raised [<options>]",
            discussion: """
                Example:
                  notilog alerts raised --open --app shop
                """
        )
        @OptionGroup var chosen: AppOptions
        @Flag(help: "Leave out those that are resolved.")
        var open = false
        @Flag(name: .customLong("json"), help: "Write the alerts as JSON.")
        var asJSON = false

        private struct Output: Encodable {
            var id: Int64
            var rule: String
            var cell: [String: AlertCell.Value]
            var day: String
            var metric: String
            /// The value, its volume, and what it was judged by.
            var figures: [String: Double?]
            var position: Int64
            var raisedAt: String
            var resolvedAt: String?
        }

        func run() async throws {
            let catalogue = try ReportCatalogue(folder: try ReleaseFolder.locate())
            let (alerts, rules) = try await chosen.withPool(needs: .writer) { pool, app in
                let store = AlertStore(pool)
                return (try await store.alerts(app: app.id, onlyOpen: open), try await store.rules(app: app.id))
            }
            let decoder = JSONDecoder()
            let rows = try alerts.map { alert in
                Output(
                    id: alert.id,
                    rule: alert.rule,
                    cell: try decoder.decode([String: AlertCell.Value].self, from: Data(alert.cell.utf8)),
                    day: alert.day,
                    metric: alert.metric,
                    figures: try decoder.decode([String: Double?].self, from: Data(alert.figures.utf8)),
                    position: alert.position.rawValue,
                    raisedAt: alert.raisedAt.description,
                    resolvedAt: alert.resolvedAt?.description
                )
            }
            func text(_ row: Output, _ figure: String) -> String {
                let column = try? rules.first { $0.name == row.rule }?.column(in: catalogue)
                return FigureText.value(
                    row.figures[figure] ?? nil,
                    unit: column?.unit,
                    isDifference: column?.isDifference == true
                )
            }
            try TextTable<Output>(
                rows,
                [
                    "ID": { String($0.id) }, "RULE": { $0.rule }, "CELL": { AlertCell($0.cell).description },
                    "DAY": { $0.day }, "METRIC": { $0.metric }, "VALUE": { text($0, "value") },
                    "USUAL": { text($0, "usual") }, "BOUND": { text($0, "bound") },
                    "RESOLVED": { $0.resolvedAt ?? "open" },
                ]
            ).print(asJSON: asJSON)
        }
    }

    struct Resolve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Resolve an alert, and accept the new level as usual.",
            usage: "notilog alerts resolve [<options>] <id>",
            discussion: """
                An alert resolves by itself once its cell is as it should be. Resolve one by
                hand if the change is to stay: the cell is judged again after three weeks.

                Example:
                  notilog alerts resolve 7 --app shop
                """
        )
        @OptionGroup var chosen: AppOptions
        @Argument(help: "The alert's number, as `notilog alerts raised` has it.")
        var id: Int64
        @OptionGroup var result: ResultOptions

        func run() async throws {
            let isResolved = try await chosen.withPool(needs: .writer, writes: true) {
                try await AlertStore($0).resolve(id, app: $1.id)
            }
            guard isResolved else {
                throw CommandFailure("the app has no open alert \(id): see `notilog alerts raised --open`")
            }
            try result.print("resolved \(id)", ["resolved": id])
        }
    }

    struct Deliveries: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what was delivered or is to be, the newest first.",
            usage: "notilog alerts deliveries [<options>]",
            discussion: """
                Example:
                  notilog alerts deliveries --app shop
                """
        )
        @OptionGroup var list: DeliveryList

        func run() async throws {
            try await list.print(.alerts, source: "RULE")
        }
    }
}
