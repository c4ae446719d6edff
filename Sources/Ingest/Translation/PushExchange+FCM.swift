import NotificationEvents

extension PushExchange {
    private static let fcmMembers: Set<String> = [
        "id", "occurred_at", "device_id", "notification_id", "message", "response", "attributes", "token",
        "validate_only",
    ]

    /// Reads what was sent to FCM and what it answered (Firebase, "REST Resource: projects.messages", "FcmError").
    ///
    /// - Parameter parse: reads the text of an answer's body as JSON; `nil` where it is none.
    static func fcm(_ item: TapeObject, parse: (TapeValue) -> TapeObject?) throws(FieldFailure) -> PushExchange {
        var push = try PushExchange(item, provider: "fcm")
        for member in item.members where !fcmMembers.contains(member.name) { push.warnings.warn(member.name) }
        guard item["validate_only"]?.tag != JSONTape.Tag.yes else {
            throw FieldFailure(.invalidValue, "is true, so that nothing was sent", path: ["validate_only"])
        }
        let message = try item.object("message")
        push.wasSent = message != nil
        guard push.wasSent || push.response != nil else {
            throw FieldFailure(.missingField, "is needed, or a response", path: ["message"])
        }
        if let token = message?["token"] {
            push.token = Found(value: .sent(token), place: "/message/token")
        } else if let token = item["token"] {
            push.token = Found(value: .sent(token), place: "/token")
        }
        if let message {
            try within("message") { () throws(FieldFailure) in try push.readMessage(message) }
        }
        try push.readFCMAnswer(parse)
        return push
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
            payload.map { self.payload = Found(value: $0, place: "/message/apns/payload") }
        }
        // FCM makes an alert of these on either platform, whatever the payload for APNs says.
        let alerts = [notification, android?["notification"]?.object].contains {
            $0.map { !$0.members.isEmpty } ?? false
        }
        alerting = alerts ? true : payload == nil ? false : nil
        let named = payload?.value.value("notilog", "campaign_id") ?? payload?.value.value("notilog", "campaign")
        if named == nil, let label = message.value("fcm_options", "analytics_label")?.text {
            campaign = Found(value: label, place: "/message/fcm_options/analytics_label")
        }
        if header("apns-collapse-id") == nil, let key = android?.text("collapse_key"),
            key.utf8.count <= 512
        {
            headers.append(("apns-collapse-id", key, "/message/android/collapse_key"))
        }
    }

    private mutating func readFCMAnswer(_ parse: (TapeValue) -> TapeObject?) throws(FieldFailure) {
        guard let response else { return }
        let headers = try Self.within("response") { () throws(FieldFailure) in try response.object("headers") }
        try readStatus(response, headers)
        guard let body = try readBody(response, parse) else { return }
        if let name = body.text("name") {
            fallbackID = Found(value: name, place: "/notification_id")
        }
        guard let error = body["error"] else { return }
        guard let object = error.object else {
            reason = Found(value: error, place: "/response/body/error")
            return
        }
        if let status = object["status"] {
            reason = Found(value: status, place: "/response/body/error/status")
        }
        for (position, detail) in (object["details"]?.elements ?? []).enumerated() {
            guard let detail = detail.object, let type = detail.text("@type") else { continue }
            // FCM's own word says more than the code of all Google APIs above it.
            if type.hasSuffix("FcmError"), let code = detail["errorCode"] ?? detail["error_code"] {
                reason = Found(value: code, place: "/response/body/error/details/\(position)/errorCode")
            } else if type.hasSuffix("ApnsError") {
                if let reason = detail["reason"], reason.text.map({ $0.utf8.count <= 256 }) ?? false {
                    details.append(("apns_reason", reason))
                }
                if let status = detail["statusCode"] ?? detail["status_code"], status.tag == JSONTape.Tag.integer {
                    details.append(("apns_status", status))
                }
            }
        }
    }
}
