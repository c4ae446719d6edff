internal import Folds
internal import Postgres

/// Merges what devices reported about themselves with the stored periods around it.
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

    /// Loads the periods around the devices' ranges, and merges the batch's snapshots into them.
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

    private func loadExtensions(_ devices: [DeviceBatch], on connection: isolated Connection) async throws {
        let rows = try await connection.query(
            "SELECT * FROM device_extensions_known($1, $2)",
            [Self.app.parameter(devices, symbols), Self.id.parameter(devices, symbols)]
        )
        for row in rows {
            var fields = FoldFields(row)
            devices[Int(fields.int4()) - 1].known.extends = true
        }
    }

    /// The snapshots of the periods that the batch's split, by device. Settings are read period by period, contexts between the
    /// first and the last of such periods: what finds them reads all events of the device. Where that is beyond a bound, what
    /// versions keep gives those next to the batch's.
    private func snapshotsInsideSplit(
        _ devices: [DeviceBatch],
        on connection: isolated Connection
    ) async throws -> [SplitSeries] {
        var result = devices.map { _ in SplitSeries() }
        var splits: [(device: Int, split: Split)] = []
        for (index, device) in devices.enumerated() {
            let contexts = device.known.context.split(by: device.contexts)
            if let first = contexts.first, let last = contexts.last {
                splits.append((index, Split(device: device, isContext: true, times: first.firstAt...last.lastAt)))
            }
            for times in device.known.settings.split(by: device.settings).times {
                splits.append((index, Split(device: device, isContext: false, times: times)))
            }
        }
        guard !splits.isEmpty else { return result }
        // Once a device: a batch can split as many periods of one as it has snapshots.
        var new: [Int: Set<SnapshotKey>] = [:]
        for index in Set(splits.map(\.device)) {
            new[index] = Set((devices[index].contexts + devices[index].settings).map(\.key))
        }
        func take(_ snapshot: SnapshotKey, of index: Int, isContext: Bool) {
            if new[index]?.contains(snapshot) == true { return }
            // What retention is about to drop, the log may have, too.
            if isContext {
                result[index].contexts.insert(snapshot)
            } else {
                result[index].settings.insert(snapshot)
            }
        }

        let long = try await keepLong(splits.map(\.split), on: connection)
        let read = splits.filter { !long.contains($0.split.series) }
        for start in stride(from: 0, to: read.count, by: Self.splitsOfAPart) {
            let part = read[start..<min(start + Self.splitsOfAPart, read.count)]
            let stretches = part.map(\.split)
            let rows = try await connection.query(
                "SELECT * FROM device_snapshots($1, $2, $3, $4, $5, $6)",
                Split.columns.map { $0.parameter(stretches, symbols) } + [.int8(range.upTo)]
            )
            for row in rows {
                var fields = FoldFields(row)
                let (index, split) = read[start + Int(fields.int4()) - 1]
                take(SnapshotKey(at: fields.moment(), id: fields.uuid()), of: index, isContext: split.isContext)
            }
        }
        for (index, kept) in try await besideKept(devices, long, on: connection) {
            take(kept.key, of: index, isContext: kept.isContext)
        }
        return result
    }

    /// Each may have as many snapshots as the bound allows, which stay in memory until they are taken apart.
    private static let splitsOfAPart = 50

    /// For series whose snapshots are kept: the ends of the periods that the batch's snapshots split, and the snapshots next to
    /// the batch's.
    private func besideKept(
        _ devices: [DeviceBatch],
        _ long: Set<DeviceSeries>,
        on connection: isolated Connection
    ) async throws -> [(device: Int, kept: DeviceSnapshot)] {
        var result: [(device: Int, kept: DeviceSnapshot)] = []
        var inside: [(device: Int, snapshot: DeviceSnapshot)] = []
        for (index, device) in devices.enumerated() {
            for isContext in [true, false] where long.contains(device.series(isContext: isContext)) {
                let known = isContext ? device.known.context : device.known.settings
                let own = isContext ? device.contexts : device.settings
                for end in known.split(by: own).flatMap({ [$0.first, $0.last] }) {
                    result.append((index, DeviceSnapshot(device: device, isContext: isContext, key: end)))
                }
                for snapshot in known.inside(own) {
                    inside.append((index, DeviceSnapshot(device: device, isContext: isContext, key: snapshot.key)))
                }
            }
        }
        guard !inside.isEmpty else { return result }
        let snapshots = inside.map(\.snapshot)
        let rows = try await connection.query(
            "SELECT * FROM projection.snapshots_beside($1, $2, $3, $4, $5)",
            DeviceSnapshot.columns.map { $0.parameter(snapshots, symbols) }
        )
        for row in rows {
            var fields = FoldFields(row)
            var found = inside[Int(fields.int4()) - 1]
            found.snapshot.key = SnapshotKey(at: fields.moment(), id: fields.uuid())
            result.append((found.device, found.snapshot))
        }
        return result
    }

    /// The series for which more of the log than the bound would be read. The snapshots of their devices are kept from now on.
    private func keepLong(_ splits: [Split], on connection: isolated Connection) async throws -> Set<DeviceSeries> {
        let rows = try await connection.query(
            "SELECT * FROM projection.long_stretches($1, $2, $3, $4, $5)",
            Split.columns.map { $0.parameter(splits, symbols) }
        )
        var long: Set<DeviceSeries> = []
        var new: [DeviceKey: DeviceBatch] = [:]
        for row in rows {
            var fields = FoldFields(row)
            let split = splits[Int(fields.int4()) - 1]
            long.insert(split.series)
            if !fields.bool() { new[split.device.key] = split.device }
        }
        guard !new.isEmpty else { return long }
        let devices = Array(new.values)
        // It reads all events of the devices, once in the life of a version: the time limit of a batch is not for that.
        let limit = try await connection.query("SELECT current_setting('statement_timeout')").only()
            .get(0, as: String.self)
        try await connection.query(Self.setTimeLimit, [.text(limit == "0" ? "0" : "600s")])
        try await connection.query(
            "SELECT projection.keep_devices($1, $2, $3)",
            [
                Self.app.parameter(devices, symbols), Self.id.parameter(devices, symbols),
                // Without the batch's own events, which are new.
                .int8(range.after),
            ]
        )
        try await connection.query(Self.setTimeLimit, [.text(limit)])
        return long
    }

    private static let setTimeLimit = "SELECT set_config('statement_timeout', $1, true)"

    /// Adds the batch's snapshots to those that are kept.
    func keepSnapshots(on connection: isolated Connection) async throws {
        let speaking = devices.values.filter { !$0.contexts.isEmpty || !$0.settings.isEmpty }
        guard !speaking.isEmpty else { return }
        let keeps = try await connection.query("SELECT projection.keeps_snapshots()").only()
        guard try keeps.get(0, as: Bool.self) else { return }
        let rows = try await connection.query(
            "SELECT * FROM projection.kept_devices($1, $2)",
            [Self.app.parameter(speaking, symbols), Self.id.parameter(speaking, symbols)]
        )
        var snapshots: [DeviceSnapshot] = []
        for row in rows {
            var fields = FoldFields(row)
            let device = speaking[Int(fields.int4()) - 1]
            snapshots += device.contexts.map { DeviceSnapshot(device: device, isContext: true, key: $0.key) }
            snapshots += device.settings.map { DeviceSnapshot(device: device, isContext: false, key: $0.key) }
        }
        guard !snapshots.isEmpty else { return }
        try await connection.query(
            "SELECT projection.keep_snapshots($1, $2, $3, $4, $5)",
            DeviceSnapshot.columns.map { $0.parameter(snapshots, symbols) }
        )
    }

    static let app = FoldColumn<DeviceBatch>.int4("app_id") { $0.key.app }
    static let id = FoldColumn<DeviceBatch>.text("device_id") { $0.key.id }
}

/// The contexts of a device, or its settings.
private struct DeviceSeries: Hashable {
    var device: DeviceKey
    var isContext: Bool
}

/// The times within which periods of one series of a device are split.
private struct Split {
    var device: DeviceBatch
    var isContext: Bool
    var times: ClosedRange<Moment>

    var series: DeviceSeries { device.series(isContext: isContext) }

    static let columns: [FoldColumn<Split>] = [
        NotificationFold.app.of(\.device), NotificationFold.id.of(\.device),
        .bool("is_context") { $0.isContext },
        .occurrence("from_at") { $0.times.lowerBound }, .occurrence("to_at") { $0.times.upperBound },
    ]
}

extension [Periods.Period] {
    /// The times of periods that follow each other, as they are read from the log: periods that meet at one time are read together, or
    /// each would be read with all snapshots of that time.
    fileprivate var times: [ClosedRange<Moment>] {
        var result: [ClosedRange<Moment>] = []
        for period in self {
            if let last = result.last, period.firstAt <= last.upperBound {
                result[result.count - 1] = last.lowerBound...Swift.max(last.upperBound, period.lastAt)
            } else {
                result.append(period.firstAt...period.lastAt)
            }
        }
        return result
    }
}

/// A snapshot of a device.
private struct DeviceSnapshot {
    var device: DeviceBatch
    var isContext: Bool
    var key: SnapshotKey

    static let columns: [FoldColumn<DeviceSnapshot>] = [
        NotificationFold.app.of(\.device), NotificationFold.id.of(\.device),
        .word("series") { $0.isContext ? "context" : "settings" },
        .occurrence("at") { $0.key.at }, .uuid("id") { $0.key.id },
    ]
}

/// Snapshots of a device's periods that are split.
private struct SplitSeries {
    var contexts: Set<SnapshotKey> = []
    var settings: Set<SnapshotKey> = []
}

extension DeviceBatch {
    fileprivate func series(isContext: Bool) -> DeviceSeries { DeviceSeries(device: key, isContext: isContext) }

    /// The first and the last time of its snapshots and notifications; nil where there are none.
    fileprivate var needed: ClosedRange<Moment>? {
        var result: ClosedRange<Moment>?
        eachTime { at in result = result.map { min($0.lowerBound, at)...max($0.upperBound, at) } ?? at...at }
        return result
    }

    /// The times of its snapshots and notifications.
    private func eachTime(_ body: (Moment) -> Void) {
        for snapshot in contexts { body(snapshot.key.at) }
        for snapshot in settings { body(snapshot.key.at) }
        for notification in notifications.values { notification.eachTime(body) }
    }

    /// Merges the batch's snapshots with the periods known.
    ///
    /// - Parameter inside: the snapshots of the periods that they split.
    fileprivate func mergeSnapshots(_ inside: SplitSeries) {
        periods.context = known.context.merged(with: contexts, inside: inside.contexts.sorted())
        periods.settings = known.settings.merged(with: settings, inside: inside.settings.sorted())
        periods.extends = known.extends || extends
    }
}
