import NotificationEvents

extension PushExchange {
    private static let fcmMembers: Set<String> = [
        "id", "occurred_at", "device_id", "notification_id", "message", "response", "attributes", "token",
        "validate_only", "alerting",
    ]

    /// Reads a message to FCM and its answer (Firebase, "REST Resource: projects.messages", "FcmError").
    ///
    /// - Parameter parse: parses the text of an answer's body; `nil` if it is not JSON.
    static func fcm(_ item: TapeObject, parse: (TapeValue) -> TapeObject?) throws(FieldFailure) -> PushExchange {
        var push = try PushExchange(item, provider: "fcm")
        for member in item.members where !fcmMembers.contains(member.name) { push.warnings.warn(member.name) }
        guard item["validate_only"]?.tag != JSONTape.Tag.yes else {
            throw FieldFailure(.invalidValue, "is true, so that nothing was sent", path: ["validate_only"])
        }
        push.saidAlerting = item["alerting"]
        let message = try item.object("message")
        push.wasSent = message != nil
        guard push.wasSent || push.response != nil else {
            throw FieldFailure(.missingField, "is required, or a response", path: ["message"])
        }
        if let token = message?["token"] {
            push.token = Found(value: .sent(token), pointer: "/message/token")
        } else if let token = item["token"] {
            push.token = Found(value: .sent(token), pointer: "/token")
        }
        if let message {
            try within("message") { () throws(FieldFailure) in try push.readMessage(message) }
        }
        try push.readFCMAnswer(parse)
        // FCM gives a push another name each time that it is sent.
        push.fallbackID = push.ownName ?? push.answerID ?? push.refusedName(message)
        return push
    }

    /// A name for a push that was refused, and so has none of FCM's, made of what tells it from others.
    private func refusedName(_ message: TapeObject?) -> Found<String>? {
        guard let status, status.value != 200, let message else { return nil }
        // Without its token, which nobody can guess, the words of the message could be guessed from the id.
        let text = OutputBuffer()
        if message["token"] != nil { text.append(TapeValue(tape: message.tape, index: message.index)) }
        let name = Self.eventID([
            provider, "notification", "", item.text("device_id") ?? "", item.text("occurred_at") ?? "",
            String(decoding: text.bytes, as: UTF8.self),
        ])
        return Found(value: name.description, pointer: "/notification_id")
    }

    private mutating func readMessage(_ message: TapeObject) throws(FieldFailure) {
        let notification = try message.object("notification")
        let android = try message.object("android")
        let apns = try message.object("apns")
        if let apns {
            let (headers, payload) = try Self.within("apns") { () throws(FieldFailure) in
                (try apns.object("headers"), try apns.object("payload"))
            }
            if let headers { keep(headers, at: "/message/apns/headers") }
            payload.map { self.payload = Found(value: $0, pointer: "/message/apns/payload") }
        }
        let named = payload?.value.value("notilog", "campaign_id") ?? payload?.value.value("notilog", "campaign")
        let pointers = [("/message", message), ("/message/apns", apns), ("/message/android", android)]
        for (pointer, object) in pointers {
            guard let options = member("fcm_options", of: object, at: pointer),
                let label = member("analytics_label", of: options.value.object, at: options.pointer),
                let text = label.value.text
            else { continue }
            if named == nil, campaign == nil { campaign = Found(value: text, pointer: label.pointer) }
        }
        let collapse = member("collapse_key", of: android, at: "/message/android")
        if header("apns-collapse-id") == nil, let collapse, let key = collapse.value.text, key.utf8.count <= 512 {
            headers.append(("apns-collapse-id", key, collapse.pointer))
        }
        readData(message, android)
        readChannel(android)
        let webpush = message["webpush"]?.object
        // FCM makes an alert of these on each platform, whatever the payload for APNs says.
        let notifications = [notification, android?["notification"]?.object, webpush?["notification"]?.object]
        let data = [message["data"]?.object, android?["data"]?.object, webpush?["data"]?.object]
        if notifications.contains(where: Self.hasMembers) {
            alerting = true
        } else if payload == nil, notificationID == nil || !data.contains(where: Self.hasMembers) {
            // Data alone may be anything. Where it has the id of a notification, the app shows one.
            alerting = false
        }
    }

    private static func hasMembers(_ object: TapeObject?) -> Bool {
        !(object?.members.isEmpty ?? true)
    }

    /// Takes the notification's id from the data: an app on Android gets no payload for APNs.
    private mutating func readData(_ message: TapeObject, _ android: TapeObject?) {
        // FCM sends Android's own data in place of everybody's.
        let places: [(pointer: String, object: TapeObject?)] = [("/message/android", android), ("/message", message)]
        for place in places {
            guard let value = place.object?["data"]?.object?["notilog_id"] else { continue }
            let pointer = place.pointer + "/data/notilog_id"
            guard let id = value.plainText, id.utf8.count <= 512 else {
                warnUnusable(value, pointer)
                continue
            }
            if let known = notificationID ?? payloadID {
                if known.value != id { warnings.warn(String(pointer.dropFirst())) }
            } else {
                notificationID = Found(value: id, pointer: pointer)
            }
        }
    }

    /// Takes Android's channel as the category, where the payload for APNs has none.
    private mutating func readChannel(_ android: TapeObject?) {
        let notification = android?["notification"]?.object
        guard let channel = member("channel_id", of: notification, at: "/message/android/notification") else { return }
        guard let name = channel.value.text, name.utf8.count <= 256 else {
            return warnUnusable(channel.value, channel.pointer)
        }
        if let other = payload?.value.value("aps", "category")?.text {
            if other != name { warnings.warn(String(channel.pointer.dropFirst())) }
        } else {
            category = Found(value: name, pointer: channel.pointer)
        }
    }

    /// Names a value that cannot be used. An empty text says nothing.
    private mutating func warnUnusable(_ value: TapeValue, _ pointer: String) {
        if value.text != nil || value.tag != JSONTape.Tag.string { warnings.warn(String(pointer.dropFirst())) }
    }

    /// A member by FCM's name, else by firebase-admin's, with a warning.
    private mutating func member(
        _ name: String,
        of object: TapeObject?,
        at pointer: String
    ) -> (value: TapeValue, pointer: String)? {
        let camelCase = ProviderPayload.camelCase(name)
        let other = object?[camelCase].map { (value: $0, pointer: "\(pointer)/\(camelCase)") }
        if let other { warnings.warn(String(other.pointer.dropFirst())) }
        return object?[name].map { ($0, "\(pointer)/\(name)") } ?? other
    }

    private mutating func readFCMAnswer(_ parse: (TapeValue) -> TapeObject?) throws(FieldFailure) {
        guard let response else { return }
        let headers = try Self.within("response") { () throws(FieldFailure) in try response.object("headers") }
        try readStatus(response, headers)
        guard let body = try readBody(response, parse) else { return }
        answerID = body.text("name").map { Found(value: $0, pointer: "/notification_id") }
        guard let error = body["error"] else { return }
        guard let object = error.object else {
            reason = Found(value: error, pointer: "/response/body/error")
            return
        }
        if let status = object["status"] {
            reason = Found(value: status, pointer: "/response/body/error/status")
        }
        guard let listed = object["details"] else { return }
        for (position, detail) in listed.elements.enumerated() {
            guard let detail = detail.object else { continue }
            // Some libraries leave out of which type it is: its members tell.
            let type = detail.text("@type")
            let code = detail["errorCode"] ?? detail["error_code"]
            let status = detail["statusCode"] ?? detail["status_code"]
            if type?.hasSuffix("FcmError") ?? (code != nil) {
                // FCM's own word says more than the code of all Google APIs above it.
                guard let code else { continue }
                reason = Found(value: code, pointer: "/response/body/error/details/\(position)/errorCode")
            } else if type?.hasSuffix("ApnsError") ?? (status != nil) {
                if let reason = detail["reason"], reason.text.map({ $0.utf8.count <= 256 }) ?? false {
                    details.append(("apns_reason", reason))
                }
                if let status, status.tag == JSONTape.Tag.integer { details.append(("apns_status", status)) }
            }
        }
    }
}
