public import Postgres

/// A named cursor, as stored in the database.
public struct ExportCursor: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// The app that it is for.
    public var app: String
    /// The dataset that it is for.
    public var dataset: String
    /// Exported up to here: a position for events, else a change number.
    public var done: Int64
    /// Whether the log still is the one that `done` belongs to.
    public var isKnown: Bool
    /// Whether a run is under way.
    public var isRunning: Bool
    /// The file of a run that has not finished.
    public var pendingFile: String?
    /// When it last moved, in microseconds since 1970.
    public var updatedAt: Int64
}

extension ExportCursor {
    /// Checks that a text is a valid cursor name: it becomes part of file names.
    ///
    /// - Throws: ``ExportError`` if it is not.
    static func check(name: String) throws(ExportError) {
        let isAccepted = name.utf8.count <= 63 && (try? /[a-z0-9][a-z0-9._-]*/.wholeMatch(in: name)) != nil
        guard isAccepted else {
            throw ExportError(
                .invalidCursor,
                "a cursor name has at most 63 characters: a–z, 0–9, dot, underscore and hyphen; it starts with a letter or digit"
            )
        }
    }

    /// Every cursor, by name.
    ///
    /// - Throws: `PostgresError`.
    public static func all(_ pool: Pool) async throws -> [ExportCursor] {
        try await pool.query("SELECT * FROM export.cursor_list()").map {
            ExportCursor(
                name: try $0.get(0),
                app: try $0.get(1),
                dataset: try $0.get(2),
                done: try $0.get(3),
                isKnown: try $0.get(4),
                isRunning: try $0.get(5),
                pendingFile: try $0.get(6),
                updatedAt: try $0.get(7)
            )
        }
    }

    /// Sets a cursor back to the beginning: its next run exports everything again, into another folder.
    ///
    /// - Throws: ``ExportError`` if there is no such cursor, or a run is under way; `PostgresError`.
    public static func reset(_ name: String, _ pool: Pool) async throws {
        try await change(name, "SELECT export.cursor_reset($1)", pool)
    }

    /// Deletes a cursor; its files stay.
    ///
    /// - Throws: as ``reset(_:_:)``.
    public static func drop(_ name: String, _ pool: Pool) async throws {
        try await change(name, "SELECT export.cursor_drop($1)", pool)
    }

    private static func change(_ name: String, _ statement: String, _ pool: Pool) async throws {
        let found: Bool = try await pool.withTransaction { connection in
            let lock = try await connection.query(
                "SELECT lock.try_held($1)",
                [.text(lockName(name))]
            )
            guard try lock.only().get(0) else { throw busy(name) }
            return try await connection.query(statement, [.text(name)]).only().get(0)
        }
        guard found else {
            throw ExportError(
                .unknownCursor,
                "there is no cursor \(name): `notilog export cursors list` lists the cursors"
            )
        }
    }

    /// The lock that a run of a cursor holds (`export.cursor_list`).
    static func lockName(_ name: String) -> String { "export cursor \(name)" }

    static func busy(_ name: String) -> ExportError {
        ExportError(.busy, "another run of cursor \(name) is under way: wait until it ends, or use another cursor")
    }
}
