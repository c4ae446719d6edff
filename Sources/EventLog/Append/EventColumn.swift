internal import NotificationEvents
internal import Postgres

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
        case .data: (.jsonb, 256)
        }
    }

    /// Its values, written in one pass straight into what libpq sends.
    ///
    /// - Parameter count: how many events the slices have.
    func parameter(_ slices: [AppendSlice], count: Int) -> Parameter {
        var values = ArrayWriter(type.element, count: count, elementBytes: type.bytes)
        for slice in slices {
            // By address: an event is large, and only one of its parts is read.
            slice.events.withUnsafeBufferPointer { events in
                for index in events.indices { append(events[index], of: slice.app, to: &values) }
            }
        }
        return values.finish()
    }

    @inline(__always)
    private func append(_ event: NormalisedEvent, of app: Int32, to values: inout ArrayWriter) {
        switch self {
        case .app: values.append(app)
        case .id: values.append(uuidHigh: event.id.high, low: event.id.low)
        case .digest: values.append(uuidHigh: event.digest.high, low: event.digest.low)
        case .kind: values.append(event.kind.name)
        case .deviceID: values.append(event.deviceID)
        case .receivedAt: values.append(event.receivedAt.microseconds)
        case .occurredAt: values.append(event.occurredAt.microseconds)
        case .effectiveAt: values.append(event.effectiveAt.microseconds)
        case .sentAt: values.append(event.sentAt?.microseconds)
        case .occurrence: values.append(event.occurrence?.microseconds)
        case .utcOffset: values.append(event.utcOffsetMinutes)
        case .schemaVersion: values.append(event.schemaVersion)
        case .timeClamped: values.append(event.timeClamped)
        case .notificationID: values.append(event.notificationID)
        case .token: values.append(event.token)
        case .data: values.append(event.data)
        }
    }
}
