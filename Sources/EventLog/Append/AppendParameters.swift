internal import NotificationEvents
package import Postgres

/// The events of a batch as the arrays that `log.append` takes, written in one pass straight into what libpq sends.
package enum AppendParameters {
    static let sql = """
        SELECT positions, statuses FROM log.append(
          $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
        """

    package static func make(_ slices: [AppendSlice]) -> [Parameter] {
        let count = slices.reduce(0) { $0 + $1.events.count }
        var apps = ArrayWriter(.int4, count: count, elementBytes: 4)
        var ids = ArrayWriter(.uuid, count: count, elementBytes: 16)
        var digests = ArrayWriter(.uuid, count: count, elementBytes: 16)
        var kinds = ArrayWriter(.text, count: count, elementBytes: 12)
        var devices = ArrayWriter(.text, count: count, elementBytes: 36)
        var received = ArrayWriter(.timestamptz, count: count)
        var occurred = ArrayWriter(.timestamptz, count: count)
        var effective = ArrayWriter(.timestamptz, count: count)
        var sent = ArrayWriter(.timestamptz, count: count)
        var occurrences = ArrayWriter(.timestamptz, count: count)
        var offsets = ArrayWriter(.int2, count: count, elementBytes: 2)
        var versions = ArrayWriter(.int2, count: count, elementBytes: 2)
        var clamped = ArrayWriter(.bool, count: count, elementBytes: 1)
        var notifications = ArrayWriter(.text, count: count, elementBytes: 36)
        var tokens = ArrayWriter(.bytea, count: count, elementBytes: 8)
        var datas = ArrayWriter(.jsonb, count: count, elementBytes: 256)
        for slice in slices {
            for event in slice.events {
                apps.append(slice.app)
                ids.append(uuidHigh: event.id.high, low: event.id.low)
                digests.append(uuidHigh: event.digest.high, low: event.digest.low)
                kinds.append(event.kind.name)
                devices.append(event.deviceID)
                received.append(event.receivedAt.microseconds)
                occurred.append(event.occurredAt.microseconds)
                effective.append(event.effectiveAt.microseconds)
                sent.append(event.sentAt?.microseconds)
                occurrences.append(event.occurrence?.microseconds)
                offsets.append(event.utcOffsetMinutes)
                versions.append(event.schemaVersion)
                clamped.append(event.timeClamped)
                notifications.append(event.notificationID)
                tokens.append(event.token)
                datas.append(event.data)
            }
        }
        return [
            apps.finish(), ids.finish(), digests.finish(), kinds.finish(), devices.finish(), received.finish(),
            occurred.finish(), effective.finish(), sent.finish(), occurrences.finish(), offsets.finish(),
            versions.finish(), clamped.finish(), notifications.finish(), tokens.finish(), datas.finish(),
        ]
    }

    static func results(_ rows: Rows, count: Int) throws -> [AppendResult] {
        let row = try rows.only()
        let positions = try row.get(0, as: [Int64?].self)
        let statuses = try row.get(1, as: [Int16].self)
        guard positions.count == count, statuses.count == count else {
            throw AppendError.unavailable("log.append answered for \(positions.count) of \(count) events")
        }
        return zip(positions, statuses).map { position, status in
            guard let position else { return status == 4 ? .tooOld : .erased }
            return switch status {
            case 0: .stored(position: position)
            case 1: .duplicate(position: position)
            default: .conflict(position: position)
            }
        }
    }
}
