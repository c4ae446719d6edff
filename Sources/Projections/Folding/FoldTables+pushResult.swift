internal import Folds
internal import Postgres

/// The tables of the group of `push_result`.
extension FoldTables {
    static let pushResult = FoldTable<(key: PushResults.Key, value: PushResults.Count)>(
        "push_result",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .text("provider") { $0.key.provider },
            .int2("status") { $0.key.status },
            .text("reason") { $0.key.reason },
            .text("type") { $0.key.type },
            .text("environment") { $0.key.environment },
            .text("topic") { $0.key.topic },
        ],
        values: [
            .sum("results") { $0.value.results },
            .earliest("first_at") { $0.value.firstAt },
            .latest("last_at") { $0.value.lastAt },
        ]
    )

    static let pushResultPlace = FoldTable<(key: PushResults.Bucket, value: ClosedRange<Int64>)>(
        "push_result_place",
        keys: [.int4("app_id") { $0.key.app }, .moment("bucket") { $0.key.bucket }],
        values: [
            .position("first_position", .least) { $0.value.lowerBound },
            .position("last_position", .greatest) { $0.value.upperBound },
        ]
    )

    static let authorizationRequest = FoldTable<(event: DeviceEvent, request: AuthorizationRequest)>(
        "authorization_request",
        keys: eventKey { $0.event },
        values: [
            .text("options") { $0.request.options },
            .bool("granted") { $0.request.granted },
            .text("error") { $0.request.error },
            .text("status_before") { $0.request.statusBefore },
            context { $0.request.context },
        ]
    )

    static let openSettings = FoldTable<DeviceEvent>("open_settings", keys: eventKey { $0 }, values: [])

    static func eventKey<Row>(_ event: @escaping @Sendable (Row) -> DeviceEvent) -> [FoldColumn<Row>] {
        [
            .int4("app_id") { event($0).app },
            .text("device_id") { event($0).device },
            .moment("at") { event($0).at },
            .uuid("id") { event($0).id },
        ]
    }

    static let extensionRun = FoldTable<ExtensionRunRow>(
        "notification_extension",
        keys: notificationKey { $0.notification } + [.moment("at") { $0.at }, .uuid("id") { $0.id }],
        values: ofRun.map { $0.of { $0.run } }
    )

    static let removal = FoldTable<(key: RemovalKey, value: Moment)>(
        "notification_removal",
        keys: notificationKey { $0.key.notification } + [
            .text("state") { $0.key.state }, .text("reason") { $0.key.reason },
        ],
        values: [.earliest("first_at") { $0.value }]
    )

    /// Inserts no row into any of the tables.
    static func insertNothingOfPushResult(on connection: isolated Connection) async throws {
        try await pushResult.insertNothing(on: connection)
        try await pushResultPlace.insertNothing(on: connection)
        try await authorizationRequest.insertNothing(on: connection)
        try await openSettings.insertNothing(on: connection)
        try await extensionRun.insertNothing(on: connection)
        try await removal.insertNothing(on: connection)
    }
}
