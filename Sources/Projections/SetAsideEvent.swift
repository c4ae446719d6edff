internal import Postgres

/// An event that a group of projections has set aside.
public struct SetAsideEvent: Sendable, Equatable {
    /// The projection that the group's checkpoint is named for.
    public var leader: String
    /// The lane that set it aside: a registration of categories may be set aside by several.
    public var lane: Int16
    /// The event's position in the log.
    public var position: Int64
    /// PostgreSQL's five-character error code.
    public var sqlState: String
    /// What went wrong, without values.
    public var error: String
    /// The number of attempts.
    public var attempts: Int32
    /// When it was set aside, microseconds since 1970.
    public var setAsideAt: Int64

    static func list(schema: String, leaders: [String], on connection: Connection) async throws -> [SetAsideEvent] {
        try await connection.query(
            """
            SELECT leader, lane, position, sqlstate, error, attempts, set_aside_at FROM projection.set_aside
            WHERE schema_name = $1 AND leader = ANY ($2) ORDER BY leader, position, lane
            """,
            [.text(schema), .texts(leaders)]
        ).map {
            SetAsideEvent(
                leader: try $0.get(0),
                lane: try $0.get(1),
                position: try $0.get(2),
                sqlState: try $0.get(3),
                error: try $0.get(4),
                attempts: try $0.get(5),
                setAsideAt: try $0.get(6)
            )
        }
    }
}
