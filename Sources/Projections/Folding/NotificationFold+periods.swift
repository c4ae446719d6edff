internal import Folds
internal import Postgres

/// The stored periods of devices, as far as a batch needs them.
extension NotificationFold {
    /// The most periods of a device, of both series, that are read without regard to times.
    private static let fewPeriods = 32
    /// The most periods of a series that are read to be known between two times, rather than around each of them.
    private static let mostPeriods = 1_000

    /// The periods of a device around times that follow each other.
    private struct Stretch {
        var device: DeviceBatch
        var times: ClosedRange<Moment>
    }

    /// Loads all periods of devices that have few, as nearly all do; of the others those around their ranges.
    func loadPeriods(_ devices: [DeviceBatch], on connection: isolated Connection) async throws {
        let first = try await periods(
            of: devices.count,
            from: "projection.first_device_periods($1, $2, $3)",
            [
                Self.app.parameter(devices, symbols), Self.id.parameter(devices, symbols),
                .int8(Int64(Self.fewPeriods + 1)),
            ],
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
        try await periods(
            of: stretches.count,
            from: "device_periods_known($1, $2, $3, $4, $5)",
            [
                Self.app.of(\.device).parameter(stretches, symbols),
                Self.id.of(\.device).parameter(stretches, symbols),
                Self.from.parameter(stretches, symbols), Self.to.parameter(stretches, symbols),
                .int8(most.map(Int64.init)),
            ],
            on: connection
        )
    }

    /// The periods that a function returns, by device: `count` devices, numbered from 1.
    private func periods(
        of count: Int,
        from function: String,
        _ parameters: [Parameter],
        on connection: isolated Connection
    ) async throws -> [SeriesOfPeriods] {
        let rows = try await connection.query("SELECT * FROM " + function, parameters)
        var result = [SeriesOfPeriods](repeating: SeriesOfPeriods(), count: count)
        for row in rows {
            var fields = FoldFields(row)
            let ordinal = Int(fields.int4()) - 1
            let isContext = fields.withBytes { $0?.first == UInt8(ascii: "c") }
            let (firstAt, firstID, lastAt, lastID) = (fields.moment(), fields.uuid(), fields.moment(), fields.uuid())
            let value = fields.withJSON { $0.map { symbols.stored($0) } ?? .none }
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
    fileprivate func take(_ periods: SeriesOfPeriods) {
        known.context = Periods(periods.context)
        known.settings = Periods(periods.settings)
    }
}
