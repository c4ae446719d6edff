public import Administration
public import EventLog
public import Ingest
public import Metrics
public import NotificationEvents

/// Takes events in: decodes bodies, appends what is accepted to the log, keeps what is not in quarantine, and says what
/// became of each item.
public struct Intake: Sendable {
    /// How large bodies and events may be, and how old events.
    public let limits: IngestLimits
    private let log: EventLog
    private let rejections: Rejections
    private let clock: ReceiptClock
    private let decoder = IngestDecoder()

    /// - Parameters:
    ///   - log: takes the events; it must be running.
    ///   - quarantine: keeps what is not accepted.
    ///   - tally: counts it in the database.
    ///   - clock: the clock that events are received by.
    ///   - limits: how large bodies and events may be, and how old events.
    ///   - metrics: counts it in metrics.
    public init(
        log: EventLog,
        quarantine: Quarantine,
        tally: Tally,
        clock: ReceiptClock,
        limits: IngestLimits,
        metrics: any MetricsFactory
    ) {
        self.log = log
        rejections = Rejections(quarantine: quarantine, tally: tally, factory: metrics)
        self.clock = clock
        self.limits = limits
    }

    /// Begins a batch, received now.
    ///
    /// - Parameters:
    ///   - grant: what the sender's key may do.
    ///   - sentAt: the sender's clock as it sent, if it said so.
    /// - Throws: ``IntakeError`` where the clock cannot be right, or nobody can say whether it is; `CancellationError`.
    public func begin(_ grant: Grant, sentAt: Timestamp?) async throws -> Batch {
        Batch(grant: grant, receivedAt: try await clock.time(), sentAt: sentAt)
    }

    /// Makes items of a body. It sets the batch's ``Batch/sentAt`` where the body alone says it.
    ///
    /// - Parameters:
    ///   - body: the bytes as they came.
    ///   - content: what they are.
    ///   - encoding: how they are compressed: `gzip`, `identity` or nil.
    /// - Throws: ``IntakeError`` where the body as a whole is refused, or ids cannot be hashed.
    public func decode(
        _ body: UnsafeRawBufferPointer,
        _ content: BodyContent,
        encoding: String?,
        _ batch: inout Batch
    ) throws(IntakeError) -> [IntakeItem] {
        let policy = try batch.grant.ingestPolicy(limits)
        do {
            switch content {
            case .events(let contentType, let attributes):
                return try decoder.decode(
                    body,
                    contentType: contentType,
                    contentEncoding: encoding,
                    attributes: attributes,
                    policy: policy,
                    receivedAt: batch.receivedAt,
                    sentAt: batch.sentAt
                ).enumerated().map { IntakeItem(item: $1, index: $0, pointer: "/\($0)") }
            case .sender(let format):
                let translated = try decoder.translate(
                    body,
                    format,
                    contentEncoding: encoding,
                    policy: policy,
                    receivedAt: batch.receivedAt,
                    sentAt: batch.sentAt
                )
                batch.sentAt = batch.sentAt ?? translated.sentAt
                return translated.events.map {
                    IntakeItem(item: $0.item, index: $0.index, pointer: $0.place, kind: $0.kind)
                }
            }
        } catch {
            rejections.count(error, batch)
            throw .body(error)
        }
    }

    /// Appends what is accepted and keeps the rest in quarantine.
    ///
    /// - Returns: what became of each item, in their order, after it is on disk.
    /// - Throws: `AppendError`, ``IntakeError`` and `PostgresError`: nothing is then acknowledged, and the same batch may be
    ///   taken again; `CancellationError`.
    public func store(_ items: [IntakeItem], _ batch: Batch) async throws -> [IntakeOutcome] {
        let outcomes = try await log.append(items, app: batch.grant.appID)
        guard outcomes.contains(where: \.isRejected) else { return outcomes }
        var rejected: [Rejection] = []
        for (item, outcome) in zip(items, outcomes) {
            guard case .rejected(_, let error) = outcome.outcome else { continue }
            switch item.item {
            case .rejected(let item): rejected.append(Rejection(item))
            case .accepted(let event, _):
                // By a clock that went back as PostgreSQL's did, everything is.
                if error.code == .tooOld, let problem = try await clock.problem() { throw IntakeError.clock(problem) }
                rejected.append(Rejection(event, error, index: item.index, batch.grant))
            }
        }
        try await rejections.keep(rejected, batch)
        return outcomes
    }
}

extension Grant {
    fileprivate func ingestPolicy(_ limits: IngestLimits) throws(IntakeError) -> IngestPolicy {
        var policy = IngestPolicy(scope: scope, keepReplyText: keepsReplyText, limits: limits)
        switch ids {
        case .clear: break
        case .hashed(let key): policy.idHashKey = key
        case .unavailable: throw .noHashSecret
        }
        return policy
    }
}
