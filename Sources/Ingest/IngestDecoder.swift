public import NotificationEvents
import Synchronization

/// Turns bodies into events. One decoder serves any number of tasks at once; each call takes a workspace out of its pool.
public final class IngestDecoder: Sendable {
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
    ///   - contentType: the header `Content-Type`.
    ///   - contentEncoding: the header `Content-Encoding`: `gzip`, `identity` or none.
    ///   - policy: what applies to the app and its key.
    ///   - receivedAt: the service's clock.
    ///   - sentAt: the sender's clock as it sent, if it said so.
    /// - Throws: ``BodyError`` where the body as a whole is refused.
    public func decode(
        _ body: UnsafeRawBufferPointer,
        contentType: String?,
        contentEncoding: String? = nil,
        policy: IngestPolicy,
        receivedAt: Timestamp,
        sentAt: Timestamp? = nil
    ) throws(BodyError) -> [IngestItem] {
        guard let contentType, let format = BodyFormat(contentType: contentType) else {
            throw .unsupportedMediaType
        }
        guard let workspace = pool.withLock({ $0.popLast() }) ?? Workspace() else {
            throw .badJSON("there is not enough memory to read the body")
        }
        defer {
            if workspace.isSmall {
                pool.withLock {
                    if $0.count < kept {
                        $0.append(workspace)
                    }
                }
            }
        }
        switch contentEncoding?.trimmingBlanks().lowercased() {
        case nil, "", "identity":
            guard body.count <= policy.limits.bodyBytes else { throw .tooLarge(limit: policy.limits.bodyBytes) }
            workspace.input.fill(body)
        case "gzip", "x-gzip":
            try workspace.input.inflate(body, limit: policy.limits.bodyBytes)
        default:
            throw .unsupportedEncoding
        }
        let setting = Normaliser.Setting(policy: policy, receivedAt: receivedAt, sentAt: sentAt)
        return try workspace.decode(format, setting)
    }

    /// Reads a body given as an array of bytes; see the other `decode`.
    public func decode(
        _ body: [UInt8],
        contentType: String?,
        contentEncoding: String? = nil,
        policy: IngestPolicy,
        receivedAt: Timestamp,
        sentAt: Timestamp? = nil
    ) throws(BodyError) -> [IngestItem] {
        let result = body.withUnsafeBytes { bytes in
            Result { () throws(BodyError) in
                try decode(
                    bytes,
                    contentType: contentType,
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
