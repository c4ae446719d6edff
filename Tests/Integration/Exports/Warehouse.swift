import Exports
import Foundation
import Postgres
import Schema
import Testing

/// A warehouse that takes in what is exported, by the one MERGE of the README and nothing else.
struct Warehouse: Sendable {
    static let datasets = ["events", "notifications", "device_settings", "device_tokens", "engagement"]

    private struct Column: Sendable {
        var name: String
        var type: String
    }

    let connection: Connection
    private let url: String
    private let merges: [String: String]
    private let columns: [String: [Column]]

    /// Makes its tables, in the schema `warehouse` of the database that is exported.
    init(_ database: TestDatabase, _ connection: Connection) async throws {
        self.connection = connection
        url = database.url
        let merge = try Self.merge("README.md")
        #expect(try merge == Self.merge("docs/exports.md"))
        var merges: [String: String] = [:]
        var columns: [String: [Column]] = [:]
        try await connection.query("CREATE SCHEMA warehouse")
        for dataset in Self.datasets {
            let all = try await connection.query(
                "SELECT name, CASE type WHEN 'bytea' THEN 'text' ELSE type END FROM export.columns($1)",
                [.text(dataset)]
            ).map { Column(name: try $0.get(0), type: try $0.get(1)) }
            columns[dataset] = all
            let key = dataset == "events" ? "position" : "row_id"
            let definition = all.map { "\"\($0.name)\" \($0.type)" }.joined(separator: ", ")
            try await connection.query("CREATE TABLE warehouse.\(dataset) (\(definition), PRIMARY KEY (\(key)))")
            try await connection.query("CREATE TABLE warehouse.\(dataset)_batch (\(definition))")
            merges[dataset] = Self.filled(merge, dataset, all.map(\.name))
        }
        self.merges = merges
        self.columns = columns
    }

    /// The statement as it stands in a document.
    private static func merge(_ document: String) throws -> String {
        let folder = URL(fileURLWithPath: try ReleaseFolder.locate().path).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent(document), encoding: .utf8)
        let start = try #require(text.firstRange(of: "MERGE INTO notifications"))
        let end = try #require(text[start.lowerBound...].firstRange(of: "```"))
        return String(text[start.lowerBound..<end.lowerBound])
    }

    /// The statement for a dataset, with "the rest" of its columns, as the documents say.
    private static func filled(_ merge: String, _ dataset: String, _ names: [String]) -> String {
        let isLog = dataset == "events"
        let rest = names.filter { !["row_id", "change", "tombstone", "position"].contains($0) }
        func list(_ one: (String) -> String) -> String { rest.map(one).joined(separator: ", ") }
        var merge =
            merge
            .replacing("INTO notifications", with: "INTO warehouse.\(dataset)")
            .replacing("FROM batch", with: "FROM warehouse.\(dataset)_batch")
            .replacing("cohort_at = s.cohort_at, responded = s.responded", with: list { "\"\($0)\" = s.\"\($0)\"" })
            .replacing("s.cohort_at, s.responded", with: list { "s.\"\($0)\"" })
            .replacing("cohort_at, responded", with: list { "\"\($0)\"" })
        if isLog {
            merge =
                merge
                .replacing("SET change = s.change, ", with: "SET ")
                .replacing("row_id, change, ", with: "position, ")
                .replacing("s.row_id, s.change, ", with: "s.position, ")
                .replacing("s.position, s.change, ", with: "s.position, ")
                .replacing("row_id", with: "position")
                .replacing("change", with: "position")
        }
        return merge
    }

    /// Takes a file in.
    func load(_ file: URL, _ dataset: String) async throws {
        try await connection.query("TRUNCATE warehouse.\(dataset)_batch")
        let unpacked = "case \"$1\" in *.gz) gzip -dc \"$1\" ;; *) cat \"$1\" ;; esac"
        if file.lastPathComponent.contains(".csv") {
            let copied = try await NotilogCommand.runProgram(
                "/bin/sh",
                [
                    "-c", "(\(unpacked)) | psql -Xq \"$2\" -c \"$3\"", "sh", file.path, url,
                    "COPY warehouse.\(dataset)_batch FROM STDIN (FORMAT csv, HEADER match)",
                ]
            )
            #expect(copied.status == 0 && copied.errors.isEmpty, "\(copied.errors)")
        } else {
            let text = try await NotilogCommand.runProgram("/bin/sh", ["-c", unpacked, "sh", file.path]).output
            for line in text.split(separator: "\n")
            where (try? JSONSerialization.jsonObject(with: Data(line.utf8))) == nil {
                Issue.record("no JSON in \(file.lastPathComponent): \(line)")
            }
            let rows = "[" + text.split(separator: "\n").joined(separator: ",") + "]"
            try await connection.query(
                """
                INSERT INTO warehouse.\(dataset)_batch
                SELECT * FROM jsonb_populate_recordset(NULL::warehouse.\(dataset)_batch, $1)
                """,
                [.jsonb(Array(rows.utf8))]
            )
        }
        try await connection.query(merges[dataset] ?? "", cached: false)
    }

    /// How the warehouse's table differs from the live rows: rows of which only one of the two knows.
    func differences(_ dataset: String) async throws -> String {
        let names = (columns[dataset] ?? []).filter { !["row_id", "change", "tombstone"].contains($0.name) }
        let live = names.map { column in
            switch column.type {
            case "timestamp with time zone": "CASE WHEN isfinite(\"\(column.name)\") THEN \"\(column.name)\" END"
            case "jsonb" where dataset == "events": "substr(\"\(column.name)\", 2)::jsonb"
            case "text" where column.name == "token": "encode(token, 'hex')"
            default: "\"\(column.name)\""
            }
        }
        let here = "SELECT \(names.map { "\"\($0.name)\"" }.joined(separator: ", ")) FROM warehouse.\(dataset)"
        let there = "SELECT \(live.joined(separator: ", ")) FROM export.\(dataset)(1)"
        // A bucket that is empty now is gone there, and zero here.
        let some = dataset == "engagement" ? "WHERE (to_jsonb(d)->>'notifications')::bigint > 0" : ""
        // What an erased device left, and push results that only its token told of, was here before or not.
        let missing =
            dataset == "events"
            ? "WHERE NOT log.is_surrogate(device_id) AND NOT (kind = 'push_result' AND device_id = '')" : some
        return try await connection.value(
            """
            SELECT coalesce(string_agg(left(d, 600), E'\\n'), '') FROM (
              SELECT 'only here: ' || to_jsonb(d)::text FROM (\(here) EXCEPT ALL \(there)) d \(some)
              UNION ALL
              SELECT 'only there: ' || to_jsonb(d)::text FROM (\(there) EXCEPT ALL \(here)) d \(missing)
              LIMIT 6
            ) x (d)
            """
        )
    }
}
