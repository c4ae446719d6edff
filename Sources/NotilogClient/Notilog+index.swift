import Foundation

extension Notilog {
    private static let indexNote = "notifications"

    /// Changes the index of notifications and records what comes of that, as one: an app and its extension may do so at
    /// the same time, and a kill leaves neither a change of which nothing is told nor two that overwrite each other.
    ///
    /// - Parameter change: given the index as it is and the time; gives the events. It may be called a second time, with
    ///   an index that the first call has not changed.
    /// - Returns: a receipt for each event, and why there are none where that is not for lack of events.
    func changeIndex(
        _ change: (inout NotificationIndex, Date) -> [Event]
    ) -> (receipts: [Receipt], failure: Receipt.Reason?) {
        // Asked for before, as the storage may not be asked while it changes something.
        let (now, deviceID, context) = (options.clock.now, deviceID, options.context())
        var batch = EncodedBatch()
        let failure = failure {
            try storage.change(Self.indexNote) { data in
                let before = data.flatMap { try? JSONDecoder().decode(NotificationIndex.self, from: $0) }
                var index = before ?? NotificationIndex()
                batch = EncodedBatch(change(&index, now), deviceID: deviceID, context: context, now: now)
                let note = index == before ? nil : try? JSONEncoder().encode(index)
                return NoteChange(note: note, events: batch.queued)
            }
        }
        return (receipts(of: batch, failure: failure), failure)
    }

    /// What the storage answered, as a reason; `nil` where it did what it was asked to.
    func failure(_ body: () throws -> Bool) -> Receipt.Reason? {
        do {
            return try body() ? nil : .noConsent
        } catch {
            reports.send(.storage(String(describing: error)))
            return .storage(String(describing: error))
        }
    }

    /// The receipts of events, once the storage has answered.
    func receipts(of batch: EncodedBatch, failure: Receipt.Reason?) -> [Receipt] {
        for discarded in batch.discarded { reports.send(.discarded(kind: discarded.kind, discarded.reason)) }
        if let failure { return batch.receipts.map { $0.isQueued ? Receipt(reason: failure) : $0 } }
        if options.sendsAutomatically, !batch.queued.isEmpty { wake(events: batch.queued.count) }
        return batch.receipts
    }
}
