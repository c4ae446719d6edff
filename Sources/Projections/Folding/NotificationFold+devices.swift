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
        let snapshots = try await snapshotsInsideSplit(devices, on: connection)
        for (device, inside) in zip(devices, snapshots) { device.mergeSnapshots(inside) }
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

    /// The snapshots of the periods that the batch's split, by device: the log's between the first and the last of such
    /// periods.
    private func snapshotsInsideSplit(
        _ devices: [DeviceBatch],
        on connection: isolated Connection
    ) async throws -> [SplitSeries] {
        var result = devices.map { _ in SplitSeries() }
        var splits: [(device: Int, split: Split)] = []
        for (index, device) in devices.enumerated() {
            for (isContext, periods) in [
                (true, device.known.context.split(by: device.contexts)),
                (false, device.known.settings.split(by: device.settings)),
            ] {
                guard let first = periods.first, let last = periods.last else { continue }
                splits.append((index, Split(device: device, isContext: isContext, times: first.firstAt...last.lastAt)))
            }
        }
        guard !splits.isEmpty else { return result }
        let stretches = splits.map(\.split)
        let rows = try await connection.query(
            "SELECT * FROM device_snapshots($1, $2, $3, $4, $5, $6)",
            [
                Self.app.of(\.device).parameter(stretches, vocabulary),
                Self.id.of(\.device).parameter(stretches, vocabulary),
                Self.isContext.parameter(stretches, vocabulary), Self.splitFrom.parameter(stretches, vocabulary),
                Self.splitTo.parameter(stretches, vocabulary), .int8(range.upTo),
            ]
        )
        let new = stretches.map { Set(($0.isContext ? $0.device.contexts : $0.device.settings).map(\.key)) }
        for row in rows {
            var fields = FoldFields(row)
            let number = Int(fields.int4()) - 1
            let (index, split) = splits[number]
            let snapshot = SnapshotKey(at: fields.moment(), id: fields.uuid())
            if new[number].contains(snapshot) { continue }
            if split.isContext {
                result[index].contexts.append(snapshot)
            } else {
                result[index].settings.append(snapshot)
            }
        }
        return result
    }

    static let app = FoldColumn<DeviceBatch>.int4("app_id") { $0.key.app }
    static let id = FoldColumn<DeviceBatch>.text("device_id") { $0.key.id }
    private static let from = FoldColumn<Stretch>.occurrence("from_at") { $0.times.lowerBound }
    private static let to = FoldColumn<Stretch>.occurrence("to_at") { $0.times.upperBound }
    private static let isContext = FoldColumn<Split>.bool("is_context") { $0.isContext }
    private static let splitFrom = FoldColumn<Split>.occurrence("from_at") { $0.times.lowerBound }
    private static let splitTo = FoldColumn<Split>.occurrence("to_at") { $0.times.upperBound }
}

/// The times within which periods of one series of a device are split.
private struct Split {
    var device: DeviceBatch
    var isContext: Bool
    var times: ClosedRange<Moment>
}

/// Snapshots of a device's periods that are split.
private struct SplitSeries {
    var contexts: [SnapshotKey] = []
    var settings: [SnapshotKey] = []
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
        for snapshot in contexts { body(snapshot.key.at) }
        for snapshot in settings { body(snapshot.key.at) }
        for notification in notifications.values { notification.eachTime(body) }
    }

    fileprivate func take(_ periods: SeriesOfPeriods) {
        known.context = Periods(periods.context)
        known.settings = Periods(periods.settings)
    }

    /// Merges the batch's snapshots with the periods known.
    ///
    /// - Parameter inside: the snapshots of the periods that they split.
    fileprivate func mergeSnapshots(_ inside: SplitSeries) {
        periods.context = known.context.merged(with: contexts, inside: inside.contexts)
        periods.settings = known.settings.merged(with: settings, inside: inside.settings)
        periods.extends = known.extends || extends
    }
}
