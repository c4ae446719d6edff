public import NotificationEvents
public import Postgres

/// The identity of a log from some time on. A restore or a promoted replica begins another one, because the log may lack events
/// that a reader has seen, and assign their positions again.
public struct Incarnation: Sendable {
    /// Its name, a UUID, as cursors carry it.
    public var id: String
    /// When it was noted.
    public var beganAt: Timestamp
    /// Up to and including this position the log is the same as before.
    public var position: Position
    /// Why it began.
    public var reason: String

    /// Every incarnation of a log, the present one last.
    ///
    /// - Throws: `PostgresError`.
    public static func all(_ pool: Pool) async throws -> [Incarnation] {
        let sql = "SELECT incarnation::text, began_at, position, reason FROM log.incarnation ORDER BY number"
        return try await pool.query(sql).map { row in
            Incarnation(
                id: try row.get(0),
                beganAt: try row.get(1),
                position: try row.get(2),
                reason: try row.get(3)
            )
        }
    }

    /// Begins another incarnation after a restore that leaves no trace in the database, such as that of a disk's snapshot.
    ///
    /// - Parameters:
    ///   - position: up to there the log is known to be unchanged; 0 if unknown.
    ///   - pool: lends a connection of the owner's.
    /// - Returns: whether it did, which it does not if the log never had that position.
    /// - Throws: `PostgresError`.
    public static func begin(sameUpTo position: Position, _ pool: Pool) async throws -> Bool {
        let begin = "SELECT log.new_incarnation($1, 'asked for') WHERE $1 <= log.drawn_position()"
        return try await !pool.query(begin, [.position(position)]).isEmpty
    }
}
