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
            device.changedFrom = device.isErased ? .min : device.periods.changed(since: device.known)
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
        for device in torn { device.range = .min ... .max }
        try await loadPeriods(torn, on: connection)
        for device in torn { device.periods.extends = device.known.extends || device.extends }
        try await rereadSnapshots(torn, on: connection)
    }

    /// Widens the ranges of devices to the notifications that were loaded since.
    func widenRanges(_ touched: [DeviceBatch], on connection: isolated Connection) async throws {
        var wider: [DeviceBatch] = []
        for device in touched {
            guard let needed = device.needed else { continue }
            if let range = device.range, range.contains(needed.lowerBound), range.contains(needed.upperBound) {
                continue
            }
            device.range = needed
            wider.append(device)
        }
        try await loadDevices(wider, on: connection)
    }

    private func loadPeriods(_ devices: [DeviceBatch], on connection: isolated Connection) async throws {
        let rows = try await connection.query(
            "SELECT * FROM device_periods_known($1, $2, $3, $4)",
            [
                Self.app.parameter(devices, vocabulary), Self.id.parameter(devices, vocabulary),
                Self.from.parameter(devices, vocabulary), Self.to.parameter(devices, vocabulary),
            ]
        )
        var contexts: [Int: [Periods.Period]] = [:]
        var settings: [Int: [Periods.Period]] = [:]
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
                contexts[ordinal, default: []].append(period)
            } else {
                settings[ordinal, default: []].append(period)
            }
        }
        for (ordinal, device) in devices.enumerated() {
            device.known.context = Periods(contexts[ordinal] ?? [])
            device.known.settings = Periods(settings[ordinal] ?? [])
        }
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
    private static let from = FoldColumn<DeviceBatch>.occurrence("from_at") { $0.range?.lowerBound ?? .max }
    private static let to = FoldColumn<DeviceBatch>.occurrence("to_at") { $0.range?.upperBound ?? .max }
}

extension DeviceBatch {
    /// The times of its snapshots and notifications; nil where there are none.
    fileprivate var needed: ClosedRange<Moment>? {
        var result: ClosedRange<Moment>?
        for range in (contexts + settings).map({ $0.at...$0.at }) + notifications.values.compactMap(\.times) {
            result =
                result.map {
                    min($0.lowerBound, range.lowerBound)...max($0.upperBound, range.upperBound)
                } ?? range
        }
        return result
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
