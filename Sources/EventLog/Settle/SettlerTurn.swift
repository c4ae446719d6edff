/// Decides which settler works. Two at a time do no harm; they only cost the database twice. So they hold no lock, which a
/// frozen one would keep. One continues as long as no other has moved the position; the others stand by until a position that
/// was assigned at their last check is still not settled at the next.
struct SettlerTurn: Sendable {
    /// Where the last round of one's own left the position; nil while standing by.
    private var own: Position?
    /// The highest position drawn at the last look.
    private var drawn: Position?

    /// Whether to settle now.
    mutating func isMine(_ log: LogPositions) -> Bool {
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
