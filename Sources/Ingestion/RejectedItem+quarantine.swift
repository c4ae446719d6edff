internal import Administration
internal import Decoding
internal import EventLog
internal import NotificationEvents

extension RejectedItem {
    /// A valid event that the log rejected, such as one whose id another has. Length and digest are those of the event, as
    /// its item is gone.
    init(_ event: NormalisedEvent, _ error: EventError, _ grant: Grant) {
        let hashesIDs = if case .hashed = grant.ids { true } else { false }
        let redacted = event.redactedItem(hashesIDs: hashesIDs)
        self.init(
            id: event.id,
            kind: event.kind.name,
            error: error,
            redacted: redacted,
            length: redacted?.count ?? event.data.count,
            digest: event.digest
        )
    }
}

extension QuarantinedItem {
    /// - Parameter pointer: the JSON pointer to the item in its body. Quarantine has the item alone, so the error's pointer
    ///   is kept without it.
    init(_ item: RejectedItem, pointer: String, _ receipt: Receipt) {
        let error = item.error
        let isWithin = error.pointer == pointer || error.pointer.hasPrefix(pointer + "/")
        self.init(
            app: receipt.grant.appID,
            keyID: receipt.grant.keyID,
            receivedAt: receipt.receivedAt,
            sentAt: receipt.sentAt,
            code: error.code.rawValue,
            pointer: isWithin ? String(error.pointer.dropFirst(pointer.count)) : error.pointer,
            message: error.message,
            length: Int32(clamping: item.length),
            digest: item.digest,
            item: item.redacted
        )
    }
}
