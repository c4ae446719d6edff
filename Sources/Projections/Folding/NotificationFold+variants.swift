internal import Folds
internal import Postgres

/// What devices got of the variants of messages is written, with what it comes to by pairs of days.
extension NotificationFold {
    func write(_ variants: VariantRollup, on connection: isolated Connection) async throws {
        let changed = variants.changed
        // A version of an earlier fold has neither the tables nor the functions.
        guard !changed.isEmpty, FoldTables.variantPair.present != nil else { return }
        let difference = try variants.difference(try await known(changed, on: connection))
        try await FoldTables.variantDay.delete(difference.gone.map { ($0, []) }, vocabulary, on: connection)
        try await FoldTables.variantDay.upsert(difference.written, vocabulary, on: connection)
        try await FoldTables.variantPair.lane(range.lane).add(difference.pairs.rows, vocabulary, on: connection)
        try await cross(Set(changed.map { CrossedDevice($0.series) }), on: connection)
    }

    /// The rows around the days that changed.
    private func known(
        _ changed: [(series: VariantRollup.Series, days: ClosedRange<Moment>)],
        on connection: isolated Connection
    ) async throws -> [VariantRollup.Series: [Moment: VariantRollup.Row]] {
        let rows = try await connection.query(
            "SELECT * FROM variant_days_around($1, $2, $3, $4, $5, $6, $7)",
            (FoldTables.variantSeries { $0.series } + [
                .moment("from_day") { $0.days.lowerBound - VariantRollup.reach },
                .moment("to_day") { $0.days.upperBound + VariantRollup.reach },
            ]).map { $0.parameter(changed, vocabulary) }
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
            FoldTables.variantCrossed.keys.map { $0.parameter(devices, vocabulary) }
        )
        var (gone, new): ([CrossedDevice], [CrossedDevice]) = ([], [])
        for row in rows {
            var fields = FoldFields(row)
            let device = devices[Int(fields.int4()) - 1]
            let (isCrossed, isKnown) = (fields.bool(), fields.bool())
            if isCrossed, !isKnown { new.append(device) }
            if isKnown, !isCrossed { gone.append(device) }
        }
        try await FoldTables.variantCrossed.delete(gone, vocabulary, on: connection)
        try await FoldTables.variantCrossed.insert(new, vocabulary, on: connection)
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

/// The tables for experiment.
extension FoldTables {
    static func variantSeries<Row>(_ series: @escaping @Sendable (Row) -> VariantRollup.Series) -> [FoldColumn<Row>] {
        [
            .int4("app_id") { series($0).app },
            .text("device_id") { series($0).device },
            .text("category") { series($0).category },
            .text("campaign") { series($0).campaign },
            .text("variant") { series($0).variant },
        ]
    }

    static let variantDay = FoldTable<(day: VariantRollup.Day, row: VariantRollup.Row)>(
        "variant_day",
        keys: variantSeries { $0.day.series } + [.moment("day") { $0.day.day }],
        values: (["notifications", "reached"] + windows.map { "within_" + $0 }).enumerated()
            .map { index, name in
                FoldColumn(name, .int8) { one, _, writer in writer.append(one.row[index]) }
            }
    )

    static let variantCrossed = FoldTable<CrossedDevice>(
        "variant_crossed",
        keys: [
            .int4("app_id") { $0.app },
            .text("category") { $0.category },
            .text("campaign") { $0.campaign },
            .text("device_id") { $0.device },
        ],
        values: []
    )

    static let variantPair = FoldTable<(key: VariantRollup.Pair, sums: ArraySlice<Int64>)>(
        "variant_pair",
        keys: [
            .int4("app_id") { $0.key.app },
            .text("category") { $0.key.category },
            .text("campaign") { $0.key.campaign },
            .text("variant") { $0.key.variant },
            .moment("day") { $0.key.day },
            .occurrence("other_day") { $0.key.otherDay },
        ],
        values: (["entries", "devices", "reached_devices", "reached"] + windows.map { "within_" + $0 } + [
            "reached_reached"
        ]
            + windows.map { "reached_within_" + $0 } + windows.map { "within_within_" + $0 }).enumerated()
            .map { index, name in .sum(name) { $0.sums[$0.sums.startIndex + index] } }
    )

    private static let windows = ["1h", "6h", "1d", "3d", "7d", "30d"]
}
