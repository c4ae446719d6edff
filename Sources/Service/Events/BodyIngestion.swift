internal import Administration
internal import Decoding
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import Ingestion
internal import NotificationEvents

/// Reads bodies within their limits, passes them to the `Ingestion`, and answers once the events are on disk. Every route for
/// events uses it.
struct BodyIngestion: Sendable {
    let ingestion: Ingestion
    let keys: KeyDirectory
    let admission: Admission
    private let decoding: BodyDecoding

    init(ingestion: Ingestion, keys: KeyDirectory, admission: Admission) {
        self.ingestion = ingestion
        self.keys = keys
        self.admission = admission
        decoding = BodyDecoding(limit: ingestion.limits.bodyBytes)
    }

    /// Answers a request whose media type is already checked.
    nonisolated(nonsending) func take(
        _ request: Request,
        _ context: ServiceContext,
        _ grant: Grant,
        as content: BodyContent
    ) async throws
        -> Response
    {
        let bucket = keys.bucket(of: grant.keyID)
        if let wait = bucket?.wait() { throw Problem.tooFast(wait: wait) }
        let listsAll = try Self.listsAll(request)
        let sentAt = try Self.sentAt(request)
        let limit = ingestion.limits.bodyBytes
        try BodyReader.checkAnnounced(request, limit: limit)
        var holding = Holding(admission, app: grant.appID)
        let body = try await BodyReader.read(request, limit: limit, holding: &holding, cutOff: context.cutBodyOff)
        try admission.enter(grant.appID)
        defer { admission.leave(grant.appID) }
        // Whatever it holds: what is refused costs time, too.
        bucket?.spend(1)
        var receipt = try await ingestion.receive(grant, sentAt: sentAt)
        let encoding = request.headers.value(.contentEncoding)
        let items = try await decoding.decode(body, encoding: encoding, of: grant.appID, holding: &holding) { bytes in
            try ingestion.decode(bytes, content, encoding: encoding, &receipt)
        }
        bucket?.spend(max(items.count, 1) - 1)
        // A body may take long, and an app that is deleted waits for the appends of its keys alone.
        guard keys.isActive(grant) else { throw Problem.unknownKey }
        let outcomes = try await ingestion.store(items, receipt)
        return EventsAnswer(outcomes, isClustered: ingestion.isClustered).response(listsAll: listsAll)
    }

    private static func listsAll(_ request: Request) throws(Problem) -> Bool {
        guard request.uri.query != nil else { return false }
        let query = try Query(request)
        try query.expect(only: ["results"])
        switch query.last("results") {
        case nil: return false
        case "all": return true
        default: throw .badParameter("results takes one value: all")
        }
    }

    private static func sentAt(_ request: Request) throws(Problem) -> Timestamp? {
        guard let text = request.headers.value(.notilogSentAt) else { return nil }
        guard let zoned = Timestamp.parse(text, digits: 9) else {
            throw Problem(
                .badRequest,
                "invalid_header",
                "Notilog-Sent-At is not an RFC 3339 time, such as 2026-03-01T08:30:00.250Z"
            )
        }
        return zoned.timestamp
    }
}
