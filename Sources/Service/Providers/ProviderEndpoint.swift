internal import Administration
internal import Decoding
internal import HTTPTypes
internal import Hummingbird
internal import Ingestion
internal import NotificationEvents

/// `POST /v1/providers/apns` and `POST /v1/providers/fcm`: take a push as it was sent, with the provider's answer, and store
/// both as `request` and `push_result` events.
struct ProviderEndpoint: Sendable {
    let ingestion: BodyIngestion

    var routes: [Route] {
        [route("/v1/providers/apns", .apns), route("/v1/providers/fcm", .fcm)]
    }

    private func route(_ template: String, _ format: SenderFormat) -> Route {
        Route(
            method: .post,
            template: template,
            handler: .keyed([.provider, .admin]) { request, context, grant in
                try await ingestion.take(request, context, grant, as: format)
            },
            isQuiet: true,
            takesEvents: true
        )
    }
}

extension BodyIngestion {
    /// Answers a request whose body is in a sender's format.
    func take(_ request: Request, _ context: ServiceContext, _ grant: Grant, as format: SenderFormat) async throws
        -> Response
    {
        guard case .json? = BodyFormat(contentType: request.headers.value(.contentType) ?? "") else {
            throw Problem.notJSON
        }
        return try await take(request, context, grant, as: .sender(format))
    }
}
