internal import Postgres

/// The copies of one cell's events in another.
struct CellCopies {
    /// The cell whose events are copied.
    let cell: Int16
    let source: Connection
    /// The cell that they are copied to.
    let other: Int16
    let target: Connection

    /// A token of an app.
    private struct Token: Hashable {
        let app: AppID
        let digest: [UInt8]
    }

    /// An event, as `log.copy_in` takes it.
    private struct Event {
        let token: Token?
        let json: String
    }

    /// Copies the next events, and records how far the copies are applied.
    ///
    /// - Parameters:
    ///   - settled: the settled position of the source.
    ///   - positions: how many positions to go through at most.
    ///   - events: how many events of tokens to read at a time.
    /// - Returns: whether more is to be copied.
    /// - Throws: `PostgresError`.
    func advance(to settled: Position, _ positions: Int64, _ events: Int32) async throws -> Bool {
        let known = try await source.query(
            "SELECT position, applied, awaited FROM log.copied WHERE cell = $1",
            [.int2(other)]
        ).first
        let after: Int64 = try known?.get(0) ?? 0
        let upTo = min(settled.rawValue, after + positions)
        var awaited: Int64 = try known?.get(2) ?? 0
        if upTo > after {
            awaited = max(awaited, try await copy(after: after, upTo: upTo, events))
            try await source.query("SELECT log.copied_to($1, $2, $3)", [.int2(other), .int8(upTo), .int8(awaited)])
        }
        if try known?.get(1, as: Int64.self) ?? 0 < upTo, try await isApplied(awaited) {
            try await source.query("SELECT log.copies_applied($1, $2)", [.int2(other), .int8(upTo)])
        }
        return upTo < settled.rawValue
    }

    /// Whether the projections of the other cell have reached a position of its log.
    private func isApplied(_ position: Int64) async throws -> Bool {
        guard position > 0 else { return true }
        return try await target.query(
            "SELECT coalesce(min(position), 0) >= $1 FROM projection.checkpoint",
            [.int8(position)]
        ).only().get(0)
    }

    /// - Returns: the last position drawn for copies in the other cell; 0 if there was none.
    private func copy(after: Int64, upTo: Int64, _ most: Int32) async throws -> Int64 {
        let events = try await source.query(
            "SELECT app_id, token, event::text FROM log.events_to_copy($1, $2)",
            [.int8(after), .int8(upTo)]
        ).map { row in
            let app: AppID = try row.get(0)
            return Event(
                token: try row.get(1, as: [UInt8]?.self).map { Token(app: app, digest: $0) },
                json: try row.get(2)
            )
        }
        let tokens = Array(Set(events.compactMap(\.token)))
        let told = try await alreadyTold(tokens)
        let shared = try await known(Array(Set(tokens).subtracting(told)))
        var last: Int64 = 0
        // What was said before of a token that turns out to be in both: there, and here.
        for token in shared {
            last = max(last, try await tell(token, from: source, of: cell, to: target, most))
            _ = try await tell(token, from: target, of: other, to: source, most)
        }
        let wanted = told.union(shared)
        let copied = events.filter { $0.token.map(wanted.contains) ?? true }
        return max(last, try await store(copied.map(\.json), of: cell, in: target, most))
    }

    /// The tokens of which the other cell has told already: it is told of them, too.
    private func alreadyTold(_ tokens: [Token]) async throws -> Set<Token> {
        guard !tokens.isEmpty else { return [] }
        let rows = try await source.query(
            "SELECT ordinal FROM log.cells_of_tokens($1, $2) WHERE cell = $3",
            Self.parameters(tokens) + [.int2(other)]
        )
        return Set(try rows.map { tokens[Int(try $0.get(0, as: Int32.self)) - 1] })
    }

    /// The tokens that the other cell has events of.
    private func known(_ tokens: [Token]) async throws -> Set<Token> {
        guard !tokens.isEmpty else { return [] }
        let rows = try await target.query("SELECT * FROM log.known_tokens($1, $2)", Self.parameters(tokens))
        return Set(try rows.map { tokens[Int(try $0.get(0, as: Int32.self)) - 1] })
    }

    /// Copies what one cell says of a token to another.
    private func tell(
        _ token: Token,
        from source: Connection,
        of cell: Int16,
        to target: Connection,
        _ most: Int32
    ) async throws -> Int64 {
        let events: [String] = try await source.query(
            "SELECT event::text FROM log.token_events_to_copy($1, $2, $3) AS e (event)",
            [.app(token.app), .bytea(token.digest), .int4(Self.eventsOfAToken)]
        ).map { try $0.get(0) }
        return try await store(events, of: cell, in: target, most)
    }

    /// One more than those of which a state is computed (`token_events_bound`).
    private static let eventsOfAToken: Int32 = 10_001

    /// Stores copies, some at a time.
    private func store(_ events: [String], of cell: Int16, in target: Connection, _ most: Int32) async throws -> Int64 {
        var last: Int64 = 0
        for start in stride(from: 0, to: events.count, by: Int(most)) {
            let some = Array(events[start..<min(start + Int(most), events.count)])
            last = max(last, try await store(some, of: cell, in: target))
        }
        return last
    }

    private func store(_ events: [String], of cell: Int16, in target: Connection) async throws -> Int64 {
        let stored = try await target.query(
            "SELECT log.copy_in($1, $2)",
            [.jsonb("[\(events.joined(separator: ","))]"), .int2(cell)]
        )
        return try stored.only().get(0, as: Int64?.self) ?? 0
    }

    private static func parameters(_ tokens: [Token]) -> [Parameter] {
        [.int4s(tokens.map(\.app.rawValue)), .byteas(tokens.map(\.digest))]
    }
}
