public import Postgres

/// The roles that the service's sessions take, of those that its login is a member of (`sql/roles.sql`): each may do what
/// its sessions do and no more, whatever else the login may.
public struct SessionRoles: Sendable, Equatable {
    /// The login.
    public var login: String
    /// The roles that the login may take.
    public var roles: Set<Role>

    /// Finds out which roles there are for this session's login.
    ///
    /// - Throws: `PostgresError`.
    public static func find(on connection: Connection) async throws -> SessionRoles {
        let row = try await connection.query(
            """
            SELECT session_user::text, ARRAY(
              SELECT rolname::text FROM pg_roles WHERE rolname = ANY ($1) AND pg_has_role(session_user, oid, 'MEMBER'))
            """,
            [.texts(Role.allCases.map(\.rawValue))]
        ).only()
        return SessionRoles(
            login: try row.get(0),
            roles: Set(try row.get(1, as: [String].self).compactMap(Role.init(rawValue:)))
        )
    }

    /// What a session's settings need for it to take a role; nothing where the login may not.
    public func settings(_ role: Role) -> [String: String] {
        roles.contains(role) ? ["role": role.rawValue] : [:]
    }
}
