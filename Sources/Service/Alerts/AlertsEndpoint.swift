internal import Administration
internal import Alerts
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents
internal import Reports

/// `/v1/alerts` and `/v1/alert_rules`: what rules raised, and the rules. Who reads reports reads them; keys of scope admin add and
/// remove rules, and resolve alerts.
struct AlertsEndpoint: Sendable {
    let store: AlertStore
    let body: JSONBody
    let catalogue: ReportCatalogue

    private struct Wanted: Decodable {
        var name: String
        var report: String
        var parameters: [String: [String]]?
        var when: String
        var least_volume: Int64?
        var receivers: [String]?
    }

    var routes: [Route] {
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
        let query = Query(request)
        try query.expect(only: ["open"])
        let open = query.last("open") ?? "false"
        guard ["true", "false"].contains(open) else { throw Problem.badParameter("open is true or false") }
        let alerts = try await store.alerts(app: grant.appID, onlyOpen: open == "true")
        var json = JSONWriter(capacity: 512 * (alerts.count + 1))
        json.object {
            $0.name("alerts")
            $0.array { json in
                for alert in alerts { json.object { alert.write(to: &$0) } }
            }
        }
        return .json(json)
    }

    private func rules(_ grant: Grant) async throws -> Response {
        let rules = try await store.rules(app: grant.appID)
        var json = JSONWriter(capacity: 512 * (rules.count + 1))
        json.object {
            $0.name("rules")
            $0.array { json in
                for rule in rules { json.object { rule.write(to: &$0) } }
            }
        }
        return .json(json)
    }

    private func add(_ request: Request, _ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let accepts =
            #"an object such as {"name": "n", "report": "engagement", "parameters": {"by": ["category"]}, "when": "reached falls"}"#
        let wanted: Wanted = try await body.read(request, context, app: grant.appID, accepts: accepts)
        let pairs = (wanted.parameters ?? [:]).flatMap { name, values in values.map { (name: name, value: $0) } }
        do {
            let rule = try WantedAlertRule(
                name: wanted.name,
                report: wanted.report,
                pairs: pairs,
                condition: wanted.when,
                leastVolume: wanted.least_volume ?? 100,
                receivers: wanted.receivers ?? [],
                catalogue: catalogue
            )
            try await store.add(rule, app: grant.appID)
        } catch let error as AlertRuleError {
            throw error.isConflict
                ? Problem(.conflict, "not_added", error.description) : Problem.badParameter(error.description)
        }
        guard let added = try await store.rules(app: grant.appID).first(where: { $0.name == wanted.name }) else {
            throw Self.unknown
        }
        var json = JSONWriter()
        json.object { added.write(to: &$0) }
        return .made(json)
    }

    private static let unknown = Problem.notFound("the app has no such rule: GET /v1/alert_rules lists them")

    private func remove(_ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let name = try context.pathParameter("name")
        guard try await store.remove(name, app: grant.appID) else { throw Self.unknown }
        var json = JSONWriter()
        json.object { $0.field("name", name) }
        return .json(json)
    }

    private func resolve(_ text: String, _ grant: Grant) async throws -> Response {
        guard let id = Int64(text), try await store.resolve(id, app: grant.appID) else {
            throw Problem.notFound("the app has no such open alert: GET /v1/alerts?open=true lists them")
        }
        var json = JSONWriter()
        json.object { $0.field("id", id) }
        return .json(json)
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

extension AlertRule {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("name", name)
        json.field("report", report)
        json.name("parameters")
        json.object { json in
            for (name, values) in parameters.sorted(by: { $0.key < $1.key }) {
                json.name(text: name)
                json.array { json in for value in values { json.string(value) } }
            }
        }
        json.field("when", condition.description)
        json.field("least_volume", leastVolume)
        json.name("receivers")
        json.array { json in for receiver in shownReceivers { json.string(receiver) } }
        json.field("next_day", nextDay)
        json.field("due_at", ripeAt)
        json.field("judged_at", judgedAt)
        json.field("last_error", lastError)
    }
}
