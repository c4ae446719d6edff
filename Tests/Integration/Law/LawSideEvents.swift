/// What is kept of events that no notification's row is made of, kind by kind.
struct LawSideEvents {
    private let events: [LawEvent]
    private static let quarterHour: Int64 = 900_000_000

    /// - Parameter events: in the tie order.
    init(_ events: [LawEvent]) { self.events = events }

    var pushResults: [LawRow] {
        let results = events.filter { $0.kind == "push_result" }
        let cells = Dictionary(grouping: results) { event -> LawRow in
            var cell: LawRow = [:]
            cell.set("bucket", event.at - event.at % Self.quarterHour)
            cell.set("status", event["status"]?.integer ?? 0)
            for name in ["provider", "reason", "type", "environment", "topic"] {
                cell[name] = event[name]?.string ?? ""
            }
            cell["type"] = LawTokens.Kind.name(cell["type"])
            return cell
        }
        return cells.map { cell, events in
            var row = cell
            row.set("results", events.count)
            row.set("first_at", events.first?.at)
            row.set("last_at", events.last?.at)
            return row
        }
    }

    private func notificationKey(_ event: LawEvent) -> LawRow {
        var row: LawRow = ["device_id": event.device]
        row.set("notification_id", event.notification)
        row.set("occurrence", event.occurrence?.description ?? "-infinity")
        return row
    }

    private func eventKey(_ event: LawEvent) -> LawRow {
        var row: LawRow = ["device_id": event.device]
        row.set("at", event.at)
        row.set("id", event.id)
        return row
    }

    var removals: [LawRow] {
        let removals = Dictionary(grouping: events.filter { $0.kind == "removal" }) { event -> LawRow in
            var row = notificationKey(event)
            for name in ["state", "reason"] { row[name] = event[name]?.string ?? "" }
            return row
        }
        return removals.map { key, events in
            var row = key
            row.set("first_at", events.first?.at)
            return row
        }
    }

    var extensions: [LawRow] {
        events.filter { $0.kind == "delivery" && $0["source"] == "service_extension" }.map { event in
            var row = notificationKey(event).merging(eventKey(event)) { first, _ in first }
            row.set("outcome", event["extension", "outcome"]?.string)
            for name in ["duration_ms", "attachments_loaded", "attachments_failed"] {
                row.set(name, event["extension", name]?.integer)
            }
            return row
        }
    }

    var authorizationRequests: [LawRow] {
        events.filter { $0.kind == "authorization_request" }.map { event in
            var row = eventKey(event)
            if event["options"] != nil { row["options"] = event["options"]?.strings.joined(separator: ",") }
            row.set("granted", event["granted"]?.boolean)
            row.set("error", event["error"]?.string)
            row.set("status_before", event["status_before"]?.string)
            if let context = event["context"]?.object, !context.isEmpty {
                let told = context.filter { $0.key != "device_model" && $0.key != "sdk_version" }
                row["context"] = LawValue.object(told).text
            }
            return row
        }
    }

    var openSettings: [LawRow] { events.filter { $0.kind == "open_settings" }.map(eventKey) }
}
