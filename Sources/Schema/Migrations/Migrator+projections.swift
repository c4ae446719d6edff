internal import Postgres

extension Migrator {
    /// The projections that a migration does not change.
    struct KeptProjections: Sendable {
        /// The groups whose tables differ in this release: they keep their tables and functions until they are rebuilt.
        var groups: [ProjectionGroup] = []
        /// Their functions, by name.
        var functions: [String] = []

        func contains(_ file: ReplaceableFile) -> Bool {
            groups.contains { group in group.members.contains { file.file.hasPrefix("projections/\($0)/") } }
        }
    }

    /// The groups of projections in the files; none where the schema, as some tests have it, keeps no versions of them.
    func projections(_ folder: ReleaseFolder, on connection: Connection) async throws -> [ProjectionFiles] {
        let found = try await connection.query("SELECT to_regclass('projection.version') IS NOT NULL")
        guard try found.only().get(0, as: Bool.self) else { return [] }
        return try ProjectionCatalogue(folder: folder).groups.map { try ProjectionFiles($0, in: folder) }
    }

    func kept(_ projections: [ProjectionFiles], on connection: Connection) async throws -> KeptProjections {
        guard !projections.isEmpty else { return KeptProjections() }
        let rows = try await connection.query(
            """
            SELECT leader, v.objects FROM projection.version v JOIN unnest($1, $2) AS n (leader, tables) USING (leader)
            WHERE v.schema_name = 'projection' AND v.tables <> encode(sha256(convert_to(n.tables, 'UTF8')), 'hex')
            """,
            [.texts(projections.map(\.group.leader)), .texts(projections.map(\.tablesDefinition))]
        )
        var kept = KeptProjections()
        for row in rows {
            let leader: String = try row.get(0)
            kept.functions += try row.get(1, as: [String].self)
            kept.groups += projections.map(\.group).filter { $0.leader == leader }
        }
        return kept
    }
}
