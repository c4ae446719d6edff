internal import Folds
internal import Postgres

/// Applies a range of the log to the group of `received`.
struct ReceivedFold: Fold {
    private let range: FoldRange
    private var symbols = Symbols()
    private var received = Received()

    static func read(_ range: FoldRange, on connection: isolated Connection) async throws -> ReceivedFold {
        var fold = ReceivedFold(range: range)
        let rows = try await connection.query(
            "SELECT position, app_id, kind, received_at, time_clamped FROM projection.batch($1, $2)",
            [.int8(range.after), .int8(range.upTo)]
        )
        for row in rows { try fold.take(row) }
        return fold
    }

    private mutating func take(_ row: Row) throws {
        var fields = FoldFields(row)
        let position: Int64 = fields.integer() ?? 0
        let app = fields.int4()
        let kind = fields.symbol(in: &symbols.names)
        let receivedAt = fields.moment()
        try received.add(kind, app: app, receivedAt: receivedAt, isClamped: fields.bool(), position: position)
    }

    func apply(sliceRows: Int32?, on connection: isolated Connection) async throws {
        if range.isEmpty { try await FoldTables.received.insertNothing(on: connection) }
        try await FoldTables.received.upsert(Array(received.counts), symbols, on: connection)
    }
}

extension FoldTables {
    static let received = FoldTable<(key: Received.Key, value: Received.Count)>(
        "received",
        keys: [
            .int4("app_id") { $0.key.app },
            .moment("bucket") { $0.key.bucket },
            .text("kind") { $0.key.kind },
        ],
        values: [
            .sum("events") { $0.value.events },
            .sum("clamped") { $0.value.clamped },
            .position("first_position", .least) { $0.value.positions.lowerBound },
            .position("last_position", .greatest) { $0.value.positions.upperBound },
        ]
    )
}
