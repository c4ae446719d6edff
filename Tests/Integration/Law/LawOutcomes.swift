/// What is kept of opens, conversions, holdouts, the app's own questions and Live Activities: each event as a row.
struct LawOutcomes {
    private let events: [LawEvent]

    /// - Parameter events: in the tie order.
    init(_ events: [LawEvent]) { self.events = events.filter { !$0.device.isEmpty } }

    private func rows(
        _ kind: String,
        _ columns: [String: String],
        _ more: (LawEvent, inout LawRow) -> Void = { _, _ in }
    )
        -> [LawRow]
    {
        events.filter { $0.kind == kind }.map { event in row(event, columns, more) }
    }

    /// - Parameter columns: the field that each column holds.
    private func row(_ event: LawEvent, _ columns: [String: String], _ more: (LawEvent, inout LawRow) -> Void) -> LawRow
    {
        var row: LawRow = ["device_id": event.device]
        row.set("at", event.at)
        row.set("id", event.id)
        for (column, field) in columns { row[column] = event[field]?.string }
        more(event, &row)
        return row
    }

    private func context(_ event: LawEvent, _ row: inout LawRow) {
        guard let context = event["context"]?.object, !context.isEmpty else { return }
        row["context"] = LawValue.object(context.filter { $0.key != "device_model" && $0.key != "sdk_version" }).text
    }

    var conversions: [LawRow] {
        rows("conversion", ["name": "name", "currency": "currency", "order_id": "order_id"]) { event, row in
            row.set("value", event["value"]?.integer)
        }
    }

    var opens: [LawRow] {
        rows("app_open", ["source": "source"]) { event, row in
            row.set("cold", event["cold"]?.boolean)
            row["notification_id"] = event.notification
        }
    }

    var holdouts: [LawRow] {
        rows("holdout", ["campaign": "campaign_id", "variant": "variant", "category": "category_id"]) { event, row in
            row.set("scheduled_for", event.time("scheduled_for"))
            row["share"] = event["share"]?.text
        }
    }

    var prompts: [LawRow] {
        rows("permission_prompt", ["placement": "placement", "variant": "variant", "answer": "answer"])
    }

    private static let ofActivity = [
        "activity_id": "activity_id", "attributes_type": "attributes_type", "channel_id": "channel_id",
    ]

    var activities: [LawRow] {
        let more = ["state": "state", "started_by": "started_by", "updates_by": "updates_by"]
        return rows("live_activity", Self.ofActivity.merging(more) { $1 }, context)
    }

    var activityPushes: [LawRow] {
        events.filter { $0.kind == "request" && $0["push", "push_type"] == "liveactivity" }.map { event in
            row(event, Self.ofActivity.merging(["event": "live_activity_event"]) { $1 }) { event, row in
                row["notification_id"] = event.notification
                row.set("occurrence", event.occurrence?.description ?? "-infinity")
                context(event, &row)
            }
        }
    }
}
