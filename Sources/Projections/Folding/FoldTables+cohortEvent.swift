internal import Folds
internal import Postgres

/// The tables of `cohort_event`: actions, removals and runs of service extensions, each with what reports ask of its
/// notification.
extension FoldTables {
    typealias Removal = (reason: Symbol, times: EventRollup.RemovalTimes)
    typealias Run = (at: Moment, id: UUIDValue, run: Event.ExtensionRun)
    /// An action with its presses; `isDismissal` for the dismissal.
    typealias Press = (action: Symbol, isDismissal: Bool, firstAt: Moment, presses: Int32)

    static let cohortRemoval = FoldTable<DetailRow<Removal>>(
        "cohort_removal",
        keys: notificationKey() + [.text("reason") { $0.detail.reason }],
        values: [
            .earliest("pending_at") { $0.detail.times.pendingAt },
            .earliest("delivered_at") { $0.detail.times.deliveredAt },
            .earliest("unstated_at") { $0.detail.times.unstatedAt },
        ] + ofRemoval.map { $0.of { $0.notification } }
    )

    /// The same for the rows of notifications that changed.
    static let cohortRemovalChange = FoldTable(
        "cohort_removal",
        keys: FoldTable<NotificationBatch>.notificationKey,
        values: ofRemoval
    )

    private static let ofRemoval: [FoldColumn<NotificationBatch>] = [
        .moment("cohort_at") { $0.after?.row.cohortAt ?? .none },
        .moment("shown_at") { $0.after?.row.shownAt ?? .none },
        .text("category") { $0.after?.facts.category.value ?? .none },
        .bool("responded") { $0.after?.row.stages.contains(.responded) },
        .bool("withdrawn") { $0.after?.row.stages.contains(.withdrawn) },
        .bool("response_only") { $0.after?.row.stages.contains(.responseOnly) },
    ]

    static let cohortExtension = FoldTable<DetailRow<Run>>(
        "cohort_extension",
        keys: notificationKey() + [.moment("at") { $0.detail.at }, .uuid("id") { $0.detail.id }],
        values: ofRun.map { $0.of { $0.detail.run } } + ofExtension.map { $0.of { $0.notification } }
    )

    /// The columns of a run of a service extension itself.
    static let ofRun: [FoldColumn<Event.ExtensionRun>] = [
        .text("outcome") { $0.outcome },
        .int4("duration_ms") { $0.durationMilliseconds },
        .int4("attachments_loaded") { $0.attachmentsLoaded },
        .int4("attachments_failed") { $0.attachmentsFailed },
    ]

    static let cohortExtensionChange = FoldTable(
        "cohort_extension",
        keys: FoldTable<NotificationBatch>.notificationKey,
        values: ofExtension
    )

    private static let ofExtension: [FoldColumn<NotificationBatch>] = [
        .moment("cohort_at") { $0.after?.row.cohortAt ?? .none },
        .text("app_version") { $0.after?.row.context.appVersion ?? .none },
        .bool("reached") { $0.after?.row.isReached },
        FoldColumn("latency", .interval) { notification, _, writer in
            if let after = notification.after, after.facts.respondedAt != .none, after.timedFrom != .none {
                writer.append(intervalMicroseconds: after.facts.respondedAt - after.timedFrom)
            } else {
                writer.appendNull()
            }
        },
    ]

    static let cohortAction = FoldTable<DetailRow<Press>>(
        "cohort_action",
        keys: notificationKey() + [
            .text("action_id") { $0.detail.action }, .bool("is_dismissal") { $0.detail.isDismissal },
        ],
        values: [
            .moment("first_at") { $0.detail.firstAt },
            .int4("presses") { $0.detail.presses },
        ] + ofAction.map { $0.of { DetailRow(notification: $0.notification, detail: $0.detail.isDismissal) } }
    )

    static let cohortActionChange = FoldTable<DetailRow<Bool>>(
        "cohort_action",
        keys: notificationKey() + [.bool("is_dismissal") { $0.detail }],
        values: ofAction
    )

    /// The columns of a row by whether it is a dismissal.
    private static let ofAction: [FoldColumn<DetailRow<Bool>>] = [
        .moment("cohort_at") { $0.notification.after?.row.cohortAt ?? .none },
        .moment("shown_at") { $0.notification.after?.row.shownAt ?? .none },
        .text("category") { $0.notification.after?.facts.category.value ?? .none },
        .text("app_version") { $0.notification.after?.row.context.appVersion ?? .none },
        .bool("counts") { row in
            row.notification.after.map {
                row.detail ? $0.row.stages.contains(.dismissObservable) : $0.row.isReached
            }
        },
        .bool("response_only") { $0.notification.after?.row.stages.contains(.responseOnly) },
    ]
}

/// The rollups of `cohort_event`.
extension FoldTables {
    static let extensionCount = RollupTable<EventRollup.Run>(
        "cohort_extension_count",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .text("app_version") { $0.key.appVersion },
            .text("outcome") { $0.key.outcome },
            .bool("reached") { $0.key.reached },
            .int2("within") { $0.key.within },
        ],
        values: .sums("runs", "attachments_loaded", "loaded_runs", "attachments_failed", "failed_runs")
    )

    static let extensionDuration = RollupTable<EventRollup.Duration>(
        "cohort_extension_duration",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .text("app_version") { $0.key.appVersion },
            .int4("duration_ms") { $0.key.milliseconds },
        ],
        values: .sums("runs")
    )

    private static func actionKey<Row>(_ action: @escaping @Sendable (Row) -> EventRollup.Action)
        -> [FoldColumn<Row>]
    {
        [
            .int4("app_id") { action($0).app },
            .moment("bucket") { action($0).bucket },
            .text("category") { action($0).category },
            .text("action_id") { action($0).action },
            .bool("is_dismissal") { action($0).isDismissal },
        ]
    }

    static let actionCount = RollupTable<EventRollup.Press>(
        "cohort_action_count",
        keys: actionKey { $0.key.action } + [
            .text("app_version") { $0.key.appVersion },
            .bool("counts") { $0.key.counts },
            .bool("response_only") { $0.key.responseOnly },
            .int2("within") { $0.key.within },
        ],
        values: .sums("notifications", "presses")
    )

    static let actionLatency = RollupTable<EventRollup.PressLatency>(
        "cohort_action_latency",
        keys: actionKey { $0.key.action } + [.int4("latency") { $0.key.latency }],
        values: .sums("notifications")
    )

    static let removalCount = RollupTable<EventRollup.Removal>(
        "cohort_removal_count",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .text("category") { $0.key.category },
            .text("reason") { $0.key.reason },
            .bool("pending") { $0.key.isPending },
            .bool("delivered") { $0.key.isDelivered },
            .bool("unstated") { $0.key.isUnstated },
            .bool("withdrawn") { $0.key.withdrawn },
            .bool("responded") { $0.key.responded },
            .bool("response_only") { $0.key.responseOnly },
            .int4("latency") { $0.key.latency },
        ],
        values: .sums("notifications")
    )
}
