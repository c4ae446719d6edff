import Foundation
import NotificationEvents

/// Events for tests of the log, which looks at none of their content.
enum SampleEvents {
    /// 2026-01-15T12:00:00Z
    static let noon = Timestamp(seconds: 1_768_478_400)

    static func make(
        id: EventID = .random(),
        kind: String = "delivery",
        device: String = "device-1",
        content: UInt64 = 1,
        at: Timestamp = noon,
        notification: String? = "n-1",
        data: String = "{\"source\": \"service_extension\"}"
    ) -> NormalisedEvent {
        let kind = EventKind.named(kind) ?? EventKind.all[0]
        return NormalisedEvent(
            kind: kind,
            id: id,
            digest: ContentDigest(high: content, low: 0),
            deviceID: device,
            receivedAt: at,
            occurredAt: at,
            effectiveAt: at,
            notificationID: notification,
            data: Array(data.utf8)
        )
    }

    /// Events that differ from each other in their ids.
    static func batch(_ count: Int, device: String = "device-1") -> [NormalisedEvent] {
        (0..<count).map { _ in make(device: device) }
    }
}

extension EventID {
    static func random() -> EventID {
        EventID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
    }
}
