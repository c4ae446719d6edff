import NotificationEvents

extension Normaliser {
    /// A gap between the sender's and the service's clock that is put down to the network, in microseconds.
    static let toleratedSkew: Int64 = 60 * 1_000_000
    /// How far ahead an event may lie before it is set to the time it was received, in microseconds.
    static let toleratedLead: Int64 = 24 * 3_600 * 1_000_000

    /// Settles times and id, and puts the event together.
    func finish(_ kind: CompiledKind, _ base: Int) throws(FieldFailure) -> NormalisedEvent {
        guard let occurredAt = columns.occurredAt else {
            throw FieldFailure(.missingField, "is needed", path: ["occurred_at"])
        }
        let (effectiveAt, clamped) = effectiveTime(occurredAt.timestamp)
        let horizon = setting.receivedAt.advanced(byMicroseconds: -setting.policy.limits.retentionSeconds * 1_000_000)
        guard occurredAt.timestamp >= horizon, effectiveAt >= horizon else {
            throw FieldFailure(
                .tooOld,
                "is older than the \(setting.policy.limits.retentionSeconds / 86_400) days that events are kept",
                path: ["occurred_at"]
            )
        }

        let notificationID = columns.notificationID ?? columns.requestIdentifier
        let dataCount = out.count
        appendColumns(kind, occurredAt, notificationID)
        let digest = Digests.content(out.bytes)
        let id = columns.id ?? Digests.version5(namespace: .contentNamespace, out.bytes)
        out.truncate(to: dataCount)
        try revise(kind, base)
        if setting.policy.keepReplyText, let index = kind.replyText, slots[base + index] != 0 {
            if out.count > 1 {
                out.append(UInt8(ascii: ","))
            }
            out.append(kind.object.fields[index].key)
            out.append(string: tape.string(Int(slots[base + index])))
        }
        out.append(UInt8(ascii: "}"))

        return NormalisedEvent(
            kind: kind.kind,
            id: id,
            digest: digest,
            deviceID: columns.deviceID,
            receivedAt: setting.receivedAt,
            occurredAt: occurredAt.timestamp,
            effectiveAt: effectiveAt,
            sentAt: setting.sentAt,
            occurrence: columns.occurrence,
            utcOffsetMinutes: occurredAt.utcOffsetMinutes,
            timeClamped: clamped,
            notificationID: notificationID,
            token: columns.token,
            data: Array(out.bytes)
        )
    }

    /// Writes the event's `data` again where a rule says otherwise that is no part of its identity.
    private func revise(_ kind: CompiledKind, _ base: Int) throws(FieldFailure) {
        guard let revision = kind.revisions.first(where: { holds($0.condition, kind, base) }) else { return }
        let field = kind.object.fields[revision.index]
        slots[base + revision.index] = 0
        overrides.removeAll { $0.fieldID == field.id }
        override(field, with: revision.value)
        out.truncate(to: 0)
        try writeEvent(kind, base)
    }

    /// When it happened by the service's clock, as far as that can be told (events.md, "Time").
    private func effectiveTime(_ occurredAt: Timestamp) -> (Timestamp, clamped: Bool) {
        var effective = occurredAt
        if let sentAt = setting.sentAt {
            let gap = setting.receivedAt.microseconds - sentAt.microseconds
            if gap.magnitude > Self.toleratedSkew.magnitude {
                effective = occurredAt.advanced(byMicroseconds: gap)
            }
        }
        if effective > setting.receivedAt.advanced(byMicroseconds: Self.toleratedLead) {
            return (setting.receivedAt, true)
        }
        return (effective, false)
    }

    /// Writes what an event says outside `data` behind it: together they are the canonical form. No text holds a NUL,
    /// so that ends each.
    private func appendColumns(_ kind: CompiledKind, _ occurredAt: Timestamp.Zoned, _ notificationID: String?) {
        out.append(0)
        out.append(plain: kind.kind.name)
        out.append(0)
        out.append(plain: columns.deviceID)
        out.append(0)
        if let notificationID {
            out.append(plain: notificationID)
        }
        out.append(0)
        out.append(word: occurredAt.timestamp.microseconds)
        out.append(word: Int64(occurredAt.utcOffsetMinutes))
        if let occurrence = columns.occurrence {
            out.append(1)
            out.append(word: occurrence.microseconds)
        } else {
            out.append(0)
        }
        if let token = columns.token {
            out.append(token)
        }
    }
}
