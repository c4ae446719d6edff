internal import Folds
internal import Postgres

/// Applies a range of the log to the group of `notification_ending`.
struct EndingFold: Fold {
    private let range: FoldRange
    private var symbols = Symbols()
    private var endings: [NotificationID: NotificationEnding] = [:]

    static func read(_ range: FoldRange, on connection: isolated Connection) async throws -> EndingFold {
        var fold = EndingFold(range: range)
        try await range.read(from: "ending_events", on: connection) { row in fold.take(FoldEvent(row, &fold.symbols)) }
        return fold
    }

    private mutating func take(_ event: FoldEvent) {
        guard let notification = event.notificationID else { return }
        var ending = endings[notification] ?? NotificationEnding()
        let isChanged = event.withData { ending.merge(event.kind, at: event.at, id: event.id, data: $0, &symbols) }
        if isChanged { endings[notification] = ending }
    }

    func apply(sliceRows: Int32?, on connection: isolated Connection) async throws {
        if range.isEmpty { try await FoldTables.ending.insertNothing(on: connection) }
        try await FoldTables.ending.upsert(Array(endings), symbols, on: connection)
    }
}

extension FoldTables {
    static let ending = FoldTable<(key: NotificationID, value: NotificationEnding)>(
        "notification_ending",
        keys: notificationKey { $0.key },
        values: [
            .bytes("last_rejection", .greatest) { $0.value.rejection },
            .bytes("last_error", .greatest) { $0.value.error },
            .earliest("removed_at") { $0.value.removedAt },
            .earliest("gone_at") { $0.value.goneAt },
        ]
    )
}
