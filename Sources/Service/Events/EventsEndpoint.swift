internal import Administration
internal import Decoding
internal import HTTPTypes
internal import Hummingbird
internal import Ingestion
internal import NotificationEvents

/// `POST /v1/events`: takes events, and answers when they are on disk.
struct EventsEndpoint: Sendable {
    let ingestion: BodyIngestion

    private static var path: String { "/v1/events" }

    /// Whether a request's target is this endpoint, with a query or without.
    static func isTarget(_ target: String) -> Bool {
        guard target.utf8.starts(with: path.utf8) else { return false }
        let next = target.utf8.dropFirst(path.utf8.count).first
        return next == nil || next == UInt8(ascii: "?")
    }

    var routes: [Route] {
        [
            Route(
                method: .post,
                template: Self.path,
                handler: .keyed([.write, .provider, .admin]) { request, context, grant in
                    try await take(request, context, grant)
                },
                isQuiet: true,
                takesEvents: true
            )
        ]
    }

    private nonisolated(nonsending) func take(_ request: Request, _ context: ServiceContext, _ grant: Grant)
        async throws -> Response
    {
        guard let format = BodyFormat(contentType: request.headers.value(.contentType) ?? "") else {
            throw Problem.unsupportedMediaType
        }
        let attributes = Self.cloudEventAttributes(request)
        return try await ingestion.take(request, context, grant, as: .events(format, attributes: attributes))
    }

    /// The attributes of a CloudEvent in binary mode; none if the request is no such event.
    private static func cloudEventAttributes(_ request: Request) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        for field in request.headers where field.name.canonicalName.utf8.starts(with: "ce-".utf8) {
            // These headers percent-encode other characters than ASCII.
            found.append((String(field.name.canonicalName.dropFirst(3)), percentDecoded(field.value) ?? field.value))
        }
        return found.contains { $0.name == "specversion" } ? found : []
    }
}
