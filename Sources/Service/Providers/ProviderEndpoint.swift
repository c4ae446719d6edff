internal import Administration
internal import HTTPTypes
internal import Hummingbird
internal import Ingest
internal import NotificationEvents

/// `POST /v1/providers/apns` and `POST /v1/providers/fcm`: take what a sender sent and what it was answered, and store
/// the `request` and `push_result` events that it is.
struct ProviderEndpoint: Sendable {
    let intake: EventIntake

    var routes: [Route] {
        [route("/v1/providers/apns", .apns), route("/v1/providers/fcm", .fcm)]
    }

    private func route(_ template: String, _ format: SenderFormat) -> Route {
        Route(
            method: .post,
            template: template,
            handler: .keyed([.provider, .admin]) { request, context, grant in
                try await intake.take(request, context, grant, as: format)
            },
            isQuiet: true
        )
    }
}

extension EventIntake {
    /// Answers a request whose body is in a sender's format.
    func take(_ request: Request, _ context: ServiceContext, _ grant: Grant, as format: SenderFormat) async throws
        -> Response
    {
        guard case .json? = BodyFormat(contentType: request.headers[.contentType] ?? "") else {
            throw Problem.notJSON
        }
        let encoding = request.headers[.contentEncoding]
        return try await take(request, context, grant) { decoder, body, batch, policy throws(BodyError) in
            let translated = try decoder.translate(
                body,
                format,
                contentEncoding: encoding,
                policy: policy,
                receivedAt: batch.receivedAt,
                sentAt: batch.sentAt
            )
            batch.sentAt = batch.sentAt ?? translated.sentAt
            return translated.events.map { event in
                PlacedItem(item: event.item, index: event.index, place: event.place, kind: event.kind)
            }
        }
    }
}
