internal import JSON
internal import NotificationEvents

extension NormalisedEvent {
    /// The event as an item that can be taken again: secrets are digests and hashes, marked as such.
    func redactedItem(hashesIDs: Bool) -> [UInt8] {
        let idPrefix = hashesIDs ? "hmac-sha256:" : ""
        var json = JSONWriter(capacity: 256 + data.count)
        json.object { json in
            json.field("kind", kind.name)
            json.field("id", id.description)
            json.field("occurred_at", occurredAt)
            if !deviceID.isEmpty { json.field("device_id", idPrefix + deviceID) }
            if let notificationID { json.field("notification_id", idPrefix + notificationID) }
            if let occurrence { json.field("occurrence", occurrence) }
            if let token, kind != .request { json.field("token", Self.tokenText(token)) }
            // The other fields, without the braces around them.
            let rest = String(decoding: data, as: UTF8.self).dropFirst().dropLast()
            if !rest.isEmpty { json.raw(withPushToken(String(rest))) }
        }
        return json.bytes
    }

    /// A request's token stands within `push`, which comes before anything of the sender's own.
    private func withPushToken(_ fields: String) -> String {
        guard let token, kind == .request, let push = fields.firstRange(of: #""push":{"#) else { return fields }
        let comma = fields[push.upperBound...].hasPrefix("}") ? "" : ","
        return fields[..<push.upperBound] + #""token":""# + Self.tokenText(token) + #"""# + comma
            + fields[push.upperBound...]
    }

    private static func tokenText(_ digest: [UInt8]) -> String {
        "sha256:" + String(hexadecimal: digest)
    }
}
