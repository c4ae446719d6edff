internal import Administration
internal import Deliveries
internal import Digests
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents
internal import Reports

/// `/v1/digests`: figures of saved views by mail. Keys that may read reports list them; keys of scope admin add, remove and
/// send them.
struct DigestsEndpoint: Sendable {
    let store: DigestStore
    let body: JSONBody
    let catalogue: ReportCatalogue
    let deliveries: DeliverySettings

    private struct Wanted: RequestBody {
        var view: String
        var every: String
        var weekday: String?
        var at: String?
        var mail: String

        enum CodingKeys: String, CodingKey, CaseIterable {
            case view, every, weekday, at, mail
        }
    }

    var routes: [Route] {
        [
            .reading("/v1/digests") { request, _, grant in
                try Query(request).expect(only: [])
                return try await list(grant)
            },
            Route(
                method: .post,
                template: "/v1/digests",
                handler: .keyed([.admin]) { request, context, grant in try await add(request, context, grant) }
            ),
            Route(
                method: .delete,
                template: "/v1/digests/{id}",
                handler: .keyed([.admin]) { _, context, grant in
                    try await change(context, grant) { try await store.remove($0, app: grant.appID) }
                }
            ),
            Route(
                method: .put,
                template: "/v1/digests/{id}/due",
                handler: .keyed([.admin]) { _, context, grant in
                    try await change(context, grant) { try await store.send($0, app: grant.appID) }
                }
            ),
        ]
    }

    private func list(_ grant: Grant) async throws -> Response {
        let digests = try await store.digests(app: grant.appID)
        return .list("digests", digests, bytes: 256) { digest, json in digest.write(to: &json) }
    }

    private func add(_ request: Request, _ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let accepts = #"an object such as {"view": "news by week", "every": "week", "mail": "team@example.com"}"#
        let wanted: Wanted = try await body.read(request, context, app: grant.appID, accepts: accepts)
        let id: Int64
        do {
            let schedule = try DigestSchedule(every: wanted.every, weekday: wanted.weekday, at: wanted.at)
            let digest = try WantedDigest(view: wanted.view, schedule: schedule, mail: wanted.mail)
            id = try await store.add(digest, app: grant.appID, catalogue: catalogue)
        } catch let error as DigestError {
            throw Problem.notAdded(error.description, isConflict: error.isConflict)
        }
        guard let added = try await store.digests(app: grant.appID).first(where: { $0.id == id }) else {
            throw Self.unknown
        }
        let warnings = deliveries.lacks(for: ["mailto:\(wanted.mail)"])
        return .made {
            added.write(to: &$0)
            $0.field("warnings", warnings)
        }
    }

    private static let unknown = Problem.notFound("the app has no such digest: GET /v1/digests lists them")

    private func change(
        _ context: ServiceContext,
        _ grant: Grant,
        _ body: (Int64) async throws -> Bool
    ) async throws -> Response {
        guard let id = Int64(try context.pathParameter("id")), try await body(id) else { throw Self.unknown }
        return .object { $0.field("id", id) }
    }
}

extension Digest {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("view", question.view)
        json.field("every", schedule.every)
        json.field("weekday", schedule.weekdayName)
        json.field("at", schedule.at)
        json.field("tz", question.tz)
        json.field("receiver", receiver)
        json.field("due_at", dueAt)
        json.field("made_at", madeAt)
        json.field("last_error", lastError)
    }
}
