import Decoding
import NotificationEvents
import Testing

/// The service's clock in these tests.
let received = Timestamp.parse("2026-03-01T12:00:00Z")!.timestamp

let decoder = EventDecoder()

func decode(
    _ body: String,
    as format: BodyFormat = .json,
    policy: DecodingPolicy = DecodingPolicy(scope: .provider),
    sentAt: Timestamp? = nil
) throws -> [DecodedOutcome] {
    try decoder.decode(Array(body.utf8), format: format, policy: policy, receivedAt: received, sentAt: sentAt).map(
        \.item
    )
}

/// The one event of a body; fails the test where it was rejected.
func accept(
    _ body: String,
    as format: BodyFormat = .json,
    policy: DecodingPolicy = DecodingPolicy(scope: .provider),
    sentAt: Timestamp? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> NormalisedEvent {
    let item = try #require(
        try decode(body, as: format, policy: policy, sentAt: sentAt).first,
        sourceLocation: sourceLocation
    )
    return try #require(item.event, "\(item.rejection?.error.description ?? "")", sourceLocation: sourceLocation)
}

/// The one rejected item of a body; fails the test where it was accepted.
func reject(
    _ body: String,
    as format: BodyFormat = .json,
    policy: DecodingPolicy = DecodingPolicy(scope: .provider),
    sentAt: Timestamp? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> RejectedItem {
    let item = try #require(
        try decode(body, as: format, policy: policy, sentAt: sentAt).first,
        sourceLocation: sourceLocation
    )
    return try #require(item.rejection, sourceLocation: sourceLocation)
}

/// An event of that kind with what most kinds need, and these fields.
func event(_ kind: String, _ fields: String = "") -> String {
    #"{"kind":"\#(kind)","occurred_at":"2026-03-01T10:00:00Z","device_id":"d1","notification_id":"n1""#
        + (fields.isEmpty ? "" : ",") + fields + "}"
}

extension DecodedOutcome {
    var event: NormalisedEvent? {
        if case .accepted(let event, _) = self { event } else { nil }
    }

    var warnings: [String] {
        if case .accepted(_, let warnings) = self { warnings } else { [] }
    }

    var rejection: RejectedItem? {
        if case .rejected(let item) = self { item } else { nil }
    }
}

extension NormalisedEvent {
    var json: String {
        String(decoding: data, as: UTF8.self)
    }
}

extension RejectedItem {
    var text: String? {
        redacted.map { String(decoding: $0, as: UTF8.self) }
    }
}
