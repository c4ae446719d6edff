internal import Postgres

/// How far the log is drawn and settled at a moment.
struct SettledLog: Sendable, Equatable {
    var settled: Position
    /// The highest position drawn.
    var drawn: Position
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

/// Decides which settler works. Two at a time do no harm; they only cost the database twice. So they hold no lock, which a
/// frozen one would keep. One continues as long as no other has moved the position; the others stand by until a position that
/// was assigned at their last check is still not settled at the next.
struct SettlerTurn: Sendable {
    /// Where the last round of one's own left the position; nil while standing by.
    private var own: Position?
    /// The highest position drawn at the last look.
    private var drawn: Position?

    /// Whether to settle now.
    mutating func isMine(_ log: SettledLog) -> Bool {
        if own == log.settled { return true }
        // Another settler works, or this one stands by already.
        own = nil
        defer { drawn = log.drawn }
        guard let drawn else { return false }
        return log.settled < min(drawn, log.drawn)
    }

    /// A round of one's own came so far.
    mutating func settled(upTo position: Position) {
        own = position
        drawn = nil
    }
}
