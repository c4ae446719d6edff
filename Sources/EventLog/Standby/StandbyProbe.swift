internal import Postgres

/// What a check finds at a standby or at its primary.
///
/// The standby is asked first, so that a standby that follows has replayed no more than the primary has written.
struct StandbyProbe: Sendable {
    private var isInRecovery: Bool
    /// The cluster and the database in it: a copy of all files has the same ones.
    private var origin: String
    private var incarnation: String
    private var settled: Position
    /// Of the write-ahead log: replayed by a standby, inserted by a primary. Nil if it is not known there.
    private var bytes: Int64?
    /// The age of the oldest event beyond a position, in seconds.
    private var age: Double

    /// Asks a server.
    ///
    /// - Parameter position: the age of the event after it is read; nil for none.
    private static func read(_ pool: Pool, beyond position: Position?) async throws -> StandbyProbe {
        let row = try await pool.query(
            "SELECT is_standby, origin, incarnation, settled_position, bytes, age FROM log.standing($1)",
            [.position(position)]
        ).only()
        return StandbyProbe(
            isInRecovery: try row.get(0),
            origin: try row.get(1),
            incarnation: try row.get(2),
            settled: try row.get(3),
            bytes: try row.get(4),
            age: try row.get(5)
        )
    }

    /// Compares a standby with its primary.
    ///
    /// - Parameters:
    ///   - primary: lends a connection to it.
    ///   - before: the last status, which remains while the primary does not answer.
    ///   - limit: the age of the oldest event that the standby may lack, in seconds.
    static func compare(
        _ standby: Pool,
        with primary: Pool,
        before: StandbyStatus.State,
        limit: Double
    ) async -> StandbyStatus {
        let here: StandbyProbe
        do {
            here = try await read(standby, beyond: nil)
        } catch let error as PostgresError where error.isContention {
            // Replay conflicted with this query, so it found nothing new.
            return StandbyStatus(state: before)
        } catch {
            // A database without Notilog's tables is another one. A missing right does not say which one it is.
            let failure = error as? PostgresError
            let isOther = failure?.isDataError == true && failure?.refusal != .permission
            return StandbyStatus(state: isOther ? .foreign : .away, cause: failure?.reason)
        }
        guard here.isInRecovery else { return StandbyStatus(state: .promoted) }
        let there: StandbyProbe
        do {
            there = try await read(primary, beyond: here.settled)
        } catch {
            let cause = (error as? PostgresError).map { "the primary: \($0.reason)" }
            return StandbyStatus(state: before == .following || before == .behind ? before : .unknown, cause: cause)
        }
        guard here.origin == there.origin, let replayed = here.bytes, let written = there.bytes, replayed <= written
        else { return StandbyStatus(state: .foreign) }
        let lag = StandbyStatus.Lag(
            bytes: written - replayed,
            positions: max(0, there.settled.rawValue - here.settled.rawValue),
            seconds: there.age
        )
        // The cursors of one incarnation mean nothing in another.
        let isNear = here.incarnation == there.incarnation && lag.seconds <= limit
        return StandbyStatus(state: isNear ? .following : .behind, lag: lag)
    }
}
