import NotificationEvents

/// When an event happened, as far as reports are concerned.
struct EventTimes {
    /// A gap between the sender's and the service's clock that is put down to the network, in microseconds.
    static let toleratedSkew: Int64 = 60 * 1_000_000
    /// How far ahead an event may lie before it is set to the time it was received, in microseconds.
    static let toleratedLead: Int64 = 24 * 3_600 * 1_000_000

    /// When it happened by the service's clock, as far as that can be told.
    let effectiveAt: Timestamp
    /// Whether it lay so far ahead that it was set to the time it was received.
    let isClamped: Bool

    /// - Parameters:
    ///   - occurredAt: when it happened, by the sender's clock.
    ///   - receivedAt: the service's clock.
    ///   - sentAt: the sender's clock as it sent, if it said so.
    ///   - retentionSeconds: how long ago it may have happened.
    /// - Throws: ``FieldFailure`` where it is older than that.
    init(
        occurredAt: Timestamp,
        receivedAt: Timestamp,
        sentAt: Timestamp?,
        retentionSeconds: Int64
    ) throws(FieldFailure) {
        var effective = occurredAt
        if let sentAt {
            let gap = receivedAt.microseconds - sentAt.microseconds
            if gap.magnitude > Self.toleratedSkew.magnitude {
                effective = occurredAt.advanced(byMicroseconds: gap)
            }
        }
        isClamped = effective > receivedAt.advanced(byMicroseconds: Self.toleratedLead)
        effectiveAt = isClamped ? receivedAt : effective
        let horizon = receivedAt.advanced(byMicroseconds: -retentionSeconds * 1_000_000)
        guard occurredAt >= horizon, effectiveAt >= horizon else {
            let message = "is older than the \(retentionSeconds / 86_400) days that events are kept"
            // What the event says is sound if only the corrected time is too old: the sender's clock is at fault.
            let corrected = ", as corrected by the time of sending (Notilog-Sent-At or sentAt)"
            throw FieldFailure(
                .tooOld,
                occurredAt < horizon ? message : message + corrected,
                path: ["occurred_at"]
            )
        }
    }
}
