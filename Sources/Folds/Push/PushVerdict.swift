/// What a provider's answer says of the token that the push was sent to.
///
/// The function `push_verdict` says the same to reports.
package enum PushVerdict: Sendable {
    case accepted, dead, misdirected

    /// A provider's answer, each member as JSON writes it. Reasons that speak of the provider's own keys or of the message
    /// say nothing of the token: nil.
    init?(provider: UnsafeRawBufferPointer?, status: UnsafeRawBufferPointer?, reason: UnsafeRawBufferPointer?) {
        if let status, status.isWord("200") || status.isString("200") {
            self = .accepted
        } else if provider?.isString("apns") == true {
            self.init(apnsStatus: status, reason: reason)
        } else if provider?.isString("fcm") == true, let reason {
            if reason.isString("UNREGISTERED") || reason.isString("NotRegistered") {
                self = .dead
            } else if reason.isString("SENDER_ID_MISMATCH") || reason.isString("MismatchSenderId") {
                self = .misdirected
            } else {
                return nil
            }
        } else {
            return nil
        }
    }

    /// What APNs answered to FCM: what FCM says of a token to an Apple device may be no more than that the message is wrong.
    init?(behindFCM attributes: UnsafeRawBufferPointer) {
        let status = attributes.member("apns_status")?.unlessNull
        if let status, status.isWord("200") || status.isString("200") {
            self = .accepted
        } else {
            self.init(apnsStatus: status, reason: attributes.member("apns_reason")?.unlessNull)
        }
    }

    private init?(apnsStatus status: UnsafeRawBufferPointer?, reason: UnsafeRawBufferPointer?) {
        guard let reason else {
            guard let status, status.isWord("410") || status.isString("410") else { return nil }
            self = .dead
            return
        }
        if reason.isString("Unregistered") || reason.isString("ExpiredToken") {
            self = .dead
        } else if reason.isString("BadDeviceToken") || reason.isString("DeviceTokenNotForTopic") {
            self = .misdirected
        } else {
            return nil
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The value, or nil for JSON's null.
    var unlessNull: UnsafeRawBufferPointer? { isWord("null") ? nil : self }
}
