internal import Postgres

/// How far the log is drawn and settled at a moment.
struct SettledLog: Sendable, Equatable {
    var settled: Int64
    /// The highest position drawn.
    var drawn: Int64
    var incarnation: String
}

extension SettledLog {
    init(on connection: Connection) async throws {
        let row = try await connection.query(
            """
            SELECT s.settled_position, CASE WHEN p.is_called THEN p.last_value ELSE 0 END, s.incarnation::text
            FROM log.state s, log.position p
            """
        ).only()
        self.init(settled: try row.get(0), drawn: try row.get(1), incarnation: try row.get(2))
    }
}

/// Whose turn it is to settle. Nothing breaks where two settlers do; it only costs the database twice. So they hold no lock,
/// which one that stands still would keep: one goes on as long as nobody else has moved the position, the others stand by
/// until something that was drawn at their last look is still not settled at this one.
struct SettlerTurn: Sendable {
    /// Where the last round of one's own left the position; nil while standing by.
    private var own: Int64?
    /// The highest position drawn at the last look.
    private var drawn: Int64?

    /// Whether to settle now.
    mutating func isMine(_ log: SettledLog) -> Bool {
        if own == log.settled { return true }
        // Somebody else settles, or one stands by already.
        own = nil
        defer { drawn = log.drawn }
        guard let drawn else { return false }
        return log.settled < min(drawn, log.drawn)
    }

    /// A round of one's own came so far.
    mutating func settled(upTo position: Int64) {
        own = position
        drawn = nil
    }
}
