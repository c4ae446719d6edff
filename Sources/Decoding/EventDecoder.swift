public import NotificationEvents
import Synchronization

/// Turns bodies into events. One decoder serves any number of tasks at once; each call takes a workspace out of its pool.
public final class EventDecoder: Sendable {
    private let pool = Mutex<[Workspace]>([])
    /// How many workspaces are kept for later calls.
    private let kept: Int

    /// Makes a decoder.
    /// - Parameter kept: how many workspaces, of up to about 2 MiB each, are kept between calls.
    public init(keeping kept: Int = 4) {
        self.kept = kept
    }

    /// Reads a body and normalises its events.
    ///
    /// Each item stands alone: the result has one element for each, in order, accepted or rejected. Blank lines of
    /// NDJSON are no items. Nothing blocks; the work is in proportion to the body, which the limits bound.
    /// - Parameters:
    ///   - body: the bytes as they came.
    ///   - format: how it holds its events.
    ///   - contentEncoding: the header `Content-Encoding`: `gzip`, `identity` or none.
    ///   - policy: what applies to the app and its key.
    ///   - receivedAt: the service's clock.
    ///   - sentAt: the sender's clock as it sent, if it said so.
    ///   - attributes: a CloudEvent's attributes, where it is sent in binary mode: the body, JSON, is then its `data`.
    /// - Throws: ``BodyError`` where the body as a whole is rejected.
    public func decode(
        _ body: UnsafeRawBufferPointer,
        format: BodyFormat,
        contentEncoding: String? = nil,
        attributes: [(name: String, value: String)] = [],
        policy: DecodingPolicy,
        receivedAt: Timestamp,
        sentAt: Timestamp? = nil
    ) throws(BodyError) -> [DecodedItem] {
        let workspace = try take()
        defer { giveBack(workspace) }
        try workspace.fill(body, contentEncoding, policy.limits)
        let context = Normaliser.Context(policy, receivedAt: receivedAt, sentAt: sentAt)
        guard format == .json, !attributes.isEmpty else { return try workspace.decode(format, context) }
        try workspace.wrap(attributes)
        return try workspace.decode(.cloudEvent, context)
    }

    /// Reads a body in a sender's format, in JSON: one item, or an array of them; Segment's calls also in `batch`.
    ///
    /// Each item stands alone, and may become several events, each accepted or rejected by itself.
    /// - Parameters:
    ///   - body: the bytes as they came.
    ///   - format: what the items are.
    ///   - contentEncoding: the header `Content-Encoding`: `gzip`, `identity` or none.
    ///   - policy: what applies to the app and its key.
    ///   - receivedAt: the service's clock.
    ///   - sentAt: the sender's clock as it sent, if a header said so; else the body's own counts.
    /// - Throws: ``BodyError`` where the body as a whole is rejected.
    public func translate(
        _ body: UnsafeRawBufferPointer,
        _ format: SenderFormat,
        contentEncoding: String? = nil,
        policy: DecodingPolicy,
        receivedAt: Timestamp,
        sentAt: Timestamp? = nil
    ) throws(BodyError) -> TranslatedBody {
        let workspace = try take()
        defer { giveBack(workspace) }
        let (reading, nested) = (try take(), try take())
        defer {
            giveBack(reading)
            giveBack(nested)
        }
        try workspace.fill(body, contentEncoding, policy.limits)
        let context = Normaliser.Context(policy, receivedAt: receivedAt, sentAt: sentAt)
        return try workspace.translate(format, context, (reading, nested))
    }

    private func take() throws(BodyError) -> Workspace {
        guard let workspace = pool.withLock({ $0.popLast() }) ?? Workspace() else {
            throw .noMemory
        }
        return workspace
    }

    private func giveBack(_ workspace: Workspace) {
        guard workspace.isSmall else { return }
        pool.withLock {
            if $0.count < kept {
                $0.append(workspace)
            }
        }
    }

    /// Reads a body given as an array of bytes; see the other `decode`.
    ///
    /// - Throws: ``BodyError`` where the body as a whole is rejected.
    public func decode(
        _ body: [UInt8],
        format: BodyFormat,
        contentEncoding: String? = nil,
        policy: DecodingPolicy,
        receivedAt: Timestamp,
        sentAt: Timestamp? = nil
    ) throws(BodyError) -> [DecodedItem] {
        let result = body.withUnsafeBytes { bytes in
            Result { () throws(BodyError) in
                try decode(
                    bytes,
                    format: format,
                    contentEncoding: contentEncoding,
                    policy: policy,
                    receivedAt: receivedAt,
                    sentAt: sentAt
                )
            }
        }
        return try result.get()
    }
}
