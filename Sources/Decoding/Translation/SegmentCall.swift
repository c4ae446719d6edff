import NotificationEvents

/// A track call of Segment's spec ("Native Mobile Spec", campaign events), and the event that it is.
///
/// `campaign.content` is what the notification said, and so is not taken.
struct SegmentCall {
    private enum Event: String {
        case received = "Push Notification Received"
        case tapped = "Push Notification Tapped"
        case bounced = "Push Notification Bounced"
    }

    private let call: TapeObject
    private let event: Event
    private let id: EventID
    private let properties: TapeObject?
    private let context: TapeObject?

    /// - Throws: ``FieldFailure`` with code `unknown_event` for every call that is not one of these three.
    init(_ call: TapeObject) throws(FieldFailure) {
        if let type = call["type"], type.text != "track" {
            throw FieldFailure(.unknownEvent, "is not accepted: only track calls are", path: ["type"])
        }
        guard let name = call["event"] else {
            throw FieldFailure(.missingField, "is required, the name of a track call's event", path: ["event"])
        }
        guard let event = name.text.flatMap(Event.init) else {
            throw FieldFailure(
                .unknownEvent,
                "is not accepted; accepted are Push Notification Received, Push Notification Tapped and "
                    + "Push Notification Bounced",
                path: ["event"]
            )
        }
        guard let messageID = call["messageId"]?.text, messageID.utf8.count <= 256 else {
            throw FieldFailure(.missingField, "is required, text of 1 to 256 bytes", path: ["messageId"])
        }
        self.call = call
        self.event = event
        id = EventID(messageID) ?? PushExchange.eventID(["segment", messageID])
        properties = try call.object("properties")
        context = try call.object("context")
    }

    func write(_ writer: DraftWriter) {
        switch event {
        case .received: writer.begin("delivery", from: "/event")
        case .tapped: writer.begin("action_response", from: "/event")
        case .bounced: writer.begin("push_result", from: "/event")
        }
        writer.text("id", id.description, from: "/messageId")
        let time = call["timestamp"] == nil ? "originalTimestamp" : "timestamp"
        writer.time("occurred_at", call[time], from: "/timestamp")
        writeDevice(writer)
        writeNotification(writer)
        switch event {
        // Nothing tells which of the system's callbacks the app made the call from.
        case .received: writer.json("source", #""imported""#, from: "/event")
        case .tapped: writeAction(writer)
        case .bounced: writeBounce(writer)
        }
        writeContext(writer)
        writer.finish()
    }

    /// The installation: Segment's anonymous id is kept in the app's storage, its device's id is most often the vendor's.
    private func writeDevice(_ writer: DraftWriter) {
        if let id = call["anonymousId"] {
            writer.value("device_id", id, from: "/anonymousId")
        } else if let id = context?.value("device", "id") {
            writer.value("device_id", id, from: "/context/device/id")
        } else {
            writer.value("device_id", call["userId"], from: "/anonymousId")
        }
    }

    private func writeNotification(_ writer: DraftWriter) {
        guard let properties else {
            return writer.text("notification_id", id.description, from: "/messageId")
        }
        let explicit: [(value: TapeValue?, pointer: String)] = [
            (properties["notification_id"], "/properties/notification_id"),
            (properties.value("notilog", "id"), "/properties/notilog/id"),
        ]
        let campaign = properties.value("campaign", "name")
        if let found = explicit.first(where: { $0.value != nil }) {
            writer.digitsOrValue("notification_id", found.value, from: found.pointer)
        } else if let name = campaign?.text {
            // Received and tapped have nothing else in common.
            writer.text("request_identifier", name, from: "/properties/campaign/name")
        } else {
            writer.text("notification_id", id.description, from: "/messageId")
        }
        writer.value("category_id", properties.value("aps", "category"), from: "/properties/aps/category")
        writer.value("thread_id", properties.value("aps", "thread-id"), from: "/properties/aps/thread-id")
        writer.json("trigger", #"{"type":"push"}"#, from: "/event")
        if let own = properties.value("notilog", "campaign_id") ?? properties.value("notilog", "campaign") {
            writer.digitsOrValue("campaign_id", own, from: "/properties/notilog/campaign_id")
        } else {
            writer.value("campaign_id", campaign, from: "/properties/campaign/name")
        }
        writer.digitsOrValue("variant", properties.value("notilog", "variant"), from: "/properties/notilog/variant")
    }

    /// Which button; Segment calls the tap on the notification itself "Open".
    private func writeAction(_ writer: DraftWriter) {
        guard let action = properties?["action"], action.text != "Open",
            action.tag != JSONTape.Tag.string || action.text != nil
        else {
            return writer.text("action_id", ActionIdentifier.opened, from: "/properties/action")
        }
        writer.value("action_id", action, from: "/properties/action")
    }

    private func writeBounce(_ writer: DraftWriter) {
        let system = context?.value("os", "name")?.text?.lowercased()
        writer.text("provider", system == "android" ? "fcm" : "apns", from: "/context/os/name")
        if let reason = properties?["reason"] {
            writer.value("reason", reason, from: "/properties/reason")
        } else {
            writer.json("reason", #""Bounced""#, from: "/event")
        }
        writer.value("token", context?.value("device", "token"), from: "/context/device/token")
    }

    private func writeContext(_ writer: DraftWriter) {
        guard let context else { return }
        writer.object("context", from: "/context") {
            if let name = context.value("os", "name")?.text {
                writer.text("platform", Self.platform(name), from: "/context/os/name")
            }
            let fields: [(name: String, path: [String])] = [
                ("os_version", ["os", "version"]), ("app_version", ["app", "version"]), ("locale", ["locale"]),
                ("time_zone", ["timezone"]), ("device_model", ["device", "model"]),
            ]
            for field in fields {
                let value = field.path.count == 1 ? context[field.path[0]] : context.value(field.path[0], field.path[1])
                writer.value(field.name, value, from: "/context/" + field.path.joined(separator: "/"))
            }
        }
    }

    private static func platform(_ name: String) -> String {
        switch name.lowercased() {
        case "ios", "iphone os": "ios"
        case "ipados": "ipados"
        case "tvos": "tvos"
        case "watchos": "watchos"
        case "macos", "mac os x": "macos"
        case "visionos": "visionos"
        default: "other"
        }
    }
}
