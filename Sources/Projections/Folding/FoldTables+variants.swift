internal import Folds
internal import Postgres

/// The tables that the report `experiment` reads: what devices got of the variants of messages.
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
        values: (["notifications", "reached"] + withinWindows).enumerated()
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

    static let variantPair = RollupTable<VariantRollup.Pair>(
        "variant_pair",
        keys: [
            .int4("app_id") { $0.key.app },
            .text("category") { $0.key.category },
            .text("campaign") { $0.key.campaign },
            .text("variant") { $0.key.variant },
            .moment("day") { $0.key.day },
            .occurrence("other_day") { $0.key.otherDay },
        ],
        values: .sums(
            ["entries", "devices", "reached_devices", "reached"] + withinWindows + ["reached_reached"]
                + withinWindows.map { "reached_" + $0 } + withinWindows.map { "within_" + $0 }
        )
    )
}
