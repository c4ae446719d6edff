internal import Administration
internal import EventLog
internal import Ingest
internal import NotificationEvents

/// An item that is not stored, and what is kept of it.
struct Rejection: Sendable {
    var index: Int
    var kind: String
    var error: EventError
    var redacted: [UInt8]?
    var length: Int
    var digest: ContentDigest

    /// An item that the decoder did not take.
    init(_ item: RejectedItem) {
        index = item.index
        kind = item.kind ?? ""
        error = item.error
        redacted = item.redacted
        length = item.length
        digest = item.digest
    }

    /// An event that was in order, but that the log did not take, such as one whose id another has.
    init(_ event: NormalisedEvent, _ error: EventError, index: Int, _ grant: Grant) {
        self.index = index
        kind = event.kind.name
        self.error = error
        let hashesIDs = if case .hashed = grant.ids { true } else { false }
        redacted = event.redactedItem(hashesIDs: hashesIDs)
        length = redacted?.count ?? event.data.count
        digest = event.digest
    }
}

extension QuarantinedItem {
    init(_ item: Rejection, _ batch: Batch) {
        self.init(
            app: batch.grant.appID,
            keyID: batch.grant.keyID,
            receivedAt: batch.receivedAt,
            sentAt: batch.sentAt,
            code: item.error.code.rawValue,
            pointer: Self.pointer(item),
            message: item.error.message,
            length: Int32(clamping: item.length),
            digest: item.digest,
            item: item.redacted
        )
    }

    /// Where in the item: the pointer without the item's own place in its body.
    private static func pointer(_ item: Rejection) -> String {
        let place = "/\(item.index)"
        guard item.error.pointer == place || item.error.pointer.hasPrefix(place + "/") else {
            return item.error.pointer
        }
        return String(item.error.pointer.dropFirst(place.count))
    }
}
