import NotificationEvents

extension PushExchange {
    private static let apnsMembers: Set<String> = [
        "id", "occurred_at", "device_id", "token", "environment", "notification_id", "headers", "payload", "response",
        "attributes", "activity_id",
    ]

    /// Reads a push to APNs and its answer (Apple, "Sending notification requests to APNs" and "Handling
    /// notification responses from APNs").
    ///
    /// - Parameter parse: parses the text of an answer's body; `nil` if it is not JSON.
    static func apns(_ item: TapeObject, parse: (TapeValue) -> TapeObject?) throws(FieldFailure) -> PushExchange {
        var push = try PushExchange(item, provider: "apns")
        for member in item.members where !apnsMembers.contains(member.name) { push.warnings.warn(member.name) }
        let headers = try item.object("headers")
        if let headers { push.keep(headers, at: "/headers") }
        if let payload = try item.object("payload") { push.payload = Found(value: payload, pointer: "/payload") }
        push.wasSent = headers != nil || push.payload != nil
        guard push.wasSent || push.response != nil else {
            throw FieldFailure(.missingField, "is required, or payload and headers", path: ["response"])
        }
        push.findAPNSTarget(headers)
        try push.readAPNSAnswer(parse)
        return push
    }

    /// The token and environment, where they are not said, from the path and authority of the request.
    private mutating func findAPNSTarget(_ headers: TapeObject?) {
        let path = "/3/device/"
        if let token = item["token"] {
            self.token = Found(value: .sent(token), pointer: "/token")
        } else if let sent = headers?[":path"]?.text, sent.hasPrefix(path), sent.utf8.count > path.utf8.count {
            token = Found(value: .text(String(sent.dropFirst(path.count))), pointer: "/headers/:path")
        }
        if let environment = item["environment"] {
            self.environment = Found(value: environment.plainText ?? "?", pointer: "/environment")
        } else if let host = headers?[":authority"]?.text ?? headers?["host"]?.text {
            let isSandbox = host.contains("sandbox") || host.contains("development")
            environment = Found(value: isSandbox ? "sandbox" : "production", pointer: "/headers/:authority")
        }
    }

    private mutating func readAPNSAnswer(_ parse: (TapeValue) -> TapeObject?) throws(FieldFailure) {
        if let response {
            let headers = try Self.within("response") { () throws(FieldFailure) in try response.object("headers") }
            try readStatus(response, headers)
            if let text = headers?.member("apns-id")?.value.text, let id = EventID(text) {
                answerID = Found(value: id.description, pointer: "/response/headers/apns-id")
            }
            let body = try readBody(response, parse)
            reason = body?["reason"].map { Found(value: $0, pointer: "/response/body/reason") }
            timestamp = body?["timestamp"].map { Found(value: $0, pointer: "/response/body/timestamp") }
        }
        let sentID = header("apns-id").flatMap { header in
            EventID(header.value).map { Found(value: $0.description, pointer: header.pointer) }
        }
        apnsID = sentID ?? answerID
        // APNs gives a push another id each time that it is sent, unless its sender gave it one. An answer that is reported
        // by itself repeats that.
        fallbackID = sentID ?? (wasSent ? ownName ?? answerID : answerID ?? ownName)
    }

    /// The status of the answer, from its own member or the pseudo-header.
    mutating func readStatus(_ response: TapeObject, _ headers: TapeObject?) throws(FieldFailure) {
        let candidates = [
            (response["status"], ["status"]), (response[":status"], [":status"]),
            (headers?[":status"], ["headers", ":status"]),
        ]
        guard let (found, name) = candidates.first(where: { $0.0 != nil }), let value = found else {
            throw FieldFailure(.missingField, "is required, the HTTP status", path: ["response", "status"])
        }
        let path = ["response"] + name
        guard let number = value.plainText.flatMap({ Int64($0) }), (100...599).contains(number) else {
            throw FieldFailure(.invalidValue, "must be an HTTP status, 100 to 599", path: path)
        }
        status = Found(value: number, pointer: "/" + path.joined(separator: "/"))
    }

    /// The body of the answer, as JSON or as its text. Anything else has no reason, and gives a warning.
    mutating func readBody(
        _ response: TapeObject,
        _ parse: (TapeValue) -> TapeObject?
    ) throws(FieldFailure) -> TapeObject? {
        guard let body = response["body"] else { return nil }
        if let object = body.object { return object }
        guard body.tag == JSONTape.Tag.string else {
            throw FieldFailure(.invalidType, "must be an object, or its text", path: ["response", "body"])
        }
        guard body.text != nil else { return nil }
        let read = parse(body)
        if read == nil { warnings.warn("response/body") }
        return read
    }

    static func within<Value>(
        _ name: String,
        _ body: () throws(FieldFailure) -> Value
    ) throws(FieldFailure) -> Value {
        do throws(FieldFailure) {
            return try body()
        } catch {
            throw error.within(name)
        }
    }

    /// Keeps the headers about the push. A value that APNs itself would refuse is left out with a warning, because the push was
    /// sent anyway, and its answer says what was wrong.
    mutating func keep(_ sent: TapeObject, at pointer: String) {
        for mapping in ProviderPayload.headers {
            let name = mapping.path[0]
            let found = sent.members(named: name)
            guard let member = found.first else { continue }
            for other in found.dropFirst() { warnings.warn(pointer.dropFirst() + "/" + other.name) }
            guard let text = member.value.plainText, Self.isStorable(name, text) else {
                if member.value.text != nil || member.value.tag != JSONTape.Tag.string {
                    warnings.warn(pointer.dropFirst() + "/" + member.name)
                }
                continue
            }
            headers.append((name, text, "\(pointer)/\(member.name)"))
        }
    }

    private static func isStorable(_ name: String, _ text: String) -> Bool {
        switch name {
        case "apns-id": EventID(text) != nil
        case "apns-push-type": ProviderPayload.pushTypes.contains(text)
        case "apns-priority": Int(text).map { (1...10).contains($0) } ?? false
        case "apns-expiration": Int64(text).map { (0...253_402_300_799).contains($0) } ?? false
        case "apns-collapse-id": text.utf8.count <= 512
        default: text.utf8.count <= 256
        }
    }
}

extension TapeObject {
    /// A member by its name in any case, as those of HTTP headers are written.
    func member(_ name: String) -> (name: String, value: TapeValue)? {
        members(named: name).first
    }

    /// All members of a name in any case.
    fileprivate func members(named name: String) -> [(name: String, value: TapeValue)] {
        members.filter { $0.name.lowercased() == name && $0.value.tag != JSONTape.Tag.null }
    }
}
