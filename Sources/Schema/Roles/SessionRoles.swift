public import Postgres

/// The roles that the service's sessions take, of those that its login is a member of (`sql/roles.sql`): each may do what
/// its sessions do and no more, whatever else the login may.
public struct SessionRoles: Sendable, Equatable {
    /// What a session does.
    public enum Role: String, Sendable, CaseIterable {
        /// Takes events in and answers requests.
        case writer = "notilog_writer"
        /// Settles the log and applies projections.
        case projector = "notilog_projector"
    }

    /// The login.
    public var login: String
    /// The roles that the login may take.
    public var roles: Set<Role>

    /// Finds out which roles there are for this session's login.
    ///
    /// - Throws: `PostgresError`.
    public static func find(on connection: Connection) async throws -> SessionRoles {
        let rows = try await connection.query(
            """
            SELECT session_user::text, r.rolname::text FROM pg_roles u
            LEFT JOIN pg_roles r ON r.rolname = ANY($1) AND pg_has_role(u.oid, r.oid, 'MEMBER')
            WHERE u.rolname = session_user
            """,
            [.texts(Role.allCases.map(\.rawValue))]
        )
        let names = Set(try rows.compactMap { try $0.get(1, as: String?.self) })
        return SessionRoles(
            login: try rows.first?.get(0) ?? "",
            roles: Set(Role.allCases.filter { names.contains($0.rawValue) })
        )
    }

    /// What a session's settings need for it to take a role; nothing where the login may not.
    public func settings(_ role: Role) -> [String: String] {
        roles.contains(role) ? ["role": role.rawValue] : [:]
    }
}
