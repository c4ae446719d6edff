internal import Administration
internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import Ingest
internal import NIOCore
internal import NotificationEvents

/// Takes bodies in: reads them within their limits, decodes, stores what is accepted, puts aside what is not, and
/// answers when it is on disk. Every route that events come by has it so.
struct EventIntake: Sendable {
    let log: EventLog
    let rejections: Rejections
    let decoder: IngestDecoder
    let limits: IngestLimits
    let keys: KeyDirectory
    let admission: Admission
    let clock: ReceiptClock

    /// Makes items of a body.
    ///
    /// It may set the batch's ``Batch/sentAt`` where the body says it.
    typealias Decode =
        @Sendable (IngestDecoder, UnsafeRawBufferPointer, inout Batch, IngestPolicy) throws(BodyError) -> [PlacedItem]

    /// Answers a request whose media type was looked at already.
    func take(_ request: Request, _ context: ServiceContext, _ grant: Grant, decode: Decode) async throws -> Response {
        let bucket = keys.bucket(of: grant.keyID)
        if let wait = bucket?.wait() { throw Problem.tooFast(wait: wait) }
        let listsAll = try Self.listsAll(request)
        let sentAt = try Self.sentAt(request)
        try BodyReader.checkAnnouncedLength(request, limit: limits.bodyBytes)
        var holding = Holding(admission, app: grant.appID)
        let body = try await BodyReader.read(
            request,
            limit: limits.bodyBytes,
            holding: &holding,
            cutOff: context.cutBodyOff
        )
        try admission.enter(grant.appID)
        defer { admission.leave(grant.appID) }
        var batch = Batch(
            grant: grant,
            receivedAt: try await clock.time(),
            sentAt: sentAt
        )
        // Once decompressed it may be as large as is allowed.
        if request.headers[.contentEncoding] != nil { try holding.hold(body.readableBytes + limits.bodyBytes) }
        let items = try items(body, &batch, decode)
        try holding.hold(body.readableBytes + items.reduce(0) { $0 + $1.item.bytesInMemory })
        bucket?.spend(max(items.count, 1))
        let outcomes = try await store(items, batch)
        return EventsAnswer(placed: outcomes).response(listsAll: listsAll)
    }

    private func items(_ body: ByteBuffer, _ batch: inout Batch, _ decode: Decode) throws -> [PlacedItem] {
        let policy = try batch.grant.ingestPolicy(limits)
        do {
            return try body.withUnsafeReadableBytes { bytes in try decode(decoder, bytes, &batch, policy) }
        } catch let error as BodyError {
            rejections.count(error, batch)
            throw Problem(error)
        }
    }

    /// Stores what is accepted and puts aside what is not; an item's outcome stands where the item stood.
    private func store(_ items: [PlacedItem], _ batch: Batch) async throws -> [PlacedOutcome] {
        var events: [NormalisedEvent] = []
        events.reserveCapacity(items.count)
        for case .accepted(let event, _) in items.lazy.map(\.item) { events.append(event) }
        let results: [AppendResult]
        do {
            results = try await log.append(events, app: batch.grant.appID)
        } catch let error as AppendError {
            if error.isOverload { throw Problem.overloaded(wait: error.wait ?? 1) }
            throw error.isStopped ? Problem.stopping : .databaseAway
        }
        // By a clock that went back as PostgreSQL's did, everything is.
        if results.contains(.tooOld), let problem = try await clock.problem() { throw Problem.clockWrong(problem) }
        var outcomes: [PlacedOutcome] = []
        outcomes.reserveCapacity(items.count)
        var rejected: [Rejection] = []
        var next = 0
        for placed in items {
            let outcome: ItemOutcome
            switch placed.item {
            case .rejected(let item):
                rejected.append(Rejection(item))
                outcome = .rejected(item.id, item.error)
            case .accepted(let event, let warnings):
                outcome = ItemOutcome(event, results[next], place: placed.place, warnings: warnings)
                next += 1
                if case .rejected(_, let error) = outcome {
                    rejected.append(Rejection(event, error, index: placed.index, batch.grant))
                }
            }
            outcomes.append(PlacedOutcome(outcome: outcome, index: placed.index, kind: placed.kind))
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

/// One event of a body, or what was to be one.
struct PlacedItem: Sendable {
    var item: IngestItem
    /// Which item of the body, from 0.
    var index: Int
    /// Where that item is, as a JSON pointer.
    var place: String
    /// Which of the events that the item became; `nil` where an item is one event.
    var kind: String?
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
        case .accepted(let event, let warnings):
            event.data.count + event.deviceID.utf8.count + warnings.reduce(0) { $0 + $1.utf8.count + 16 } + overhead
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
