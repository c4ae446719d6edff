internal import NotificationEvents
internal import Postgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A column of an event's row in the arrays that `log.append` takes.
///
/// The raw value is its name in `log.event`; the digest is in `log.identity`.
enum EventColumn: String, CaseIterable {
    case app = "app_id"
    case id
    case digest
    case kind
    case deviceID = "device_id"
    case receivedAt = "received_at"
    case occurredAt = "occurred_at"
    case effectiveAt = "effective_at"
    case sentAt = "sent_at"
    case occurrence
    case utcOffset = "utc_offset"
    case schemaVersion = "schema_version"
    case timeClamped = "time_clamped"
    case notificationID = "notification_id"
    case token
    case data
    case dataText = "data_text"

    /// The argument of `log.append` that holds its values, an array with one element an event.
    var argument: String { rawValue + "s" }

    /// Its type, and how many bytes of it an event has, about.
    private var type: (element: Parameter.ElementType, bytes: Int) {
        switch self {
        case .app: (.int4, 4)
        case .id, .digest: (.uuid, 16)
        case .kind: (.text, 12)
        case .deviceID, .notificationID: (.text, 36)
        case .receivedAt, .occurredAt, .effectiveAt, .sentAt, .occurrence: (.timestamptz, 8)
        case .utcOffset, .schemaVersion: (.int2, 2)
        case .timeClamped: (.bool, 1)
        case .token: (.bytea, 8)
        case .data: (.jsonb, 32)
        case .dataText: (.text, 256)
        }
    }

    /// Its values, written straight into what libpq sends.
    ///
    /// - Parameter count: how many events the parts have.
    func parameter(_ parts: [SubmissionPart], count: Int) -> Parameter {
        var values = ArrayWriter(type.element, count: count, elementBytes: type.bytes)
        /// By address, as an event is large and only one of its parts is read. Each case below is a loop of its own.
        @inline(__always)
        func each(_ append: (UnsafePointer<NormalisedEvent>, AppID) -> Void) {
            for part in parts {
                part.events.withUnsafeBufferPointer { events in
                    guard let first = events.baseAddress else { return }
                    for index in 0..<events.count { append(first + index, part.app) }
                }
            }
        }
        switch self {
        case .app: each { values.append($1.rawValue) }
        case .id: each { event, _ in values.append(uuidHigh: event.pointee.id.high, low: event.pointee.id.low) }
        case .digest:
            each { event, _ in values.append(uuidHigh: event.pointee.digest.high, low: event.pointee.digest.low) }
        case .kind: each { event, _ in values.append(event.pointee.kind.name) }
        case .deviceID: each { event, _ in values.append(event.pointee.deviceID) }
        case .receivedAt: each { event, _ in values.append(event.pointee.receivedAt.microseconds) }
        case .occurredAt: each { event, _ in values.append(event.pointee.occurredAt.microseconds) }
        case .effectiveAt: each { event, _ in values.append(event.pointee.effectiveAt.microseconds) }
        case .sentAt: each { event, _ in values.append(event.pointee.sentAt?.microseconds) }
        case .occurrence: each { event, _ in values.append(event.pointee.occurrence?.microseconds) }
        case .utcOffset: each { event, _ in values.append(event.pointee.utcOffsetMinutes) }
        case .schemaVersion: each { event, _ in values.append(event.pointee.schemaVersion) }
        case .timeClamped: each { event, _ in values.append(event.pointee.timeClamped) }
        case .notificationID: each { event, _ in values.append(event.pointee.notificationID) }
        case .token: each { event, _ in values.append(event.pointee.token) }
        case .data: each { event, _ in values.append(event.pointee.isKeptAsText ? nil : event.pointee.data) }
        case .dataText: each { event, _ in values.append(event.pointee.isKeptAsText ? event.pointee.data : nil) }
        }
        return values.finish()
    }
}

extension NormalisedEvent {
    /// Whether the log keeps `data` as the text that it is, rather than as `jsonb`.
    ///
    /// To parse it takes PostgreSQL as long as to store the event. So it does that when it is asked to, for the kinds that come by the
    /// thousand and that folds read, as text. What SQL reads in bulk, or has an index on, is `jsonb`; so is what has an escape, some of
    /// which PostgreSQL refuses: it is told now, not whoever reads the event.
    var isKeptAsText: Bool {
        guard Self.kindsAsText.contains(where: { $0 === kind }) else { return false }
        return data.withUnsafeBytes { bytes in
            // The index event_scheduled has requests to tokens that are due later.
            !bytes.holds("\\")
                && (kind !== EventKind.request || token == nil || !bytes.holds("_for\"", behind: "scheduled"))
        }
    }

    private static let kindsAsText: [EventKind] = [
        .request, .delivery, .presentation, .actionResponse, .dismissal, .appOpen,
    ]
}

extension UnsafeRawBufferPointer {
    /// Whether a text is in the bytes, right behind another one. Its first character is searched for, and had better be rare.
    fileprivate func holds(_ text: StaticString, behind before: StaticString = "") -> Bool {
        let (length, lengthBefore) = (text.utf8CodeUnitCount, before.utf8CodeUnitCount)
        guard let baseAddress else { return false }
        var start = lengthBefore
        while start + length <= count,
            let found = memchr(baseAddress + start, Int32(text.utf8Start.pointee), count - start - length + 1)
        {
            if memcmp(found, text.utf8Start, length) == 0,
                memcmp(found - lengthBefore, before.utf8Start, lengthBefore) == 0
            {
                return true
            }
            start = UnsafeRawPointer(found) - baseAddress + 1
        }
        return false
    }
}
