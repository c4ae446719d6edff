import Foundation

/// Encoded events for the queue, with a receipt for each as if the queue had taken them.
struct EncodedBatch {
    var queued: [Notilog.QueuedEvent] = []
    var receipts: [Notilog.Receipt] = []
    /// The events that the service would never take.
    var discarded: [(kind: String, reason: Notilog.Receipt.Reason)] = []

    /// Whether one of the events is sent at once.
    var isUrgent = false

    init() {}

    init(_ events: [Notilog.Event], deviceID: String, context: Notilog.Context, now: Date) {
        for event in events {
            do throws(Notilog.Receipt.Reason) {
                let encoded = try EncodedEvent(event, deviceID: deviceID, context: context, now: now)
                queued.append(Notilog.QueuedEvent(id: encoded.id, queuedAt: now, json: encoded.json))
                isUrgent = isUrgent || Notilog.isUrgent(event)
                receipts.append(Notilog.Receipt(id: encoded.id, omitted: encoded.omitted))
            } catch {
                receipts.append(Notilog.Receipt(reason: error))
                discarded.append((event.kind, error))
            }
        }
    }
}
