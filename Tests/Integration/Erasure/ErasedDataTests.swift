import Decoding
import NotificationEvents
import Postgres
import Testing

/// What of each kind of event is left once its device is erased is said here, field by field: a field that is new is
/// personal until somebody has said that it is not.
@Suite("Erasure: what is left of an event")
struct ErasedDataTests {
    /// Fields that a number is computed from, or that say nothing of the person.
    private static let kept: Set<String> = [
        "action_id", "activity_id", "alerting", "app_state", "attachments", "authorization_status", "badge",
        "campaign_id",
        "categories",
        "category_id", "content_available", "context", "delegate", "delivered_at", "environment", "error", "extension",
        "granted", "interruption_level", "mutable_content", "options", "origin", "provider", "push", "reason",
        "relevance_score", "request_identifier", "scheduled_for", "sound", "source", "state", "status", "status_before",
        "surface",
        "text_length", "timestamp", "topic", "trigger", "type", "variant",
        "alert", "lock_screen", "notification_center", "car_play", "critical_alert", "announcement", "time_sensitive",
        "answer", "attributes_type", "channel_id", "cold", "control_kind", "currency", "dismissal_date",
        "live_activities", "live_activity_event", "name", "order_id", "placement", "share", "stale_date", "started_by",
        "updates_by", "value",
        "scheduled_delivery", "direct_messages", "alert_style", "show_previews", "provides_app_notification_settings",
        "context/platform", "context/os_version", "context/app_version", "context/locale", "context/time_zone",
        "context/sdk_version",
        "trigger/type", "trigger/repeats", "trigger/interval_seconds", "trigger/region_event",
        "push/push_type", "push/priority", "push/expiration", "push/topic", "push/environment",
        "extension/outcome", "extension/duration_ms", "extension/attachments_loaded", "extension/attachments_failed",
    ]
    private static let dropped: Set<String> = [
        "attributes", "text", "thread_id", "apns_id", "push/apns_id", "trigger/date_components", "context/device_model",
    ]
    /// What is no field of `data`, but has a column of its own, or stands for others.
    private static let elsewhere: Set<String> = [
        "kind", "id", "occurred_at", "device_id", "notification_id", "occurrence", "token", "push/token", "payload",
        "headers",
    ]

    @Test("every field of every kind is either kept for a reason, or dropped", arguments: EventKind.all)
    func fields(of kind: EventKind) async throws {
        let names = kind.fields.flatMap { field -> [String] in
            if case .object(let inner) = field.type {
                [field.name] + inner.map { "\(field.name)/\($0.name)" }
            } else {
                [field.name]
            }
        }
        for name in names {
            #expect(
                Self.kept.contains(name) || Self.dropped.contains(name) || Self.elsewhere.contains(name),
                "\(name) of \(kind.name): say in sql/log/erased_data.sql and here whether it stays when a device is erased"
            )
        }
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            for name in names where Self.dropped.contains(name) {
                let path = name.split(separator: "/").map(String.init)
                let value = path.reversed().reduce("\"personal\"") { "{\"\($1)\":\($0)}" }
                let left: String = try await connection.query(
                    "SELECT log.erased_data($1, $2, NULL)::text",
                    [.text(kind.name), .jsonb(value)]
                ).only().get(0)
                #expect(!left.contains("personal"), "\(name) of \(kind.name)")
            }
            await connection.close()
        }
    }
}
