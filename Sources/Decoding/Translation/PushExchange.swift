import NotificationEvents

/// A push and what the push service answered, found in a sender's item: it becomes a `request` and a `push_result`.
struct PushExchange {
    /// Something taken from the item, and where it stood.
    struct Found<Value> {
        var value: Value
        var pointer: String
    }

    /// A token, as the sender wrote it or out of a path.
    enum Token {
        case sent(TapeValue)
        case text(String)
    }

    let item: TapeObject
    /// apns or fcm.
    let provider: String
    /// The sender's own id of the exchange.
    var id: String?
    var token: Found<Token>?
    var environment: Found<String>?
    /// The headers of a push to an Apple device that can be kept.
    var headers: [(name: String, value: String, pointer: String)] = []
    var payload: Found<TapeObject>?
    /// Which notification it was.
    var notificationID: Found<String>?
    /// An id for a notification without one.
    var fallbackID: Found<String>?
    var campaign: Found<String>?
    /// The category, where the payload has none.
    var category: Found<String>?
    /// Whether it makes itself noticed, where the payload alone does not tell.
    var alerting: Bool?
    /// The sender's own word on that.
    var saidAlerting: TapeValue?
    var response: TapeObject?
    var status: Found<Int64>?
    var reason: Found<TapeValue>?
    var timestamp: Found<TapeValue>?
    /// The id that APNs knows the push by.
    var apnsID: Found<String>?
    /// What the answer calls the push: APNs' id, or FCM's name.
    var answerID: Found<String>?
    /// What more the answer said.
    var details: [(name: String, value: TapeValue)] = []
    /// Whether the push itself was reported.
    var wasSent = false
    var warnings = Warnings()

    init(_ item: TapeObject, provider: String) throws(FieldFailure) {
        self.item = item
        self.provider = provider
        if let id = item["id"] {
            guard let text = id.text, text.utf8.count <= 256 else {
                throw FieldFailure(.invalidValue, "must be text of 1 to 256 bytes", path: ["id"])
            }
            self.id = text
        }
        response = try item.object("response")
        if let value = item["notification_id"] {
            guard let text = value.plainText else {
                throw FieldFailure(.invalidValue, "must be text that is not empty", path: ["notification_id"])
            }
            notificationID = Found(value: text, pointer: "/notification_id")
        }
    }

    /// Whether it makes a request: without a device only the answer counts.
    var hasRequest: Bool {
        wasSent && (item["device_id"] != nil || response == nil)
    }

    func header(_ name: String) -> (name: String, value: String, pointer: String)? {
        headers.first { $0.name == name }
    }

    /// What kind of token such a push is for (Apple, "Sending notification requests to APNs", `apns-push-type`).
    private var tokenType: String {
        switch header("apns-push-type")?.value {
        case nil, "alert", "background": "alert"
        case "voip": "voip"
        case "liveactivity": startsActivity ? "push_to_start" : "activity_update"
        case "complication": "complication"
        case "controls": "control"
        case "location": "location"
        case "widgets": "widget"
        default: "other"
        }
    }

    /// Whether the push starts a Live Activity.
    private var startsActivity: Bool {
        payload?.value.value("aps", "event")?.text == "start"
    }

    func writeRequest(_ writer: DraftWriter) {
        writer.begin("request")
        writeCommon(writer, occurredAt: item["occurred_at"], "/occurred_at")
        if let notification = notificationID ?? (namesItself ? nil : fallbackID) {
            writer.text("notification_id", notification.value, from: notification.pointer)
        }
        writer.text("origin", "provider", from: "")
        if let campaign { writer.text("campaign_id", campaign.value, from: campaign.pointer) }
        if let category { writer.text("category_id", category.value, from: category.pointer) }
        if let saidAlerting {
            writer.value("alerting", saidAlerting, from: "/alerting")
        } else if let alerting {
            writer.json("alerting", alerting ? "true" : "false", from: "")
        }
        writer.object("push", from: "") {
            if let environment { writer.text("environment", environment.value, from: environment.pointer) }
            write(token, writer)
        }
        if let payload {
            writer.value(
                "payload",
                TapeValue(tape: payload.value.tape, index: payload.value.index),
                from: payload.pointer
            )
        }
        writer.object("headers", from: "") {
            for header in headers { writer.text(header.name, header.value, from: header.pointer) }
        }
        writer.value("activity_id", item["activity_id"], from: "/activity_id")
        writer.value("attributes", item["attributes"], from: "/attributes")
        writer.finish()
    }

    func writeResult(_ writer: DraftWriter) {
        writer.begin("push_result")
        let answeredAt = response?["occurred_at"]
        writeCommon(
            writer,
            occurredAt: answeredAt ?? item["occurred_at"],
            answeredAt == nil ? "/occurred_at" : "/response/occurred_at",
            answerParts
        )
        writer.text("provider", provider, from: "")
        if item["device_id"] != nil {
            let known = notificationID ?? payloadID
            if let known { writer.text("notification_id", known.value, from: known.pointer) }
            if let collapse = header("apns-collapse-id") {
                writer.text("request_identifier", collapse.value, from: collapse.pointer)
            } else if known == nil, let fallbackID {
                writer.text("notification_id", fallbackID.value, from: fallbackID.pointer)
            }
        }
        if let status { writer.integer("status", status.value, from: status.pointer) }
        if let reason { writer.value("reason", reason.value, from: reason.pointer) }
        // Of a library that writes JSON's numbers as text.
        if let timestamp { writer.numberOrValue("timestamp", timestamp.value, from: timestamp.pointer) }
        if let apnsID { writer.text("apns_id", apnsID.value, from: apnsID.pointer) }
        if let topic = header("apns-topic") { writer.text("topic", topic.value, from: topic.pointer) }
        writer.text("type", tokenType, from: "")
        if let environment { writer.text("environment", environment.value, from: environment.pointer) }
        write(token, writer)
        writer.object("attributes", from: "/response/body") {
            for detail in details { writer.value(detail.name, detail.value, from: "/response/body") }
        }
        writer.finish()
    }

    /// The id in the payload (`"notilog": {"id": …}`), which the device sends back.
    var payloadID: Found<String>? {
        guard let payload, let id = payload.value.value("notilog", "id")?.plainText else { return nil }
        return Found(value: id, pointer: payload.pointer + "/notilog/id")
    }

    /// Whether payload or headers say which notification it is.
    private var namesItself: Bool {
        payloadID != nil || header("apns-collapse-id") != nil
    }

    /// A name for the notification by the sender's own id of the push, which stays where the push is sent again.
    var ownName: Found<String>? {
        id.map { Found(value: Self.eventID([provider, "notification", $0]).description, pointer: "/id") }
    }

    /// What tells an answer from others to the same push, which may be sent again.
    private var answerParts: [String] {
        let time = (response?["occurred_at"] ?? item["occurred_at"])?.text ?? ""
        let moment = Timestamp.parse(time, digits: 9).map { String($0.timestamp.microseconds) }
        var parts = [moment ?? time, answerID?.value ?? "", status.map { String($0.value) } ?? ""]
        parts += [reason, timestamp].map { $0?.value.plainText ?? "" }
        parts += details.map { $0.value.plainText ?? "" }
        return parts
    }

    /// - Parameter parts: what the event's id is made of, beside the sender's own.
    private func writeCommon(
        _ writer: DraftWriter,
        occurredAt: TapeValue?,
        _ pointer: String,
        _ parts: [String] = []
    ) {
        if let id {
            writer.text("id", Self.eventID([provider, writer.kind, id] + parts).description, from: "/id")
        }
        writer.time("occurred_at", occurredAt, from: pointer)
        writer.value("device_id", item["device_id"], from: "/device_id")
    }

    private func write(_ token: Found<Token>?, _ writer: DraftWriter) {
        guard let token else { return }
        switch token.value {
        case .sent(let value): writer.value("token", value, from: token.pointer)
        case .text(let text): writer.text("token", text, from: token.pointer)
        }
    }

    /// The id of an event by the sender's id of what it is made of.
    static func eventID(_ parts: [String]) -> EventID {
        Array(parts.joined(separator: "\0").utf8).withUnsafeBytes {
            ContentHashing.version5(namespace: .senderNamespace, $0)
        }
    }
}
