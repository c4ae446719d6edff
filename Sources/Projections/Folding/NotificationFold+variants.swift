internal import Folds
internal import Postgres

/// Writes which variants of messages devices got, with the sums by pairs of days.
extension NotificationFold {
    func write(_ variants: VariantRollup, on connection: isolated Connection) async throws {
        let changed = variants.changed
        // A version of an earlier release has neither the tables nor the functions.
        guard !changed.isEmpty, FoldTables.variantPair.present != nil else { return }
        var difference = try variants.difference(try await known(changed, on: connection))
        try await FoldTables.variantDay.delete(difference.removed.map { ($0, []) }, symbols, on: connection)
        try await FoldTables.variantDay.upsert(difference.written, symbols, on: connection)
        while let pairs = try difference.pairs.next() {
            try await FoldTables.variantPair.lane(range.lane).add(pairs.rows, symbols, on: connection)
        }
        try await cross(Set(changed.map { CrossedDevice($0.series) }), on: connection)
    }

    /// The rows around the stretches of days that changed.
    private func known(
        _ changed: [(series: VariantRollup.Series, days: ClosedRange<Moment>)],
        on connection: isolated Connection
    ) async throws -> [VariantRollup.Series: [Moment: VariantRollup.Row]] {
        let rows = try await connection.query(
            "SELECT * FROM variant_days_around($1, $2, $3, $4, $5, $6, $7)",
            (FoldTables.variantSeries { $0.series } + [
                .moment("from_day") { $0.days.lowerBound - VariantRollup.reach },
                .moment("to_day") { $0.days.upperBound + VariantRollup.reach },
            ]).map { $0.parameter(changed, symbols) }
        )
        var result: [VariantRollup.Series: [Moment: VariantRollup.Row]] = [:]
        for row in rows {
            var fields = FoldFields(row)
            let series = changed[Int(fields.int4()) - 1].series
            let day = fields.moment()
            result[series, default: [:]][day] = (0..<VariantRollup.rowWidth).map { _ in fields.integer() ?? 0 }
        }
        return result
    }

    /// Writes which of the devices have got several variants.
    private func cross(_ devices: Set<CrossedDevice>, on connection: isolated Connection) async throws {
        let devices = Array(devices)
        let rows = try await connection.query(
            "SELECT * FROM variants_crossed($1, $2, $3, $4)",
            FoldTables.variantCrossed.keys.map { $0.parameter(devices, symbols) }
        )
        var (removed, new): ([CrossedDevice], [CrossedDevice]) = ([], [])
        for row in rows {
            var fields = FoldFields(row)
            let device = devices[Int(fields.int4()) - 1]
            let (isCrossed, isKnown) = (fields.bool(), fields.bool())
            if isCrossed, !isKnown { new.append(device) }
            if isKnown, !isCrossed { removed.append(device) }
        }
        try await FoldTables.variantCrossed.delete(removed, symbols, on: connection)
        try await FoldTables.variantCrossed.insert(new, symbols, on: connection)
    }
}

/// A device, and what it may have got several variants of.
struct CrossedDevice: Hashable {
    var app: Int32
    var device: Symbol
    var category: Symbol
    var campaign: Symbol

    init(_ series: VariantRollup.Series) {
        (app, device, category, campaign) = (series.app, series.device, series.category, series.campaign)
    }
}
