public import Postgres
public import Schema

extension ProjectionGroup {
    /// The schema of the versions in use.
    public static let servingSchema = "projection"

    /// Applies a range of the log to one version of the group, in the caller's transaction. Every row of a projection is made
    /// in this way. The caller moves that version's checkpoint in the same transaction.
    ///
    /// - Parameters:
    ///   - schema: the schema of the version's tables: in use, under construction, or the baseline.
    ///   - after: apply events after this position of the log;
    ///   - upTo: and up to this one.
    ///   - appliedBefore: the version's checkpoint, if it is beyond `upTo` (for an event set aside earlier).
    ///   - receivedBefore: leave out events received at or after this time, microseconds since 1970.
    ///   - connection: in a transaction. A connection applies one version only, because its temporary tables copy the columns
    ///     of that version's tables.
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
