public import Administration
public import Decoding
public import EventLog
public import Metrics
public import NotificationEvents

/// Accepts events: decodes bodies, appends accepted events to the log, keeps rejected items in quarantine, and returns the
/// outcome of each item.
public struct Ingestion: Sendable {
    /// The limits of bodies and events.
    public let limits: DecodingLimits
    private let log: CellLog
    private let rejections: Rejections
    private let clock: ReceiptClock
    private let decoder = EventDecoder()

    /// - Parameters:
    ///   - log: stores the events; it must be running.
    ///   - quarantine: stores rejected items.
    ///   - tally: counts rejected items in the database.
    ///   - clock: gives the time of receipt.
    ///   - limits: the limits of bodies and events.
    ///   - metrics: counts rejected items.
    public init(
        log: CellLog,
        quarantine: Quarantine,
        tally: Tally,
        clock: ReceiptClock,
        limits: DecodingLimits,
        metrics: any MetricsFactory
    ) {
        self.log = log
        rejections = Rejections(quarantine: quarantine, tally: tally, factory: metrics)
        self.clock = clock
        self.limits = limits
    }

    /// Whether the log is in several cells, whose numbers its positions end with.
    public var isClustered: Bool { log.isClustered }

    /// The receipt of a body that is received now.
    ///
    /// - Parameters:
    ///   - grant: what the sender's key may do.
    ///   - sentAt: the time of sending by the sender's clock, if it is known.
    /// - Throws: ``IngestionError`` if the clock is wrong or cannot be checked; `CancellationError`.
    public nonisolated(nonsending) func receive(_ grant: Grant, sentAt: Timestamp?) async throws -> Receipt {
        Receipt(grant: grant, receivedAt: try await clock.time(), sentAt: sentAt)
    }

    /// Decodes a body. Sets ``Receipt/sentAt`` if only the body has it.
    ///
    /// - Parameters:
    ///   - body: the bytes as received.
    ///   - content: their format.
    ///   - encoding: the header `Content-Encoding`: `gzip`, `identity` or nil.
    /// - Throws: ``IngestionError`` if the whole body is rejected, or ids cannot be hashed.
    public func decode(
        _ body: UnsafeRawBufferPointer,
        _ content: BodyContent,
        encoding: String?,
        _ receipt: inout Receipt
    ) throws(IngestionError) -> [DecodedItem] {
        let policy = try receipt.grant.ingestPolicy(limits)
        do {
            switch content {
            case .events(let format, let attributes):
                return try decoder.decode(
                    body,
                    format: format,
                    contentEncoding: encoding,
                    attributes: attributes,
                    policy: policy,
                    receivedAt: receipt.receivedAt,
                    sentAt: receipt.sentAt
                )
            case .sender(let format):
                let translated = try decoder.translate(
                    body,
                    format,
                    contentEncoding: encoding,
                    policy: policy,
                    receivedAt: receipt.receivedAt,
                    sentAt: receipt.sentAt
                )
                receipt.sentAt = receipt.sentAt ?? translated.sentAt
                return translated.events
            }
        } catch {
            rejections.count(error, receipt)
            throw .body(error)
        }
    }

    /// Appends accepted events to the log and adds rejected items to the quarantine.
    ///
    /// - Returns: the outcome of each item, in order, once all is on disk.
    /// - Throws: `AppendError`, ``IngestionError`` or `PostgresError`: nothing is acknowledged, and the same body may be sent
    ///   again; `CancellationError`.
    public nonisolated(nonsending) func store(_ items: [DecodedItem], _ receipt: Receipt) async throws
        -> [IngestionOutcome]
    {
        let outcomes = try await log.append(items, app: receipt.grant.appID)
        guard outcomes.contains(where: \.isRejected) else { return outcomes }
        // If both clocks went back, every event is too old for the log. Asked once a body, as PostgreSQL answers.
        if zip(items, outcomes).contains(where: { $0.isAccepted && $1.isTooOld }),
            let problem = try await clock.problem()
        {
            throw IngestionError.clock(problem)
        }
        var rejected: [(item: RejectedItem, pointer: String)] = []
        for (item, outcome) in zip(items, outcomes) {
            guard case .rejected(_, let error) = outcome.outcome else { continue }
            switch item.item {
            case .rejected(let rejection): rejected.append((rejection, item.pointer))
            case .accepted(let event, _): rejected.append((RejectedItem(event, error, receipt.grant), item.pointer))
            }
        }
        try await rejections.keep(rejected, receipt)
        return outcomes
    }
}

extension DecodedItem {
    fileprivate var isAccepted: Bool {
        if case .accepted = item { true } else { false }
    }
}

extension Grant {
    fileprivate func ingestPolicy(_ limits: DecodingLimits) throws(IngestionError) -> DecodingPolicy {
        var policy = DecodingPolicy(scope: scope, keepReplyText: keepsReplyText, limits: limits)
        switch ids {
        case .clear: break
        case .hashed(let key): policy.idHashKey = key
        case .unavailable: throw .noHashSecret
        }
        return policy
    }
}
