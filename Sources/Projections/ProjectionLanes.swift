internal import Postgres
internal import Schema

/// The lanes of a version of a group, each applied by one session at a time.
struct ProjectionLanes: Sendable, Equatable {
    let count: Int16
    /// The version's number; 0 for a group without versions.
    let version: Int64

    init(
        of group: ProjectionGroup,
        _ schema: String = ProjectionGroup.servingSchema,
        on connection: Connection
    ) async throws {
        let row = try await connection.query(
            "SELECT lanes, version_id FROM projection.lanes($1, $2)",
            [.text(schema), .text(group.leader)]
        ).only()
        count = try row.get(0)
        version = try row.get(1)
    }
}
