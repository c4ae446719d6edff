import Foundation

extension Notilog {
    private static let indexNote = "notifications"

    /// Changes the index of notifications; see ``changeNote(_:_:_:)``.
    func changeIndex(
        _ change: (inout NotificationIndex, Date) -> [Event]
    ) -> (receipts: [Receipt], failure: Receipt.Reason?) {
        changeNote(Self.indexNote, NotificationIndex(), change)
    }

    /// Changes a small index that is kept beside the queue, and records the resulting events, atomically. An app and
    /// its extension may do so at the same time. A kill leaves neither a change without its events nor a lost update.
    ///
    /// - Parameters:
    ///   - name: the note's name.
    ///   - empty: the index to begin with if there is none, or none that can be read.
    ///   - change: takes the index and the time, and returns the events. It may be called again, with an index that the
    ///     first call did not change.
    /// - Returns: a receipt for each event, and the error if it left no events.
    func changeNote<Index: Codable & Equatable>(
        _ name: String,
        _ empty: Index,
        _ change: (inout Index, Date) -> [Event]
    ) -> (receipts: [Receipt], failure: Receipt.Reason?) {
        if let reason = reasonNotToRecord { return ([], reason) }
        // Asked for before, as the storage may not be asked while it changes something.
        let (now, deviceID, context) = (options.clock.now, deviceID, options.context())
        var batch = EncodedBatch()
        let failure = failure {
            try storage.change(name) { data in
                let before = data.flatMap { try? JSONDecoder().decode(Index.self, from: $0) }
                var index = before ?? empty
                batch = EncodedBatch(change(&index, now), deviceID: deviceID, context: context, now: now)
                let note = index == before ? nil : try? JSONEncoder().encode(index)
                return NoteChange(note: note, events: batch.queued)
            }
        }
        return (receipts(of: batch, failure: failure), failure)
    }

    /// Why nothing may be recorded now; `nil` if events may be. It is asked before the device id is, because none is
    /// created without consent.
    var reasonNotToRecord: Receipt.Reason? { failure { try permitsRecording() } }

    /// Why the storage failed; `nil` if it succeeded.
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
        guard options.sendsAutomatically, !batch.queued.isEmpty else { return batch.receipts }
        if batch.isUrgent { sendAtOnce("What just happened is sent.") } else { wake(events: batch.queued.count) }
        return batch.receipts
    }
}
