/// Decides which settler works. Two at a time do no harm, but cost the database twice. They hold no lock, because a frozen
/// settler would keep it. A settler continues as long as no other has moved the position. The others stand by until a position
/// that was assigned at their last check is still not settled at the next.
struct SettlerTurn: Sendable {
    /// The position after this settler's last round; nil while it stands by.
    private var own: Position?
    /// The highest position drawn at the last check.
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

    /// Notes how far a round of this settler came.
    mutating func settled(upTo position: Position) {
        own = position
        drawn = nil
    }
}
