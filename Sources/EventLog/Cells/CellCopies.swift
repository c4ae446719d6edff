internal import Postgres

/// The copies of one cell's events in another.
struct CellCopies {
    /// The cell whose events are copied.
    let cell: Int16
    let source: Connection
    /// The cell that they are copied to.
    let other: Int16
    let target: Connection

    /// The most positions of a round: with the largest events, their text takes some tens of megabytes.
    private static let positionsOfARound: Int64 = 2_000
    /// The most events of a statement.
    private static let eventsOfAStatement = 250
    /// One more than those of which a state is computed (`token_events_bound`).
    private static let eventsOfAToken: Int32 = 10_001

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

    /// The positions that projections have to reach for copies to be applied.
    private struct Awaited {
        /// Of the other cell's log.
        var there: Int64
        /// Of this cell's log: the other cell told of the same tokens.
        var here: Int64
    }

    /// How far copies are.
    enum Progress {
        case moreToCopy
        /// All are there, and some are not applied.
        case copied
        /// All up to a position are applied.
        case applied(Position)
    }

    /// Copies the next events, and records how far copies are applied.
    ///
    /// - Throws: `PostgresError`.
    func advance() async throws -> Progress {
        let settled = try await LogPositions.read(on: source).settled.rawValue
        let incarnation: String =
            try await target.query("SELECT incarnation::text FROM log.state").only().get(0)
        let known = try await source.query(
            """
            SELECT position, applied, awaited, awaited_here FROM log.copied
            WHERE cell = $1 AND coalesce(incarnation::text = $2, position = 0)
            """,
            [.int2(other), .text(incarnation)]
        ).first
        // A cell that was restored may lack copies: from the beginning, which stores those alone that it lacks.
        let after: Int64 = try known?.get(0) ?? 0
        let upTo = min(settled, after + Self.positionsOfARound)
        var awaited = Awaited(there: try known?.get(2) ?? 0, here: try known?.get(3) ?? 0)
        if upTo > after {
            try await copy(after: after, upTo: upTo, &awaited)
            try await source.query(
                "SELECT log.copied_to($1, $2::text::uuid, $3, $4, $5)",
                [.int2(other), .text(incarnation), .int8(upTo), .int8(awaited.there), .int8(awaited.here)]
            )
            // One that took over from this may have told of tokens, and recorded more.
            let recorded = try await source.query(
                "SELECT awaited, awaited_here FROM log.copied WHERE cell = $1",
                [.int2(other)]
            ).only()
            awaited = Awaited(there: try recorded.get(0), here: try recorded.get(1))
        }
        var isApplied = try known?.get(1, as: Int64.self) ?? 0 >= upTo
        if !isApplied, try await self.isApplied(awaited.there, on: target),
            try await self.isApplied(awaited.here, on: source)
        {
            try await source.query("SELECT log.copies_applied($1, $2)", [.int2(other), .int8(upTo)])
            isApplied = true
        }
        if upTo < settled { return .moreToCopy }
        return isApplied ? .applied(Position(rawValue: upTo)) : .copied
    }

    /// Whether the projections of a cell have reached a position of its log.
    private func isApplied(_ position: Int64, on connection: Connection) async throws -> Bool {
        guard position > 0 else { return true }
        return try await connection.query(
            "SELECT coalesce(min(position), 0) >= $1 FROM projection.checkpoint",
            [.int8(position)]
        ).only().get(0)
    }

    private func copy(after: Int64, upTo: Int64, _ awaited: inout Awaited) async throws {
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
        // What was said before of a token that turns out to be in both: there, and here last, as it says that the token is told of.
        for token in shared {
            awaited.there = max(awaited.there, try await tell(token, from: source, of: cell, to: target))
            awaited.here = max(awaited.here, try await tell(token, from: target, of: other, to: source))
        }
        let wanted = told.union(shared)
        let copied = events.filter { $0.token.map(wanted.contains) ?? true }.map(\.json)
        awaited.there = max(awaited.there, try await store(copied, of: cell, in: target))
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

    /// The tokens that the other cell needs to hear of.
    private func known(_ tokens: [Token]) async throws -> Set<Token> {
        guard !tokens.isEmpty else { return [] }
        let rows = try await target.query("SELECT * FROM log.known_tokens($1, $2)", Self.parameters(tokens))
        return Set(try rows.map { tokens[Int(try $0.get(0, as: Int32.self)) - 1] })
    }

    /// Copies what one cell says of a token to another: all or nothing, as a part would look like all.
    private func tell(_ token: Token, from source: Connection, of cell: Int16, to target: Connection) async throws
        -> Int64
    {
        let events: [String] = try await source.query(
            "SELECT event::text FROM log.token_events_to_copy($1, $2, $3) AS e (event)",
            [.app(token.app), .bytea(token.digest), .int4(Self.eventsOfAToken)]
        ).map { try $0.get(0) }
        return try await target.withTransaction { try await store(events, of: cell, in: $0) }
    }

    /// Stores copies, some at a time.
    ///
    /// - Returns: the position that projections have to reach to have them; 0 if there are none.
    private func store(_ events: [String], of cell: Int16, in target: Connection) async throws -> Int64 {
        var last: Int64 = 0
        for start in stride(from: 0, to: events.count, by: Self.eventsOfAStatement) {
            let some = events[start..<min(start + Self.eventsOfAStatement, events.count)]
            let stored = try await target.query(
                "SELECT log.copy_in($1, $2)",
                [.jsonb("[\(some.joined(separator: ","))]"), .int2(cell)]
            )
            last = max(last, try stored.only().get(0))
        }
        return last
    }

    private static func parameters(_ tokens: [Token]) -> [Parameter] {
        [.int4s(tokens.map(\.app.rawValue)), .byteas(tokens.map(\.digest))]
    }
}
