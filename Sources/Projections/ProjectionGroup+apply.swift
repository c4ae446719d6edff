public import Postgres
public import Schema

extension ProjectionGroup {
    /// The schema of the versions that serve.
    public static let servingSchema = "projection"

    /// Applies a range of the log to one version of the group, in the caller's transaction: the way in which every row of
    /// a projection is made. The caller moves that version's checkpoint in the same transaction.
    ///
    /// - Parameters:
    ///   - schema: what holds the version's tables: that of those that serve, of one built beside it, of a baseline.
    ///   - after: apply what comes after this position of the log;
    ///   - upTo: and up to this one.
    ///   - appliedBefore: how far the version has been applied, where that is beyond `upTo` (an event set aside earlier).
    ///   - receivedBefore: leave out events received at or after this time, microseconds since 1970.
    ///   - connection: in a transaction. A connection that applies stays with one version, as its temporary tables are
    ///     made after that version's.
    /// - Throws: `PostgresError`.
    public func apply(
        to schema: String = servingSchema,
        after: Int64,
        upTo: Int64,
        appliedBefore: Int64? = nil,
        receivedBefore: Int64? = nil,
        on connection: Connection
    ) async throws {
        try await connection.query(
            "SELECT projection.apply($1, $2, $3, $4, $5, $6, $7)",
            [
                .text(schema), .text(leader), .texts(members), .int8(after), .int8(upTo), .int8(appliedBefore),
                .timestamptz(receivedBefore),
            ]
        )
    }
}
