internal import Administration
internal import EventLog
internal import Ingest
internal import NotificationEvents

/// An item that is not stored, and what is kept of it.
struct Rejection: Sendable {
    var kind: String
    var error: EventError
    /// Where in the item the error is.
    var pointer: String
    var redacted: [UInt8]?
    var length: Int
    var digest: ContentDigest

    /// An item that the decoder rejected.
    ///
    /// - Parameter pointer: the JSON pointer to the item in its body.
    init(_ item: RejectedItem, pointer: String) {
        kind = item.kind ?? ""
        error = item.error
        self.pointer = Self.within(pointer, error)
        redacted = item.redacted
        length = item.length
        digest = item.digest
    }

    /// A valid event that the log rejected, such as one whose id another has.
    ///
    /// - Parameter pointer: the JSON pointer to the item in its body.
    init(_ event: NormalisedEvent, _ error: EventError, pointer: String, _ grant: Grant) {
        kind = event.kind.name
        self.error = error
        self.pointer = Self.within(pointer, error)
        let hashesIDs = if case .hashed = grant.ids { true } else { false }
        redacted = event.redactedItem(hashesIDs: hashesIDs)
        length = redacted?.count ?? event.data.count
        digest = event.digest
    }

    /// An error's pointer without that of the item.
    private static func within(_ item: String, _ error: EventError) -> String {
        guard error.pointer == item || error.pointer.hasPrefix(item + "/") else { return error.pointer }
        return String(error.pointer.dropFirst(item.count))
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
            pointer: item.pointer,
            message: item.error.message,
            length: Int32(clamping: item.length),
            digest: item.digest,
            item: item.redacted
        )
    }
}
