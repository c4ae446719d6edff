internal import Folds
internal import Postgres

/// Applies a range of the log to the group of `received`.
enum ReceivedFold {
    static func apply(_ range: FoldRange, on connection: isolated Connection) async throws {
        if range.isEmpty { try await FoldTables.received.insertNothing(on: connection) }
        var symbols = Symbols()
        var received = Received()
        let rows = try await connection.query(
            "SELECT position, app_id, kind, received_at, time_clamped FROM projection.batch($1, $2)",
            [.int8(range.after), .int8(range.upTo)]
        )
        for row in rows {
            var fields = FoldFields(row)
            let position: Int64 = fields.integer() ?? 0
            let app = fields.int4()
            let kind = fields.symbol(in: &symbols.names)
            let receivedAt = fields.moment()
            try received.add(kind, app: app, receivedAt: receivedAt, isClamped: fields.bool(), position: position)
        }
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
