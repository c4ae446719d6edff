internal import Administration
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NotificationEvents

/// `/v1/annotations`: notes that charts draw on their time axes. A deploy hook writes them with a key of scope provider, which
/// a sender's server already has. Keys that may read reports read them.
struct AnnotationsEndpoint: Sendable {
    let administration: Administration
    let body: JSONBody

    private struct Wanted: RequestBody {
        var label: String
        var at: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case label, at
        }
    }

    var routes: [Route] {
        [
            .reading("/v1/annotations") { request, _, grant in try await list(request, grant) },
            Route(
                method: .post,
                template: "/v1/annotations",
                handler: .keyed([.provider, .admin]) { request, context, grant in
                    try await make(request, context, grant)
                }
            ),
            Route(
                method: .delete,
                template: "/v1/annotations/{id}",
                handler: .keyed([.admin]) { _, context, grant in
                    try await delete(try context.pathParameter("id"), grant)
                }
            ),
        ]
    }

    private func list(_ request: Request, _ grant: Grant) async throws -> Response {
        let query = try Query(request)
        try query.expect(only: ["from", "to"])
        let annotations = try await administration.annotations(
            app: grant.appID,
            from: try query.time("from"),
            to: try query.time("to")
        )
        return .list("annotations", annotations, bytes: 96) { annotation, json in annotation.write(to: &json) }
    }

    private func make(_ request: Request, _ context: ServiceContext, _ grant: Grant) async throws -> Response {
        let accepts = #"an object such as {"label": "release 4.2", "at": "2026-11-01T09:00:00Z"}"#
        let wanted: Wanted = try await body.read(request, context, app: grant.appID, accepts: accepts)
        guard Annotation.isLabel(wanted.label) else { throw Problem.badParameter(Annotation.labelRule) }
        let time = try wanted.at.map { try Query.time("at", $0) }
        do {
            let (annotation, isNew) = try await administration.annotate(app: grant.appID, at: time, wanted.label)
            return .made(isNew: isNew) { annotation.write(to: &$0) }
        } catch let error as TooManyAnnotations {
            throw Problem(.conflict, "too_many", error.description)
        }
    }

    private func delete(_ text: String, _ grant: Grant) async throws -> Response {
        guard let id = Int64(text), try await administration.deleteAnnotation(id, app: grant.appID) else {
            throw Problem.notFound("the app has no such annotation: GET /v1/annotations lists them")
        }
        return .object { $0.field("id", id) }
    }
}

extension Annotation {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("at", at)
        json.field("label", label)
    }
}
