internal import Folds
internal import Postgres

/// The stored periods of devices, as far as a batch needs them.
extension NotificationFold {
    /// The most periods of a device, of both series, that are read without regard to times.
    private static let fewPeriods = 32
    /// The most periods of a series that are read to be known between two times, rather than around each of them.
    private static let mostPeriods = 1_000
    /// The most rows that are asked for at once: a result stays in memory until it is taken apart, and there can be any number of devices.
    private static let rowsOfAPart = 50_000

    /// The periods of a device around keys that follow each other.
    private struct Stretch {
        var device: DeviceBatch
        var keys: ClosedRange<SnapshotKey>
    }

    /// Loads all periods of devices that have few, as nearly all do; of the others those around their ranges.
    func loadPeriods(_ devices: [DeviceBatch], on connection: isolated Connection) async throws {
        let first = try await periods(
            of: devices,
            from: "projection.first_device_periods($1, $2, $3)",
            [Self.app, Self.id],
            most: Self.fewPeriods + 1,
            on: connection
        )
        var others: [DeviceBatch] = []
        for (device, known) in zip(devices, first) {
            device.hasManyPeriods = false
            if known.context.count + known.settings.count > Self.fewPeriods {
                others.append(device)
            } else {
                device.take(known)
            }
        }
        if !others.isEmpty { try await loadPeriodsAround(others, on: connection) }
    }

    private func loadPeriodsAround(_ devices: [DeviceBatch], on connection: isolated Connection) async throws {
        let known = try await periods(
            devices.map { Stretch(device: $0, keys: SnapshotKey.all(in: $0.range ?? .max ... .max)) },
            most: Self.mostPeriods + 1,
            on: connection
        )
        var many: [DeviceBatch] = []
        for (device, known) in zip(devices, known) {
            device.hasManyPeriods = max(known.context.count, known.settings.count) > Self.mostPeriods
            if device.hasManyPeriods { many.append(device) } else { device.take(known) }
        }
        guard !many.isEmpty else { return }
        var stretches: [Stretch] = []
        for device in many {
            var keys: Set<SnapshotKey> = []
            device.eachKey { keys.insert($0) }
            stretches += keys.sorted().map { Stretch(device: device, keys: $0...$0) }
        }
        var around: [DeviceKey: SeriesOfPeriods] = [:]
        for (stretch, known) in zip(stretches, try await periods(stretches, most: 1, on: connection)) {
            around[stretch.device.key, default: SeriesOfPeriods()].append(known)
        }
        for device in many { device.take(around[device.key] ?? SeriesOfPeriods()) }
    }

    /// - Parameter most: the most of a series within each stretch, besides its neighbours.
    private func periods(
        _ stretches: [Stretch],
        most: Int,
        on connection: isolated Connection
    ) async throws -> [SeriesOfPeriods] {
        try await periods(
            of: stretches,
            from: "projection.periods_around($1, $2, $3, $4, $5, $6, $7)",
            [Self.app.of(\.device), Self.id.of(\.device), Self.fromAt, Self.fromID, Self.toAt, Self.toID],
            most: most,
            on: connection
        )
    }

    /// The periods that a function returns of each of some that it is asked for.
    ///
    /// - Parameters:
    ///   - columns: its parameters but for the last one.
    ///   - most: its last parameter: of each it returns some twice as many at most.
    private func periods<Asked>(
        of asked: [Asked],
        from function: String,
        _ columns: [FoldColumn<Asked>],
        most: Int,
        on connection: isolated Connection
    ) async throws -> [SeriesOfPeriods] {
        var result = [SeriesOfPeriods](repeating: SeriesOfPeriods(), count: asked.count)
        let size = max(1, Self.rowsOfAPart / (2 * (most + 2)))
        for start in stride(from: 0, to: asked.count, by: size) {
            let part = Array(asked[start..<min(start + size, asked.count)])
            let rows = try await connection.query(
                "SELECT * FROM " + function,
                columns.map { $0.parameter(part, symbols) } + [.int8(Int64(most))]
            )
            for row in rows {
                var fields = FoldFields(row)
                let index = start + Int(fields.int4()) - 1
                let isContext = fields.withBytes { $0?.first == UInt8(ascii: "c") }
                let (firstAt, firstID) = (fields.moment(), fields.uuid())
                let (lastAt, lastID) = (fields.moment(), fields.uuid())
                let value = fields.withJSON { $0.map { symbols.stored($0) } ?? .none }
                let period = Periods.Period(
                    firstAt: firstAt,
                    firstID: firstID,
                    lastAt: lastAt,
                    lastID: lastID,
                    value: value
                )
                if isContext {
                    result[index].context.append(period)
                } else {
                    result[index].settings.append(period)
                }
            }
        }
        return result
    }

    private static let fromAt = FoldColumn<Stretch>.occurrence("from_at") { $0.keys.lowerBound.at }
    private static let fromID = FoldColumn<Stretch>.uuid("from_id") { $0.keys.lowerBound.id }
    private static let toAt = FoldColumn<Stretch>.occurrence("to_at") { $0.keys.upperBound.at }
    private static let toID = FoldColumn<Stretch>.uuid("to_id") { $0.keys.upperBound.id }
}

extension SnapshotKey {
    /// From before every snapshot at the first of some times to after every one at the last.
    fileprivate static func all(in times: ClosedRange<Moment>) -> ClosedRange<SnapshotKey> {
        let first = SnapshotKey(at: times.lowerBound, id: UUIDValue(high: .min, low: .min))
        return first...SnapshotKey(at: times.upperBound, id: UUIDValue(high: .max, low: .max))
    }
}

/// Periods of a device as they are stored, by series.
private struct SeriesOfPeriods {
    var context: [Periods.Period] = []
    var settings: [Periods.Period] = []

    /// Takes in those around a later key, of which some may be known.
    mutating func append(_ other: SeriesOfPeriods) {
        Self.append(other.context, to: &context)
        Self.append(other.settings, to: &settings)
    }

    private static func append(_ later: [Periods.Period], to periods: inout [Periods.Period]) {
        let known = Set(periods.suffix(later.count))
        periods += later.filter { !known.contains($0) }
    }
}

extension DeviceBatch {
    fileprivate func take(_ periods: SeriesOfPeriods) {
        known.context = Periods(periods.context)
        known.settings = Periods(periods.settings)
    }

    /// The keys around which its periods are needed: of its snapshots, and of the times of its notifications the one before all
    /// snapshots and the one after. Those of the periods that begin at such a time in between are not.
    fileprivate func eachKey(_ body: (SnapshotKey) -> Void) {
        for snapshot in contexts + settings { body(snapshot.key) }
        for notification in notifications.values {
            notification.eachTime { at in
                let keys = SnapshotKey.all(in: at...at)
                body(keys.lowerBound)
                body(keys.upperBound)
            }
        }
    }
}
