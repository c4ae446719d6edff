internal import Folds
internal import Postgres

/// A period of a device as a row.
struct PeriodRow {
    var device: DeviceKey
    var series: StaticString
    var period: Periods.Period
}

/// A registered category as a row.
struct CategoryRow {
    var app: Int32
    var key: Categories.Key
    var registration: Categories.Registration
}

/// A row about a notification that another table holds: a distinct action, a removal, a run of a service extension.
struct DetailRow<Detail> {
    var notification: NotificationBatch
    var detail: Detail
}

/// The tables that folds write; here those of the group of `notification`.
enum FoldTables {
    static let period = FoldTable<PeriodRow>(
        "device_period",
        keys: [
            .int4("app_id") { $0.device.app },
            .text("device_id") { $0.device.id },
            .word("series") { $0.series },
            .moment("first_at") { $0.period.firstAt },
            .uuid("first_id") { $0.period.firstID },
        ],
        values: [
            .moment("last_at") { $0.period.lastAt },
            .uuid("last_id") { $0.period.lastID },
            FoldColumn("value", .jsonb) { row, symbols, writer in
                writer.append(row.period.value, in: symbols.values)
            },
        ]
    )

    static let deviceExtension = FoldTable<DeviceKey>(
        "device_extension",
        keys: [.int4("app_id") { $0.app }, .text("device_id") { $0.id }],
        values: []
    )

    static let liveActivityAccepted = FoldTable<NotificationBatch>(
        "live_activity_accepted",
        keys: FoldTable<NotificationBatch>.notificationKey,
        values: []
    )

    static let category = FoldTable<CategoryRow>(
        "category",
        keys: [
            .int4("app_id") { $0.app },
            .text("category_id") { $0.key.category },
            .text("app_version") { $0.key.version },
        ],
        values: [
            .moment("registered_at") { $0.registration.origin.at },
            .text("device_id") { $0.registration.origin.device },
            .uuid("id") { $0.registration.origin.id },
            .moment("first_at") { $0.registration.origin.firstAt },
            .bool("custom_dismiss") { $0.registration.behaviour.customDismiss },
            FoldColumn("definition", .jsonb) { row, symbols, writer in
                writer.append(row.registration.definition, in: symbols.lists)
            },
        ]
    )

    static let categoryVersions = RollupTable<AppPart>(
        "category_versions",
        keys: [AppPart.app.of { $0.key }, AppPart.category.of { $0.key }, AppPart.action.of { $0.key }],
        values: .sums("versions", "custom_dismiss", "text_input", "foreground")
    )

    /// The categories as a lane knows them: readers see those of the first.
    static func category(_ lane: FoldLane?) -> FoldTable<CategoryRow> {
        guard let lane, lane.number > 0 else { return category }
        return category.lane(lane, in: "lane_category")
    }

    /// The columns of a notification's key.
    static func notificationKey<Row>(_ notification: @escaping @Sendable (Row) -> NotificationID) -> [FoldColumn<Row>] {
        [
            .int4("app_id") { notification($0).app },
            .text("device_id") { notification($0).device },
            .text("notification_id") { notification($0).id },
            .occurrence("occurrence") { notification($0).occurrence },
        ]
    }

    /// The same, of rows about a notification that another table holds.
    static func notificationKey<Detail>() -> [FoldColumn<DetailRow<Detail>>] {
        FoldTable<NotificationBatch>.notificationKey.map { $0.of { $0.notification } }
    }

    static let action = FoldTable<DetailRow<NotificationAction>>(
        "notification_action",
        keys: notificationKey() + [.text("action_id") { $0.detail.action }],
        values: [
            .moment("first_at") { $0.detail.firstAt },
            .int4("in_extension") { $0.detail.inExtension },
            .int4("callbacks") { $0.detail.callbacks },
            .bool("has_text") { $0.detail.hasText },
            .moment("callback_received_at") { $0.detail.callbackReceivedAt },
        ]
    )

    static let engagement = RollupTable<EngagementRollup.Key>(
        "engagement",
        keys: engagementKey { $0.key },
        values: .sums(Measure.all.map { "\($0.name)" })
    )

    static let latency = RollupTable<EngagementRollup.LatencyKey>(
        "engagement_latency",
        keys: engagementKey { $0.key.key } + [
            .word("outcome") {
                switch $0.key.outcome {
                case .opened: "opened"
                case .acted: "acted"
                case .replied: "replied"
                case .dismissed: "dismissed"
                }
            },
            .bool("app_opened") { $0.key.appOpened },
            .bool("reached") { $0.key.reached },
            .bool("timed") { $0.key.timed },
            .int4("latency") { $0.key.bucket },
        ],
        values: .sums("responses")
    )

    private static func engagementKey<Row>(
        _ key: @escaping @Sendable (Row) -> EngagementRollup.Key
    ) -> [FoldColumn<Row>] {
        [
            .int4("app_id") { key($0).app },
            .word("dimension") { key($0).dimension.map { Dimension.all[$0].name } ?? "" },
            .word("grain") { key($0).isDay ? "day" : "quarter_hour" },
            .moment("bucket") { key($0).bucket },
            .text("category") { key($0).category },
            .text("value") { key($0).value },
        ]
    }

    static let zone = RollupTable<CohortRollup.Zone>(
        "cohort_zone",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .text("time_zone") { $0.key.timeZone },
            .int2("within") { $0.key.within },
        ],
        values: .sums("notifications")
    )

    static let stage = RollupTable<CohortRollup.Stage>(
        "cohort_stage",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .int4("stages") { $0.key.stages },
            .int2("within") { $0.key.within },
        ],
        values: .sums("notifications")
    )

    static let outcome = RollupTable<OutcomeRollup.Key>(
        "cohort_outcome",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .moment("shown_day") { $0.key.shownDay },
            .text("category") { $0.key.category },
            .word("outcome") { word($0.key.outcome) },
            .int4("latency") { $0.key.latency },
        ],
        values: .sums("notifications", "dismiss_observable")
    )

    private static func word(_ outcome: OutcomeRollup.Outcome) -> StaticString {
        switch outcome {
        case .open: ""
        case .opened: "opened"
        case .acted: "acted"
        case .replied: "replied"
        case .dismissed: "dismissed"
        case .withdrawn: "withdrawn"
        case .gone: "gone"
        }
    }

    static let week = RollupTable<CohortRollup.Week>(
        "device_week",
        keys: [
            .int4("app_id") { $0.key.app },
            .text("device_id") { $0.key.device },
            .moment("week") { $0.key.week },
        ],
        values: .sums(["reached"] + withinWindows)
    )

    static let reach = RollupTable<CohortRollup.Reach>(
        "cohort_reach",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .text("category") { $0.key.category },
            .word("class") { word($0.key.reachClass) },
        ],
        values: .sums(["notifications", "reached"] + withinWindows)
    )

    private static func word(_ reachClass: ReachClass) -> StaticString {
        switch reachClass {
        case .none: "none"
        case .unknown: "unknown"
        case .summaryOnly: "summary_only"
        case .banner: "banner"
        case .lockScreenOnly: "lock_screen_only"
        case .listOnly: "list_only"
        case .badgeOrSoundOnly: "badge_or_sound_only"
        }
    }

    /// Columns that count responses within each of the windows that reports answer exactly.
    static let withinWindows = ["within_1h", "within_6h", "within_1d", "within_3d", "within_7d", "within_30d"]

    static let presence = FoldTable<(day: Presence.Day, row: Presence.Row?)>(
        "presence",
        keys: [
            .int4("app_id") { $0.day.series.app },
            .text("device_id") { $0.day.series.device },
            .text("category") { $0.day.series.category },
            .word("what") { word($0.day.series.what) },
            .moment("day") { $0.day.day },
        ],
        values: [
            .int4("notifications") { $0.row?.notifications },
            .occurrence("previous_day") { $0.row?.previousDay ?? .noOccurrence },
        ]
    )

    static let presenceCount = RollupTable<Presence.CountKey>(
        "presence_count",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("day") { $0.key.day },
            .word("what") { word($0.key.what) },
            .text("category") { $0.key.category },
            .occurrence("previous_day") { $0.key.previousDay },
        ],
        values: .sums("devices")
    )

    static func word(_ what: Presence.What) -> StaticString {
        switch what {
        case .reached: "reached"
        case .responded: "responded"
        }
    }

    static let repeated = RollupTable<RepeatedRollup.Key>(
        "repeated",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .word("kind") { $0.key.kind == .request ? "request" : "action_response" },
        ],
        values: .sums("events")
    )

    /// Inserts no row into any of the tables.
    static func insertNothing(of lane: FoldLane?, on connection: isolated Connection) async throws {
        try await period.insertNothing(on: connection)
        try await deviceExtension.insertNothing(on: connection)
        try await liveActivityAccepted.insertNothing(on: connection)
        try await category(lane).insertNothing(on: connection)
        try await categoryVersions.lane(lane).insertNothing(on: connection)
        try await FoldTable.notification.insertNothing(on: connection)
        try await action.insertNothing(on: connection)
        try await cohortRemoval.insertNothing(on: connection)
        try await cohortExtension.insertNothing(on: connection)
        try await cohortAction.insertNothing(on: connection)
        try await extensionCount.lane(lane).insertNothing(on: connection)
        try await extensionDuration.lane(lane).insertNothing(on: connection)
        try await actionCount.lane(lane).insertNothing(on: connection)
        try await actionLatency.lane(lane).insertNothing(on: connection)
        try await removalCount.lane(lane).insertNothing(on: connection)
        try await engagement.lane(lane).insertNothing(on: connection)
        try await latency.lane(lane).insertNothing(on: connection)
        try await zone.lane(lane).insertNothing(on: connection)
        try await stage.lane(lane).insertNothing(on: connection)
        try await outcome.lane(lane).insertNothing(on: connection)
        try await reach.lane(lane).insertNothing(on: connection)
        try await week.insertNothing(on: connection)
        try await presence.insertNothing(on: connection)
        try await presenceCount.lane(lane).insertNothing(on: connection)
        try await variantDay.insertNothing(on: connection)
        try await variantCrossed.insertNothing(on: connection)
        try await variantPair.lane(lane).insertNothing(on: connection)
        try await repeated.lane(lane).insertNothing(on: connection)
    }
}
