internal import Administration
internal import Alerts
internal import Deliveries
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents
internal import Reports

/// `/v1/alerts` and `/v1/alert_rules`: the alerts that rules raised, and the rules. Keys that may read reports list both and
/// test rules. Keys of scope admin add and remove rules, and resolve alerts.
struct AlertsEndpoint: Sendable {
    let store: AlertStore
    let judge: AlertJudge
    let body: JSONBody
    let catalogue: ReportCatalogue
    let reports: ReportsEndpoint
    let deliveries: DeliverySettings
    /// The shares of apps in the connections that rules are read on.
    let shares: WaitingSlots

    private struct Wanted: RequestBody {
        var name: String
        var report: String
        var parameters: [String: [String]]?
        var when: String
        var least_volume: Int64?
        var receivers: [String]?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case name, report, parameters, when, least_volume, receivers
        }
    }

    /// A rule's test takes the shares of reports, and those of rules for the rule alone.
    var routes: [Route] {
        kept.map { $0.within(shares) } + [
            Route.reading("/v1/alert_rules/{name}/test") { request, context, grant in
                try await test(request, try context.pathParameter("name"), grant)
            }
        ]
    }

    private var kept: [Route] {
        [
            .reading("/v1/alerts") { request, _, grant in try await alerts(request, grant) },
            .reading("/v1/alert_rules") { request, _, grant in
                try Query(request).expect(only: [])
                return try await rules(grant)
            },
            Route(
                method: .post,
                template: "/v1/alert_rules",
                handler: .keyed([.admin]) { request, context, grant in try await add(request, context, grant) }
            ),
            Route(
                method: .delete,
                template: "/v1/alert_rules/{name}",
                handler: .keyed([.admin]) { _, context, grant in try await remove(context, grant) }
            ),
            Route(
                method: .delete,
                template: "/v1/alerts/{id}",
                handler: .keyed([.admin]) { _, context, grant in
                    try await resolve(try context.pathParameter("id"), grant)
                }
            ),
        ]
    }

    private func alerts(_ request: Request, _ grant: Grant) async throws -> Response {
        let query = try Query(request)
        try query.expect(only: ["open"])
        let open = query.last("open") ?? "false"
        guard ["true", "false"].contains(open) else { throw Problem.badParameter("open must be true or false") }
        let alerts = try await store.alerts(app: grant.appID, onlyOpen: open == "true")
        return .list("alerts", alerts, bytes: 512) { alert, json in alert.write(to: &json) }
    }

    private func rules(_ grant: Grant) async throws -> Response {
        let rules = try await store.rules(app: grant.appID)
        return .list("rules", rules, bytes: 512) { rule, json in rule.write(to: &json) }
    }

    private func add(_ request: Request, _ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let accepts =
            #"an object such as {"name": "n", "report": "engagement", "parameters": {"by": ["category"]}, "when": "reached falls"}"#
        let wanted: Wanted = try await body.read(request, context, app: grant.appID, accepts: accepts)
        do {
            let rule = try WantedAlertRule(
                name: wanted.name,
                report: wanted.report,
                pairs: (wanted.parameters ?? [:]).pairs,
                condition: wanted.when,
                leastVolume: wanted.least_volume ?? 100,
                receivers: wanted.receivers ?? [],
                catalogue: catalogue
            )
            if let refusal = (wanted.receivers ?? []).compactMap({ deliveries.refusal(of: $0) }).first {
                throw Problem.badParameter(refusal)
            }
            try await store.add(rule, app: grant.appID)
        } catch let error as AlertRuleError {
            throw Problem.notAdded(error.description, isConflict: error.isConflict)
        }
        guard let added = try await store.rules(app: grant.appID).first(where: { $0.name == wanted.name }) else {
            throw Self.unknown
        }
        let warnings = deliveries.lacks(for: added.receivers)
        return .made {
            added.write(to: &$0)
            $0.field("warnings", warnings)
        }
    }

    /// Tests a rule on a day. It runs the rule's report, so it takes the slots for a report.
    private func test(_ request: Request, _ name: String, _ grant: Grant) async throws -> Response {
        let query = try Query(request)
        try query.expect(only: ["day"])
        let rules = try await shares.share(of: grant.appID) { try await store.rules(app: grant.appID) }
        guard let rule = rules.first(where: { $0.name == name }) else { throw Self.unknown }
        let slots = try await reports.slots(of: grant)
        defer { withExtendedLifetime(slots) {} }
        let (day, cells): (String, [Judgement])
        do {
            (day, cells) = try await judge.preview(rule, day: query.last("day"))
        } catch let error as AlertRuleError {
            throw Problem.badParameter(error.description)
        }
        return .object(capacity: 256 * (cells.count + 1)) {
            $0.field("name", name)
            $0.field("day", day)
            $0.field("cells", objects: cells) { cell, json in cell.write(to: &json) }
        }
    }

    private static let unknown = Problem.notFound("the app has no such rule: GET /v1/alert_rules lists them")

    private func remove(_ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let name = try context.pathParameter("name")
        guard try await store.remove(name, app: grant.appID) else { throw Self.unknown }
        return .object { $0.field("name", name) }
    }

    private func resolve(_ text: String, _ grant: Grant) async throws -> Response {
        guard let id = Int64(text), try await store.resolve(id, app: grant.appID) else {
            throw Problem.notFound("the app has no such open alert: GET /v1/alerts?open=true lists them")
        }
        return .object { $0.field("id", id) }
    }
}

extension Alert {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("rule", rule)
        json.field("report", report)
        json.field("metric", metric)
        json.field("cell", json: cell)
        json.field("day", day)
        json.field("figures", json: figures)
        json.field("position", position.rawValue)
        json.field("raised_at", raisedAt)
        json.field("resolved_at", resolvedAt)
    }
}

extension Judgement {
    fileprivate func write(to json: inout JSONWriter) {
        json.name("cell")
        cell.write(to: &json)
        json.field("value", value)
        json.field("volume", volume)
        json.field("usual", range?.mean)
        json.field("low", range?.low)
        json.field("high", range?.high)
        json.field("verdict", verdict)
    }
}

extension AlertRule {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("name", name)
        json.field("report", report)
        json.field("parameters", parameters)
        json.field("when", condition.description)
        json.field("least_volume", leastVolume)
        json.field("receivers", shownReceivers)
        json.field("next_day", nextDay)
        json.field("due_at", ripeAt)
        json.field("judged_at", judgedAt)
        json.field("last_error", lastError)
    }
}
