internal import Decoding
internal import HTTPTypes
internal import Hummingbird
internal import NotificationEvents

/// `POST /v1/compat/segment`: takes the track calls about notifications of Segment's spec, so that an app that makes them
/// already only changes where it sends to.
struct SegmentEndpoint: Sendable {
    let ingestion: BodyIngestion
    /// The paths that Segment's libraries append to the URL that they are given.
    private static let calls = ["b", "batch", "t", "track"]

    var routes: [Route] {
        [
            route("/v1/compat/segment") { _ in },
            route("/v1/compat/segment/{call}") { context in
                guard try Self.calls.contains(context.pathParameter("call")) else {
                    throw Problem.notFound("there is nothing at this path: calls go to b, batch, t or track")
                }
            },
        ]
    }

    private func route(_ template: String, _ check: @escaping @Sendable (ServiceContext) throws -> Void) -> Route {
        Route(
            method: .post,
            template: template,
            // Segment's libraries send the key as the name of HTTP's basic authentication.
            handler: .keyed([.write, .provider, .admin]) { request, context, grant in
                try check(context)
                return try await ingestion.take(request, context, grant, as: .segment)
            },
            isQuiet: true,
            takesBasicKey: true,
            takesEvents: true
        )
    }
}
