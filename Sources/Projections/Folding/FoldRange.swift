internal import Postgres

/// A lane of a version: it has the events of some of the devices.
struct FoldLane {
    let number: Int16
    /// The number of lanes of the version.
    let count: Int16
}

/// A range of the log: the positions after one up to another.
struct FoldRange {
    let after: Int64
    let upTo: Int64
    /// The lane whose events are applied; nil if the version's tables have no lanes.
    let lane: FoldLane?

    var isEmpty: Bool { after >= upTo }

    /// Reads events of the range, each a ``FoldEvent``, in parts: PostgreSQL makes the rows of the next ones while a fold takes these.
    ///
    /// - Parameters:
    ///   - function: takes a range and returns the events in it.
    ///   - positions: of a part.
    func read(
        from function: String,
        positionsOfAPart positions: Int = positionsOfASparsePart,
        on connection: isolated Connection,
        _ take: (Row) throws -> Void
    ) async throws {
        let parts = parts(of: positions).map { [Parameter.int8($0.after), .int8($0.upTo)] }
        try await connection.query(FoldEvent.select + " FROM \(function)($1, $2)", each: parts) { try $0.forEach(take) }
    }

    /// Reads the events of the range's lane, and those that every lane reads: registrations of categories, and erasures.
    func readLane(on connection: isolated Connection, _ take: (Row) throws -> Void) async throws {
        guard let lane, lane.count > 1 else {
            return try await read(
                from: "projection.batch",
                positionsOfAPart: Self.positionsOfAPart,
                on: connection,
                take
            )
        }
        let parts = parts(of: Self.positionsOfAPart).map { part in
            [
                Parameter.int8(part.after), .int8(part.upTo), .int4(Int32(lane.count)), .int4(Int32(lane.number)),
            ]
        }
        let sql =
            FoldEvent.select + ", is_own FROM projection.batch($1, $2) e "
            + "CROSS JOIN LATERAL (SELECT log.lane(e.device_id) % $3 = $4 AS is_own) l "
            + "WHERE is_own OR kind IN ('category_registration', 'erasure')"
        try await connection.query(sql, each: parts) { try $0.forEach(take) }
    }

    /// Reads the events that a function returns for the whole range.
    ///
    /// - Parameter function: takes the range and returns events.
    func rows(from function: String, on connection: isolated Connection) async throws -> Rows {
        try await connection.query(FoldEvent.select + " FROM \(function)($1, $2)", [.int8(after), .int8(upTo)])
    }

    private func parts(of positions: Int) -> [(after: Int64, upTo: Int64)] {
        stride(from: after, to: upTo, by: positions).map { ($0, min(upTo, $0 + Int64(positions))) }
    }

    /// Few enough that their rows fit into the socket's buffer of some 200 kB, so that PostgreSQL need not wait.
    private static let positionsOfAPart = 250

    /// The same where only some events of the range are read: to begin a statement takes as long as to pass over two hundred. Events of
    /// 32 KiB each, the largest, are 32 MB.
    static let positionsOfASparsePart = 1_000
}
