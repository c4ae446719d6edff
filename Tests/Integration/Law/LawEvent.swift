import NotificationEvents

/// An event as the model sees it: what was sent, its defaults written out, before any code of Notilog has touched it.
///
/// Times are microseconds since 1970.
struct LawEvent: Sendable {
    var kind: String
    var id: EventID
    /// Whether the id is left for the service to make from the content.
    var isAnonymous = false
    /// Empty where the event names no device.
    var device: String
    /// The time by the sender's clock.
    var occurredAt: Int64
    /// How far the service finds the sender's clock to be slow.
    var skew: Int64 = 0
    /// Whether the sender's clock is so far ahead, and nothing tells how far, that the service takes its own.
    var isAhead = false
    /// By the server's clock; once the event is decoded.
    var receivedAt: Int64 = 0
    var occurrence: Int64?
    var notification: String?
    /// The token as sent; once the event is decoded, its digest in hex.
    var token: String?
    /// Every other field.
    var fields: [String: LawValue] = [:]

    /// When it counts as having happened.
    var at: Int64 { occurredAt + skew }

    /// A field, or a field of an object in a field.
    subscript(path: String...) -> LawValue? {
        path.dropFirst().reduce(fields[path[0]]) { $0?[$1] }
    }

    /// When a time that the event says by the sender's clock was, by the clock that ``at`` is by.
    func time(_ field: String) -> Int64? { self[field]?.integer.map { $0 + skew } }

    /// Before another in the tie order: effective_at, device_id, id.
    static func isBefore(_ left: LawEvent, _ right: LawEvent) -> Bool {
        (left.at, left.device, left.id) < (right.at, right.device, right.id)
    }
}

/// What makes an event the same one, however often it is sent.
struct LawIdentity: Hashable {
    let device: String
    let id: EventID

    init(_ event: LawEvent) {
        device = event.device
        id = event.id
    }
}
