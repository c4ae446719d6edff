internal import Folds
internal import Postgres

/// What devices said of themselves is merged with the periods that are stored around it.
extension NotificationFold {
    func foldDevices(on connection: isolated Connection) async throws {
        let all = Array(devices.values)
        try await loadNotifications(all.flatMap { Array($0.notifications.values) }, on: connection)
        for device in all { device.range = device.needed }
        try await loadDevices(all.filter { $0.range != nil || $0.extends || $0.isErased }, on: connection)
        for device in all {
            device.changed = device.isErased ? .min ... .max : device.periods.changed(since: device.known)
        }
    }

    /// Loads the periods around the devices' ranges, and merges with them what the batch says.
    private func loadDevices(_ devices: [DeviceBatch], on connection: isolated Connection) async throws {
        guard !devices.isEmpty else { return }
        try await loadPeriods(devices, on: connection)
        try await loadExtensions(devices, on: connection)
        var torn: [DeviceBatch] = []
        for device in devices where !device.mergeSnapshots() { torn.append(device) }
        guard !torn.isEmpty else { return }
        for device in torn {
            device.range = .min ... .max
            device.hasManyPeriods = false
        }
        let whole = try await periods(torn.map { Stretch(device: $0, times: .min ... .max) }, on: connection)
        for (device, known) in zip(torn, whole) { device.take(known) }
        for device in torn { device.periods.extends = device.known.extends || device.extends }
        try await rereadSnapshots(torn, on: connection)
    }

    /// Widens the ranges of devices to the notifications that were loaded since.
    func widenRanges(_ touched: [DeviceBatch], on connection: isolated Connection) async throws {
        var wider: [DeviceBatch] = []
        for device in touched {
            guard let needed = device.needed else { continue }
            if !device.hasManyPeriods, let range = device.range, range.contains(needed.lowerBound),
                range.contains(needed.upperBound)
            {
                continue
            }
            device.range = needed
            wider.append(device)
        }
        try await loadDevices(wider, on: connection)
    }

    /// The most periods of a series that are read to be known between two times, rather than around each of them.
    private static let mostPeriods = 1_000

    /// The periods of a device around times that follow each other.
    private struct Stretch {
        var device: DeviceBatch
        var times: ClosedRange<Moment>
    }

    private func loadPeriods(_ devices: [DeviceBatch], on connection: isolated Connection) async throws {
        let known = try await periods(
            devices.map { Stretch(device: $0, times: $0.range ?? .max ... .max) },
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
            var times: Set<Moment> = []
            device.eachTime { times.insert($0) }
            stretches += times.sorted().map { Stretch(device: device, times: $0...$0) }
        }
        var around: [DeviceKey: SeriesOfPeriods] = [:]
        for (stretch, known) in zip(stretches, try await periods(stretches, on: connection)) {
            around[stretch.device.key, default: SeriesOfPeriods()].append(known)
        }
        for device in many { device.take(around[device.key] ?? SeriesOfPeriods()) }
    }

    /// - Parameter most: the most of a series of each stretch; nil for all.
    private func periods(
        _ stretches: [Stretch],
        most: Int? = nil,
        on connection: isolated Connection
    ) async throws -> [SeriesOfPeriods] {
        let rows = try await connection.query(
            "SELECT * FROM device_periods_known($1, $2, $3, $4, $5)",
            [
                Self.app.of(\.device).parameter(stretches, vocabulary),
                Self.id.of(\.device).parameter(stretches, vocabulary),
                Self.from.parameter(stretches, vocabulary), Self.to.parameter(stretches, vocabulary),
                .int8(most.map(Int64.init)),
            ]
        )
        var result = stretches.map { _ in SeriesOfPeriods() }
        for row in rows {
            var fields = FoldFields(row)
            let ordinal = Int(fields.int4()) - 1
            let isContext = fields.withBytes { $0?.first == UInt8(ascii: "c") }
            let (firstAt, firstID, lastAt, lastID) = (fields.moment(), fields.uuid(), fields.moment(), fields.uuid())
            let value = fields.withJSON { $0.map { vocabulary.stored($0) } ?? .none }
            let period = Periods.Period(
                firstAt: firstAt,
                firstID: firstID,
                lastAt: lastAt,
                lastID: lastID,
                value: value
            )
            if isContext {
                result[ordinal].context.append(period)
            } else {
                result[ordinal].settings.append(period)
            }
        }
        return result
    }

    private func loadExtensions(_ devices: [DeviceBatch], on connection: isolated Connection) async throws {
        let rows = try await connection.query(
            "SELECT * FROM device_extensions_known($1, $2)",
            [Self.app.parameter(devices, vocabulary), Self.id.parameter(devices, vocabulary)]
        )
        for row in rows {
            var fields = FoldFields(row)
            devices[Int(fields.int4()) - 1].known.extends = true
        }
    }

    /// A snapshot lies inside a period of another value: only the log says which snapshots lie on either side of it.
    private func rereadSnapshots(_ devices: [DeviceBatch], on connection: isolated Connection) async throws {
        let rows = try await connection.query(
            "SELECT * FROM device_snapshots($1, $2, $3)",
            [Self.app.parameter(devices, vocabulary), Self.id.parameter(devices, vocabulary), .int8(range.upTo)]
        )
        var snapshots = devices.map { _ in (contexts: [Snapshot](), settings: [Snapshot]()) }
        for row in rows {
            var fields = FoldFields(row)
            let ordinal = Int(fields.int4()) - 1
            let isContext = fields.withBytes { $0?.first == UInt8(ascii: "c") }
            let (at, id) = (fields.moment(), fields.uuid())
            let value = fields.withJSON { bytes in
                guard let bytes else { return Symbol.none }
                return isContext ? vocabulary.context(bytes) : vocabulary.settings(bytes)
            }
            let snapshot = Snapshot(at: at, id: id, value: value)
            if isContext {
                snapshots[ordinal].contexts.append(snapshot)
            } else {
                snapshots[ordinal].settings.append(snapshot)
            }
        }
        for (device, said) in zip(devices, snapshots) {
            device.periods.context = Periods()
            device.periods.settings = Periods()
            for snapshot in said.contexts.inTieOrder {
                _ = device.periods.context.merge(snapshot.at, snapshot.id, snapshot.value)
            }
            for snapshot in said.settings.inTieOrder {
                _ = device.periods.settings.merge(snapshot.at, snapshot.id, snapshot.value)
            }
        }
    }

    static let app = FoldColumn<DeviceBatch>.int4("app_id") { $0.key.app }
    static let id = FoldColumn<DeviceBatch>.text("device_id") { $0.key.id }
    private static let from = FoldColumn<Stretch>.occurrence("from_at") { $0.times.lowerBound }
    private static let to = FoldColumn<Stretch>.occurrence("to_at") { $0.times.upperBound }
}

/// Periods of a device as they are stored, by series.
private struct SeriesOfPeriods {
    var context: [Periods.Period] = []
    var settings: [Periods.Period] = []

    /// Takes in those around a later time, of which some may be known.
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
    /// The first and the last time of its snapshots and notifications; nil where there are none.
    fileprivate var needed: ClosedRange<Moment>? {
        var result: ClosedRange<Moment>?
        eachTime { at in result = result.map { min($0.lowerBound, at)...max($0.upperBound, at) } ?? at...at }
        return result
    }

    /// The times of its snapshots and notifications.
    fileprivate func eachTime(_ body: (Moment) -> Void) {
        for snapshot in contexts { body(snapshot.at) }
        for snapshot in settings { body(snapshot.at) }
        for notification in notifications.values { notification.eachTime(body) }
    }

    fileprivate func take(_ periods: SeriesOfPeriods) {
        known.context = Periods(periods.context)
        known.settings = Periods(periods.settings)
    }

    /// Merges the batch's snapshots with the periods known.
    ///
    /// - Returns: false where one lies inside a period of another value.
    fileprivate func mergeSnapshots() -> Bool {
        periods = known
        periods.extends = known.extends || extends
        for snapshot in contexts.inTieOrder
        where !periods.context.merge(snapshot.at, snapshot.id, snapshot.value) { return false }
        for snapshot in settings.inTieOrder
        where !periods.settings.merge(snapshot.at, snapshot.id, snapshot.value) { return false }
        return true
    }
}

extension [Snapshot] {
    fileprivate var inTieOrder: [Snapshot] { sorted { $0.at != $1.at ? $0.at < $1.at : $0.id < $1.id } }
}
