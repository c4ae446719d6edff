public import Postgres
public import Schema

extension ProjectionGroup {
    /// Applies a version under construction at least up to the position of the one in use, whose lock the caller holds, in the
    /// caller's transaction: everything that the one in use has counted, the new one has too.
    package func overtake(with schema: String, on connection: Connection) async throws {
        for lane in 0..<(try await ProjectionLanes(of: self, schema, on: connection).count) {
            let version: [Parameter] = [.text(schema), .text(leader), .int2(lane)]
            let gap = try await connection.query("SELECT built, served FROM projection.gap($1, $2, $3)", version).only()
            let (built, served) = (try gap.get(0, as: Int64.self), try gap.get(1, as: Int64.self))
            guard built < served else { continue }
            try await apply(to: schema, lane: lane, after: built, upTo: served, on: connection)
            try await connection.query(
                "SELECT projection.move($1, $2, $3, $4, $5)",
                version + [.int8(built), .int8(served)]
            )
        }
    }

    /// The number of notifications in a slice.
    static let usualSliceRows: Int32 = 10_000

    /// The schema of the versions in use.
    public static let servingSchema = "projection"

    /// Applies a range of the log to one version of the group, in the caller's transaction. Every row of a projection is made
    /// in this way. The caller moves that version's checkpoint in the same transaction.
    ///
    /// - Parameters:
    ///   - schema: the schema of the version's tables: in use, under construction, or the baseline.
    ///   - lane: the lane whose events are applied.
    ///   - after: apply events after this position of the log;
    ///   - upTo: and up to this one.
    ///   - appliedBefore: the version's checkpoint, if it is beyond `upTo` (for an event set aside earlier).
    ///   - receivedBefore: leave out events received at or after this time, microseconds since 1970.
    ///   - sliceRows: the most notifications that it updates besides those of the events; nil for the default.
    ///   - connection: in a transaction. A connection applies one version only: statements are prepared for its tables.
    /// - Throws: `PostgresError`.
    public func apply(
        to schema: String = servingSchema,
        lane: Int16 = 0,
        after: Int64,
        upTo: Int64,
        appliedBefore: Int64? = nil,
        receivedBefore: Int64? = nil,
        sliceRows: Int32? = nil,
        on connection: Connection
    ) async throws {
        try await apply(
            to: schema,
            lane: lane,
            after: after,
            upTo: upTo,
            appliedBefore: appliedBefore,
            receivedBefore: receivedBefore,
            sliceRows: sliceRows,
            tables: nil,
            events: nil,
            on: connection
        )
    }

    /// The same for who knows the tables of the version, or has read the events.
    func apply(
        to schema: String,
        lane: Int16,
        after: Int64,
        upTo: Int64,
        appliedBefore: Int64? = nil,
        receivedBefore: Int64? = nil,
        sliceRows: Int32?,
        tables: FoldVersion?,
        events: EventsRead?,
        on connection: Connection
    ) async throws {
        if fold != nil {
            let lanes = try await connection.query(
                "SELECT projection.begin_fold($1, $2, $3, $4, $5, $6, keeps_snapshots => true)",
                [
                    .text(schema), .text(leader), .int8(upTo - after), .int8(appliedBefore),
                    .timestamptz(receivedBefore),
                    .int2(lane),
                ]
            ).only().get(0, as: Int16?.self)
            if let lanes {
                let range = range(after: after, upTo: upTo, lane: lane, of: lanes)
                let tables = if let tables { tables } else { try await FoldVersion(schema, on: connection) }
                return try await tables.applied {
                    try await fold(range, sliceRows: sliceRows, events, on: connection)
                }
            }
        }
        if let sliceRows {
            try await connection.query(
                "SELECT set_config('notilog.slice_rows', $1::text, true)",
                [.text("\(sliceRows)")]
            )
        }
        try await connection.query(
            "SELECT projection.apply($1, $2, $3, $4, $5, $6, $7)",
            [
                .text(schema), .text(leader), .texts(members), .int8(after), .int8(upTo), .int8(appliedBefore),
                .timestamptz(receivedBefore),
            ]
        )
    }

    /// A range of the log as a lane of a version applies it.
    ///
    /// - Parameter lanes: the number of the version's lanes; 0 for one made before there were lanes, which has no columns for them.
    func range(after: Int64, upTo: Int64, lane: Int16, of lanes: Int16) -> FoldRange {
        let lane = lanes > 0 && self.lanes != nil ? FoldLane(number: lane, count: lanes) : nil
        return FoldRange(after: after, upTo: upTo, lane: lane)
    }
}
