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

    /// Tokens with a time.
    static let tokensSince: [FoldColumn<(key: TokenID, value: Moment)>] =
        token.map { $0.of { $0.key } } + [.moment("since") { $0.value }]

    static let heldToken: [FoldColumn<HeldToken>] = [
        .int4("app_id") { $0.owner.app }, .text("device_id") { $0.owner.device }, .bytes("token") { $0.token },
    ]

    static let tokenEnd = FoldTable<(key: HeldToken, value: TokenEnd)>(
        "token_end",
        keys: heldToken.map { $0.of { $0.key } },
        values: [.moment("ended_at") { $0.value.endedAt }, .bool("is_whole") { $0.value.isWhole }]
    )

    static let tokenRequest = FoldTable<TokenRequest>(
        "token_request",
        keys: heldToken.map { $0.of { $0.token } } + [.moment("at") { $0.at }, .uuid("id") { $0.id }],
        values: [
            .text("environment") { $0.environment },
            .text("topic") { $0.topic },
            .moment("received_at") { $0.receivedAt },
            .moment("due_at") { $0.dueAt },
            .text("notification_id") { $0.notification },
            .moment("occurrence") { $0.occurrence },
        ]
    )

    static let noEnd = FoldTable("token_end", keys: heldToken, values: [])

    private static let heldTokensUpTo: [FoldColumn<(key: HeldToken, value: Moment)>] =
        heldToken.map { $0.of { $0.key } } + [.moment("ended_at") { $0.value }]

    /// Deletes the requests to tokens that were due before times; all of a token without one.
    static func deleteRequests(
        upTo ends: [(key: HeldToken, value: Moment)],
        _ symbols: Symbols,
        on connection: isolated Connection
    ) async throws {
        guard !ends.isEmpty else { return }
        try await connection.query(
            "SELECT delete_token_requests($1, $2, $3, $4)",
            heldTokensUpTo.map { $0.parameter(ends, symbols) }
        )
    }

    /// Whether the version keeps requests to ended tokens.
    static var keepsTokenRequests: Bool { tokenEnd.present != nil && tokenRequest.present != nil }

    /// Whether it also keeps when they were due, and what they make.
    static var keepsTimesDue: Bool { FoldVersion.has("token_request", "due_at") }

    /// The rows of `token_end` of a device, and those of a token, whose requests are no longer kept.
    static let endsOfDevice = FoldTable("token_end", keys: device, values: [.bool("is_whole") { _ in false }])
    static let endsOfToken = FoldTable("token_end", keys: token, values: [.bool("is_whole") { _ in false }])

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
        try await tokenEnd.insertNothing(on: connection)
        try await tokenRequest.insertNothing(on: connection)
    }
}

/// A row of `token_request`.
struct TokenRequest {
    let token: HeldToken
    let at: Moment
    let id: UUIDValue
    let environment: Symbol
    let topic: Symbol
    let receivedAt: Moment
    var dueAt = Moment.none
    var notification = Symbol.none
    var occurrence = Moment.noOccurrence
}
