import Decoding
import NotificationEvents
import Testing

func translate(
    _ body: String,
    _ format: SenderFormat,
    policy: DecodingPolicy = DecodingPolicy(scope: .provider),
    sentAt: Timestamp? = nil
) throws -> [DecodedItem] {
    try Array(body.utf8).withUnsafeBytes { bytes in
        try decoder.translate(bytes, format, policy: policy, receivedAt: received, sentAt: sentAt).events
    }
}

extension DecodedItem {
    /// The event; fails the test where it was rejected.
    func accepted(sourceLocation: SourceLocation = #_sourceLocation) throws -> NormalisedEvent {
        try #require(item.event, "\(item.rejection?.error.description ?? "")", sourceLocation: sourceLocation)
    }

    var error: EventError? { item.rejection?.error }
}

/// What was sent to APNs and what it answered, with some of its parts replaced.
func apnsItem(
    headers: String = #"{"apns-topic":"com.example.app","apns-push-type":"alert","apns-priority":"10"}"#,
    payload: String = #"{"aps":{"alert":{"title":"secret"},"badge":3},"notilog":{"id":"n1"}}"#,
    response: String = #"{"status":200,"headers":{"apns-id":"EABEAE54-14A8-11E5-B60B-1697F925EC7B"}}"#,
    more: String = ""
) -> String {
    #"{"occurred_at":"2026-03-01T10:00:00Z","device_id":"d1","token":"00ff","headers":\#(headers),"#
        + #""payload":\#(payload),"response":\#(response)\#(more)}"#
}
