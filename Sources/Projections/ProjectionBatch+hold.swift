internal import Postgres

/// What is known of the holders of a lane before this one.
struct ProjectionHolding: Sendable, Equatable {
    /// How many holders in a row began at this checkpoint, this one included.
    var began: Int32
    /// The event that holders applied alone.
    var alone: Int64?
    /// How many holders did.
    var tries: Int32
}

/// An event that ends the process would end one holder of its lane after another. So each holder notes that it begins. A holder
/// that begins where others began and ended applies the events one by one, each after a note.
extension ProjectionBatch {
    /// Notes that this holder begins to apply events.
    ///
    /// - Returns: nil where another service applies the lane.
    func hold(at position: Int64, on connection: Connection) async throws -> ProjectionHolding? {
        try await connection.withTransaction { connection in
            guard try await lock(on: connection) else { return nil }
            let row = try await connection.query(
                "SELECT began, alone, tries FROM projection.hold($1, $2, $3, $4)",
                parameters + [.int8(position)]
            ).only()
            return ProjectionHolding(began: try row.get(0), alone: try row.get(1), tries: try row.get(2))
        }
    }

    /// Notes that this holder is about to apply one event alone.
    func holdAlone(_ position: Int64, on connection: Connection) async throws {
        try await connection.query("SELECT projection.hold_alone($1, $2, $3, $4)", parameters + [.int8(position)])
    }
}
