internal import Postgres

/// A numbered step of the schema, applied once and never changed.
struct Migration: Sendable, Equatable {
    /// Its number, from the file name `NNNN_name.sql`.
    var version: Int32
    /// The file's name.
    var file: String
    var sql: String
    /// SHA-256 of the text, as hexadecimal.
    var checksum: String
    /// The oldest service, by the number of its own newest migration, that works on the schema after this one: what the
    /// header says in `-- oldest service: N`, else only services that have this migration.
    var oldestService: Int32
}

/// A file that is applied again whenever it or another of its kind changed: functions, projections' tables, reports.
struct ReplaceableFile: Sendable, Equatable {
    var file: String
    var sql: String
    /// The schema that unqualified names of the file are in, and those it reads.
    var searchPath: String
}

/// What a ``ReleaseFolder`` holds, as it was when it was read.
public struct SQLFiles: Sendable {
    var migrations: [Migration]
    var replaceable: [ReplaceableFile]
    /// One checksum of all of `replaceable`, names included.
    var replaceableChecksum: String
    /// What makes the roles and says what each may do; nil where the folder has no `roles.sql`.
    var roles: String?

    /// Reads the folder; the checksums are computed by the server, which has SHA-256 at hand.
    static func read(_ folder: ReleaseFolder, on connection: Connection) async throws -> SQLFiles {
        var migrations: [Migration] = []
        for file in folder.list("migrations") where file.hasSuffix(".sql") {
            guard let version = Int32(file.prefix { $0 != "_" }) else {
                throw SchemaError("sql/migrations/\(file) does not begin with a number")
            }
            let sql = try folder.read("migrations/\(file)")
            let oldest = try oldestService(sql, file: file, version: version)
            migrations.append(Migration(version: version, file: file, sql: sql, checksum: "", oldestService: oldest))
        }
        migrations.sort { $0.version < $1.version }
        guard Set(migrations.map(\.version)).count == migrations.count else {
            throw SchemaError("two files of sql/migrations have the same number")
        }
        let replaceable = try replaceableFiles(folder)
        let whole = replaceable.map { "\($0.file)\n\($0.searchPath)\n\($0.sql)" }.joined(separator: "\n")
        let checksums = try await connection.query(
            """
            SELECT encode(sha256(convert_to(text, 'UTF8')), 'hex')
            FROM unnest($1) WITH ORDINALITY AS t (text, ordinal) ORDER BY ordinal
            """,
            [.texts(migrations.map(\.sql) + [whole])],
            cached: false
        )
        for index in migrations.indices { migrations[index].checksum = try checksums[index].get(0) }
        return SQLFiles(
            migrations: migrations,
            replaceable: replaceable,
            replaceableChecksum: try checksums[migrations.count].get(0),
            roles: folder.list("").contains("roles.sql") ? try folder.read("roles.sql") : nil
        )
    }

    /// What the files say of the objects that they make.
    func comments(where isApplied: (ReplaceableFile) -> Bool) -> [SQLComment] {
        let files =
            migrations.map { ($0.sql, nil as String?) }
            + replaceable.filter(isApplied).map { ($0.sql, $0.searchPath.split(separator: ",").first.map(String.init)) }
        return files.flatMap { SQLComments($0.0, schema: $0.1).all }
    }

    /// Reads `oldest service` from a migration's header.
    private static func oldestService(_ sql: String, file: String, version: Int32) throws(SchemaError) -> Int32 {
        guard let field = SQLHeader(sql)["oldest service"].first else { return version }
        guard let number = Int32(field.text), number > 0, number <= version else {
            throw SchemaError("sql/migrations/\(file): `-- \(field.name):` takes a number up to \(version)")
        }
        return number
    }

    private static func replaceableFiles(_ folder: ReleaseFolder) throws(SchemaError) -> [ReplaceableFile] {
        var names = ["notilog", "lock", "log", "cells"].flatMap { part in
            folder.list(part).map { ("\(part)/\($0)", "log, notilog, pg_catalog, public") }
        }
        names += folder.list("upcasting").map { ("upcasting/\($0)", "log, notilog, pg_catalog, public") }
        let projections = folder.list("projections")
        // What all projections share, then the tables of every projection before the functions of any, as those may read each other's.
        names += projections.map { ("projections/\($0)", "projection, log, pg_catalog, public") }
        for part in ["table.sql", "apply.sql", "fold.sql"] {
            for name in projections where folder.list("projections/\(name)").contains(part) {
                names.append(("projections/\(name)/\(part)", "projection, log, pg_catalog, public"))
            }
        }
        names += folder.list("exports").map { ("exports/\($0)", "export, projection, log, pg_catalog, public") }
        names += folder.list("reports").map {
            ("reports/\($0)", "report, reporting, projection, log, pg_catalog, public")
        }
        var files: [ReplaceableFile] = []
        for (file, path) in names where file.hasSuffix(".sql") {
            files.append(ReplaceableFile(file: file, sql: try folder.sql(file), searchPath: path))
        }
        return files
    }
}
