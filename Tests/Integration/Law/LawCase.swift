import Decoding
import NotificationEvents

/// A set of events, and the ways in which it is brought in.
struct LawCase: Sendable {
    /// What makes the same case again.
    let seed: UInt64
    let focus: RandomEvents.Focus
    /// What was sent, and what Notilog makes of it.
    private(set) var events: [(sent: LawEvent, stored: NormalisedEvent)]
    /// Each brings in the whole set.
    private(set) var deliveries: [LawDelivery]

    /// Makes a case from its seed.
    ///
    /// - Throws: `LawError` where Notilog rejects an event, or gives it another time than it should.
    init(seed: UInt64, focus: RandomEvents.Focus, decoder: EventDecoder) throws {
        self.seed = seed
        self.focus = focus
        var generator = RandomEvents(focus: focus, random: LawRandom(seed: seed))
        let made = generator.make()
        var random = generator.random
        events = try made.map { try Self.decode($0, decoder, &random) }
        deliveries = LawDelivery.several(of: events.map(\.sent), random: &random)
    }

    /// The case with some of its events only.
    func keeping(_ isKept: (Int) -> Bool) -> LawCase {
        var smaller = self
        let kept = events.indices.filter(isKept)
        smaller.events = kept.map { events[$0] }
        let places = Dictionary(uniqueKeysWithValues: zip(kept, kept.indices))
        smaller.deliveries = deliveries.map { $0.renumbered(places) }
        return smaller
    }

    private static func decode(
        _ event: LawEvent,
        _ decoder: EventDecoder,
        _ random: inout LawRandom
    ) throws -> (LawEvent, NormalisedEvent) {
        let json = event.wire(using: &random)
        // Ten days after the first of them happened, in several quarter hours, in an order of its own.
        let minutes = 10 * 1440 + 7 * Int64.random(in: 0..<6, using: &random)
        let receivedAt = Timestamp(microseconds: RandomEvents.start + minutes * 60_000_000)
        var sent = event
        if sent.isAhead { sent.skew = receivedAt.microseconds - sent.occurredAt }
        let isGapKnown = sent.skew != 0 && !sent.isAhead
        let sentAt = isGapKnown ? receivedAt.advanced(byMicroseconds: -sent.skew) : nil
        let items = try decoder.decode(
            Array(json.utf8),
            format: .json,
            policy: DecodingPolicy(scope: .provider),
            receivedAt: receivedAt,
            sentAt: sentAt
        ).map(\.item)
        guard case .accepted(var stored, let warnings)? = items.first, warnings.isEmpty else {
            throw LawError("not taken as it is: \(json): \(items)")
        }
        guard stored.kind.name == event.kind, stored.effectiveAt.microseconds == sent.at else {
            throw LawError("taken for another kind or time: \(json)")
        }
        // An earlier release wrote down that what is of another push type alerts.
        let type = event["push", "push_type"]
        if event["alerting"] == true, let type, type != "alert", Bool.random(using: &random) {
            stored.data = Array(
                String(decoding: stored.data, as: UTF8.self).replacing(#""alerting":false"#, with: #""alerting":true"#)
                    .utf8
            )
        }
        sent.receivedAt = receivedAt.microseconds
        // What the service makes of content and token, the model takes over.
        if event.isAnonymous { sent.id = stored.id }
        sent.token = stored.token.map { String(hexadecimal: $0) }
        return (sent, stored)
    }

}

/// What stops a case before it can be compared.
struct LawError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
