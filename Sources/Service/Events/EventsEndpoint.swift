internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import Ingest
internal import NIOCore
internal import NotificationEvents

/// `POST /v1/events`: takes events, and answers when they are on disk.
struct EventsEndpoint: Sendable {
    let log: EventLog
    let rejections: Rejections
    let decoder: IngestDecoder
    let limits: IngestLimits
    let admission: Admission

    var routes: [Route] {
        [
            Route(
                method: .post,
                template: "/v1/events",
                handler: .keyed([.write, .provider, .admin]) { request, _, grant in try await take(request, grant) },
                isQuiet: true
            )
        ]
    }

    private func take(_ request: Request, _ grant: Grant) async throws -> Response {
        if let wait = grant.bucket?.wait() { throw Problem.tooFast(wait: wait) }
        let contentType = request.headers[.contentType]
        guard BodyFormat(contentType: contentType ?? "") != nil else {
            throw Problem.unsupportedMediaType
        }
        let listsAll = try Self.listsAll(request)
        let sentAt = try Self.sentAt(request)
        try BodyReader.checkAnnouncedLength(request, limit: limits.bodyBytes)
        var holding = Holding(admission)
        let body = try await BodyReader.read(request, limit: limits.bodyBytes, holding: &holding)
        guard admission.enter() else { throw Problem.overloaded }
        defer { admission.leave() }
        let batch = Batch(
            grant: grant,
            receivedAt: Timestamp(microseconds: Tally.currentMicroseconds()),
            sentAt: sentAt
        )
        let encoding = request.headers[.contentEncoding]
        // Once decompressed it may be as large as is allowed.
        if encoding != nil { try holding.hold(body.readableBytes + limits.bodyBytes) }
        let items = try decode(body, contentType, encoding, batch)
        try holding.hold(body.readableBytes + items.reduce(0) { $0 + $1.bytesInMemory })
        grant.bucket?.spend(max(items.count, 1))
        let outcomes = try await store(items, batch)
        return EventsAnswer(outcomes).response(listsAll: listsAll)
    }

    private func decode(
        _ body: ByteBuffer,
        _ contentType: String?,
        _ encoding: String?,
        _ batch: Batch
    ) throws -> [IngestItem] {
        let policy = try batch.grant.ingestPolicy(limits)
        do {
            return try body.withUnsafeReadableBytes { bytes in
                try decoder.decode(
                    bytes,
                    contentType: contentType,
                    contentEncoding: encoding,
                    policy: policy,
                    receivedAt: batch.receivedAt,
                    sentAt: batch.sentAt
                )
            }
        } catch let error as BodyError {
            rejections.count(error, batch)
            throw Problem(error)
        }
    }

    /// Stores what is accepted and puts aside what is not; an item's outcome stands where the item stood.
    private func store(_ items: [IngestItem], _ batch: Batch) async throws -> [ItemOutcome] {
        var events: [NormalisedEvent] = []
        events.reserveCapacity(items.count)
        for case .accepted(let event, _) in items { events.append(event) }
        let results: [AppendResult]
        do {
            results = try await log.append(events, app: batch.grant.appID)
        } catch let error as AppendError {
            throw error.isOverload ? Problem.overloaded : error.isStopped ? .stopping : .databaseAway
        }
        var outcomes: [ItemOutcome] = []
        outcomes.reserveCapacity(items.count)
        var rejected: [Rejection] = []
        var next = 0
        for (index, item) in items.enumerated() {
            switch item {
            case .rejected(let item):
                rejected.append(Rejection(item))
                outcomes.append(.rejected(item.id, item.error))
            case .accepted(let event, let warnings):
                let outcome = ItemOutcome(event, results[next], index: index, warnings: warnings)
                next += 1
                if case .rejected(_, let error) = outcome {
                    rejected.append(Rejection(event, error, index: index, batch.grant))
                }
                outcomes.append(outcome)
            }
        }
        try await rejections.keep(rejected, batch)
        return outcomes
    }

    private static func listsAll(_ request: Request) throws(Problem) -> Bool {
        guard request.uri.query != nil else { return false }
        let query = Query(request)
        try query.expect(only: ["results"])
        switch query.last("results") {
        case nil: return false
        case "all": return true
        default: throw .badParameter("results takes one value: all")
        }
    }

    private static func sentAt(_ request: Request) throws(Problem) -> Timestamp? {
        guard let text = request.headers[.notilogSentAt] else { return nil }
        guard let zoned = Timestamp.parse(text) else {
            throw Problem(
                .badRequest,
                "invalid_header",
                "Notilog-Sent-At is not an RFC 3339 time, such as 2026-03-01T08:30:00.250Z"
            )
        }
        return zoned.timestamp
    }
}

/// What holds for every item of one request.
struct Batch: Sendable {
    var grant: Grant
    var receivedAt: Timestamp
    var sentAt: Timestamp?
}

extension IngestItem {
    /// About what it takes in memory.
    fileprivate var bytesInMemory: Int {
        let overhead = 512
        return switch self {
        case .accepted(let event, _): event.data.count + event.deviceID.utf8.count + overhead
        case .rejected(let item): (item.redacted?.count ?? 0) + overhead
        }
    }
}

extension HTTPField.Name {
    /// The sender's clock as it sends (events.md, "Sending events").
    static let notilogSentAt = HTTPField.Name("Notilog-Sent-At") ?? .date
}

extension Grant {
    func ingestPolicy(_ limits: IngestLimits) throws(Problem) -> IngestPolicy {
        var policy = IngestPolicy(scope: scope, keepReplyText: keepsReplyText, limits: limits)
        switch ids {
        case .clear: break
        case .hashed(let key): policy.idHashKey = key
        case .unavailable: throw .noHashSecret
        }
        return policy
    }
}
