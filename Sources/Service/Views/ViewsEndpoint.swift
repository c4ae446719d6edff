internal import Administration
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents

/// `/v1/views`: reports with parameters under a name. Keys that may read reports run them. Only keys of scope admin save and
/// delete them, because many share their names.
struct ViewsEndpoint: Sendable {
    let administration: Administration
    let body: JSONBody
    let reports: ReportsEndpoint
    /// The shares of apps in the connections that views are read on.
    let shares: WaitingSlots

    private struct Wanted: RequestBody {
        var report: String
        var parameters: [String: Values]?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case report, parameters
        }
    }

    /// A parameter's value, or several of them.
    private struct Values: Decodable {
        var all: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                all = [one]
            } else {
                all = try container.decode([String].self)
            }
        }
    }

    /// A view's report takes the shares of reports, and those of views for the view alone.
    var routes: [Route] {
        kept.map { $0.within(shares) } + [
            Route.reading("/v1/views/{name}/report") { request, context, grant in
                let view = try await shares.share(of: grant.appID) { try await find(context, grant) }
                let query = try Query(request)
                try query.expect(only: SavedView.excluded.sorted())
                return try await reports.answer(request, context, grant, view.report, view.pairs + query.items)
            }
        ]
    }

    private var kept: [Route] {
        [
            .reading("/v1/views") { request, _, grant in
                try Query(request).expect(only: [])
                return try await list(grant)
            },
            .reading("/v1/views/{name}") { _, context, grant in
                let view = try await find(context, grant)
                return .object { view.write(to: &$0) }
            },
            Route(
                method: .put,
                template: "/v1/views/{name}",
                handler: .keyed([.admin]) { request, context, grant in try await save(request, context, grant) }
            ),
            Route(
                method: .delete,
                template: "/v1/views/{name}",
                handler: .keyed([.admin]) { _, context, grant in try await delete(context, grant) }
            ),
        ]
    }

    private static let unknown = Problem.notFound("the app has no such view: GET /v1/views lists them")

    private func list(_ grant: Grant) async throws -> Response {
        let views = try await administration.savedViews(app: grant.appID)
        return .list("views", views, bytes: 256) { view, json in view.write(to: &json) }
    }

    private func find(_ context: ServiceContext, _ grant: Grant) async throws -> SavedView {
        let name = try context.pathParameter("name")
        guard let view = try await administration.savedViews(app: grant.appID, name: name).first else {
            throw Self.unknown
        }
        return view
    }

    private func save(_ request: Request, _ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let name = try context.pathParameter("name")
        guard GivenName.isAccepted(name) else { throw Problem.badParameter(GivenName.rule(of: "view")) }
        let accepts = #"an object such as {"report": "engagement", "parameters": {"by": "category"}}"#
        let wanted: Wanted = try await body.read(request, context, app: grant.appID, accepts: accepts)
        let pairs = (wanted.parameters ?? [:]).flatMap { name, values in values.all.map { (name: name, value: $0) } }
        guard SavedView.excluded.isDisjoint(with: pairs.map(\.name)) else {
            throw Problem.badParameter(SavedView.excludedRule)
        }
        try await reports.check(wanted.report, pairs, app: grant.appName)
        do {
            let (view, isNew) = try await administration.saveView(
                name,
                app: grant.appID,
                report: wanted.report,
                pairs: pairs
            )
            return .made(isNew: isNew) { view.write(to: &$0) }
        } catch let error as TooManyViews {
            throw Problem(.conflict, "too_many", error.description)
        }
    }

    private func delete(_ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let name = try context.pathParameter("name")
        guard try await administration.deleteView(name, app: grant.appID) else { throw Self.unknown }
        return .object { $0.field("name", name) }
    }
}

extension SavedView {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("name", name)
        json.field("report", report)
        json.field("parameters", parameters)
        json.field("position", position.rawValue)
        json.field("saved_at", savedAt)
    }
}
