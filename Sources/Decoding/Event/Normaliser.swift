import NotificationEvents

/// Turns one item after the other into the event that is stored, or says why not: a ``ParsedItem`` reads it, an
/// ``EventDraft`` takes the rules of its kind, an ``EventWriter`` checks and writes what comes out.
struct Normaliser {
    /// What is the same for all items of a body.
    struct Context {
        var policy: DecodingPolicy
        var receivedAt: Timestamp
        var sentAt: Timestamp?
        let kept: KeptBytes

        init(_ policy: DecodingPolicy, receivedAt: Timestamp, sentAt: Timestamp?) {
            self.policy = policy
            self.receivedAt = receivedAt
            self.sentAt = sentAt
            kept = KeptBytes(policy.limits)
        }
    }

    let context: Context
    /// Where events are written, one after the other.
    private let out: OutputBuffer
    private let pool: FieldValuesPool
    private let secrets: Secrets
    private let vocabulary = CompiledVocabulary.shared

    init(_ context: Context, _ out: OutputBuffer, _ pool: FieldValuesPool) {
        self.context = context
        self.out = out
        self.pool = pool
        secrets = Secrets(context.policy)
    }

    var limits: DecodingLimits { context.policy.limits }

    /// The kind of an item.
    func kind(of item: ParsedItem) throws(FieldFailure) -> CompiledKind {
        try item.kind(in: vocabulary)
    }

    /// The event that an item is, and the names of the fields that were dropped.
    ///
    /// The order of the rules shows in errors, as the first that an item breaks is the one that it is rejected for.
    func event(_ item: ParsedItem, _ kind: CompiledKind) throws(FieldFailure) -> (NormalisedEvent, warnings: [String]) {
        out.truncate(to: 0)
        var writer = EventWriter(out, item.tape, secrets, pool)
        var draft = EventDraft(item, kind, pool)
        defer { pool.recycle(draft.values) }
        try draft.takePushFields(&writer)
        draft.fillDefaults()
        try draft.checkScope(context.policy.scope)
        try draft.measureReplyText()
        var columns = try writer.write(draft)
        try draft.checkRules()
        let warnings = writer.warnings.names
        // An event that means another kind must keep the rules of both.
        if let rewritten = draft.rewritten(in: vocabulary) {
            draft = rewritten
            out.truncate(to: 0)
            columns = try writer.write(draft)
            try draft.checkRules()
        }
        return (try finish(draft, columns, &writer), warnings)
    }

    /// Settles times and id, and puts the event together.
    private func finish(
        _ draft: EventDraft,
        _ columns: EventWriter.Columns,
        _ writer: inout EventWriter
    ) throws(FieldFailure) -> NormalisedEvent {
        guard let occurredAt = columns.occurredAt else {
            throw FieldFailure(.missingField, "is required", path: ["occurred_at"])
        }
        let times = try EventTimes(
            occurredAt: occurredAt.timestamp,
            receivedAt: context.receivedAt,
            sentAt: context.sentAt,
            retentionSeconds: limits.retentionSeconds
        )
        let data = out.count
        out.append(columns, of: draft.kind.kind, occurredAt)
        let digest = ContentHashing.content(out.bytes)
        let id = draft.envelopeID ?? columns.id ?? ContentHashing.version5(namespace: .contentNamespace, out.bytes)
        out.truncate(to: data)
        if let revised = draft.revised() {
            out.truncate(to: 0)
            _ = try writer.write(revised)
        }
        writeReplyText(draft)
        out.append(UInt8(ascii: "}"))

        return NormalisedEvent(
            kind: draft.kind.kind,
            id: id,
            digest: digest,
            deviceID: columns.deviceID,
            receivedAt: context.receivedAt,
            occurredAt: occurredAt.timestamp,
            effectiveAt: times.effectiveAt,
            sentAt: context.sentAt,
            occurrence: columns.occurrence,
            utcOffsetMinutes: occurredAt.utcOffsetMinutes,
            timeClamped: times.isClamped,
            notificationID: columns.aboutNotification,
            token: columns.token,
            data: Array(out.bytes)
        )
    }

    /// Writes what a person typed, where the app keeps it: behind all that makes the event's identity.
    private func writeReplyText(_ draft: EventDraft) {
        guard context.policy.keepReplyText, let field = draft.kind.replyText, case .sent(let text) = draft.values[field]
        else { return }
        if out.count > 1 {
            out.append(UInt8(ascii: ","))
        }
        out.append(draft.kind.object.fields[field].key)
        out.append(string: draft.tape.string(text))
    }

    /// A rejected item, redacted; `nil` where it is no object, or there is more of it or of its body than is kept.
    ///
    /// - Parameters:
    ///   - kind: its kind, where that is known.
    ///   - length: how many bytes it was sent as.
    func redacted(_ item: ParsedItem, _ kind: CompiledKind?, length: Int) -> [UInt8]? {
        out.truncate(to: 0)
        let most = context.kept.most(ofLength: length)
        guard ItemRedaction(item, kind, secrets, most: most, out).write() else { return nil }
        context.kept.take(out.count)
        return Array(out.bytes)
    }
}

extension EventWriter.Columns {
    /// The notification that the event is about.
    var aboutNotification: String? { notificationID ?? requestIdentifier }
}

extension OutputBuffer {
    /// Writes what an event says outside `data` behind it: together they are the canonical form. No text holds a NUL,
    /// so that ends each.
    fileprivate func append(_ columns: EventWriter.Columns, of kind: EventKind, _ occurredAt: Timestamp.Zoned) {
        append(0)
        append(plain: kind.name)
        append(0)
        append(plain: columns.deviceID)
        append(0)
        if let notification = columns.aboutNotification {
            append(plain: notification)
        }
        append(0)
        append(word: occurredAt.timestamp.microseconds)
        append(word: Int64(occurredAt.utcOffsetMinutes))
        if let occurrence = columns.occurrence {
            append(1)
            append(word: occurrence.microseconds)
        } else {
            append(0)
        }
        if let token = columns.token {
            append(token)
        }
    }
}
