public import Postgres

/// The SQL that makes a version of a group of projections: tables and views first, then functions.
public struct ProjectionFiles: Sendable, Equatable {
    /// The group.
    public let group: ProjectionGroup
    /// Every member's `table.sql`, in the order in which they are applied.
    public let tables: String
    /// Every member's `apply.sql` or `fold.sql`, in the same order.
    public let functions: String

    /// Reads the files of one group.
    ///
    /// - Throws: ``SchemaError``.
    public init(_ group: ProjectionGroup, in folder: ReleaseFolder) throws(SchemaError) {
        var tables = ""
        var functions = ""
        for member in group.members {
            if folder.list("projections/\(member)").contains("table.sql") {
                tables += try folder.read("projections/\(member)/table.sql")
            }
            if let file = ProjectionDefinition.file(of: member, in: folder) { functions += try folder.read(file) }
        }
        self.group = group
        self.tables = tables
        self.functions = functions
    }

    /// What ``tables`` comes to: without comments and with single spaces, so that only what makes a difference does.
    public var tablesDefinition: String { Self.essence(group, tables) }
    /// What ``functions`` comes to.
    public var functionsDefinition: String {
        Self.essence(group, functions) + (group.fold.map { " fold \($0)" } ?? "")
    }

    private static func essence(_ group: ProjectionGroup, _ sql: String) -> String {
        let words = sql.split(separator: "\n").map(\.withoutComment).joined(separator: " ").split {
            $0 == " " || $0 == "\t" || $0 == "\r"
        }
        return (group.members + words.map(String.init)).joined(separator: " ")
    }

    /// Makes the objects in the first schema of the session's `search_path`, where they are not there.
    ///
    /// - Throws: ``PostgresError``.
    public func make(on connection: Connection) async throws {
        // Bodies may name functions that come later.
        try await connection.execute(script: "SET LOCAL check_function_bodies = off; " + tables)
        try await connection.execute(script: functions)
        let schema: String = try await connection.query("SELECT current_schema()::text").only().get(0)
        try await connection.describe([tables, functions].flatMap { SQLComments($0, schema: schema).all })
    }

    /// Writes down that a schema holds this version, once ``make(on:)`` made it there.
    ///
    /// - Parameter lanes: the number of lanes of a new version; nil for the group's default.
    /// - Returns: the number of the version.
    /// - Throws: ``PostgresError``.
    @discardableResult
    public func register(schema: String, lanes: Int16? = nil, on connection: Connection) async throws -> Int64 {
        try await connection.query(
            "SELECT projection.register($1, $2, $3, $4, $5, $6)",
            [
                .text(schema), .text(group.leader), .texts(group.members), .text(tablesDefinition),
                .text(functionsDefinition), .int2(lanes ?? group.lanes ?? 1),
            ]
        ).only().get(0)
    }
}
