internal import Folds
internal import Postgres

/// The tables of the group of `device_token`.
extension FoldTables {
    static let tokenEvent = FoldTable<TokenEvent>(
        "token_event",
        keys: [
            .int4("app_id") { $0.key.app },
            .text("device_id") { $0.key.device },
            .bytes("token") { $0.key.token },
            .moment("at") { $0.at },
            .uuid("id") { $0.id },
        ],
        values: [.word("what") { $0.what.word }] + use { $0.key.use }
    )

    /// Of a token with its provider: the newest push accepted.
    static let tokenAccepted = FoldTable<(key: ProviderToken, value: Tie)>(
        "token_accepted",
        keys: providerToken.map { $0.of { $0.key } },
        values: [
            .moment("at") { $0.value.at },
            .text("device_id") { $0.value.device },
            .uuid("id") { $0.value.id },
        ]
    )

    static let providerToken: [FoldColumn<ProviderToken>] = [
        .int4("app_id") { $0.id.app }, .text("provider") { $0.provider },
        .bytes("token") { $0.id.token },
    ]

    static let deviceToken = FoldTable<(key: TokenKey, value: TokenRow)>(
        "device_token",
        keys: [.int4("app_id") { $0.key.app }, .text("device_id") { $0.key.device }]
            + use { $0.key.use } + [.bytes("token") { $0.key.token }],
        values: [
            .word("state") { $0.value.state.word },
            .moment("registered_at") { $0.value.registeredAt },
            .moment("last_registered_at") { $0.value.lastRegisteredAt },
            .moment("ended_at") { $0.value.endedAt },
        ]
    )

    private static func use<Row>(_ use: @escaping @Sendable (Row) -> TokenUse) -> [FoldColumn<Row>] {
        [
            .text("provider") { use($0).provider },
            .text("type") { use($0).type },
            .text("topic") { use($0).topic },
            .text("environment") { use($0).environment },
            .text("activity_id") { use($0).activity },
        ]
    }

    private static let device: [FoldColumn<TokenDevice>] = [
        .int4("app_id") { $0.app }, .text("device_id") { $0.device },
    ]
    private static let token: [FoldColumn<TokenID>] = [
        .int4("app_id") { $0.app }, .bytes("token") { $0.token },
    ]

    /// The rows of `device_token` of a device, and those of a token.
    static let tokensOfDevice = FoldTable("device_token", keys: device, values: [])
    static let devicesOfToken = FoldTable("device_token", keys: token, values: [])

    static let deviceExcess = FoldTable("device_excess", keys: device, values: [])
    static let tokenExcess = FoldTable(
        "token_excess",
        keys: token,
        values: [.text("device_id") { _ in .empty }]
    )

    /// Inserts no row into any of the tables.
    static func insertNothingOfDeviceToken(on connection: isolated Connection) async throws {
        try await tokenEvent.insertNothing(on: connection)
        try await tokenAccepted.insertNothing(on: connection)
        try await deviceToken.insertNothing(on: connection)
        try await deviceExcess.insertNothing(on: connection)
        try await tokenExcess.insertNothing(on: connection)
    }
}
