import Exports
import Foundation
import Postgres
import Testing

/// Those who depend on exports: retention, which waits for them, and a warehouse, which takes them in.
struct ExportReaderTests {
    @Test func retentionWaitsForTheCursorsOfTheLog() async throws {
        try await ExportsDatabase.with { exports in
            func holders() async throws -> String {
                try await exports.text(
                    "SELECT unnest(held_by) FROM log.retention_plan('2026-02-01', '{}') WHERE name = 'event_2026_01'"
                )
            }
            try await exports.append(many: 5)
            _ = try await exports.request("events", cursor: "held").run()
            #expect(try await !holders().contains("export held"))
            try await exports.append(many: 5)
            #expect(try await holders().contains("export held at position 5"))
            // A cursor of another dataset reads no log.
            _ = try await exports.rows("notifications", cursor: "free")
            #expect(try await !holders().contains("export free"))
            _ = try await exports.request("events", cursor: "held").run()
            #expect(try await !holders().contains("export held"))
        }
    }

    /// The statement of docs/exports.md, as it stands there.
    private static func merge() throws -> String {
        let folder = URL(fileURLWithPath: try SQLFolder.locate().path).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("docs/exports.md"), encoding: .utf8)
        let start = try #require(text.firstRange(of: "MERGE INTO notifications"))
        let end = try #require(text[start.lowerBound...].firstRange(of: "```"))
        return String(text[start.lowerBound..<end.lowerBound])
    }

    @Test func theDocumentedMergeKeepsACopy() async throws {
        try await ExportsDatabase.with { exports in
            let merge = try Self.merge()
            let copy = exports.connection
            try await copy.execute(
                script: """
                    CREATE TABLE notifications (row_id uuid PRIMARY KEY, change bigint, cohort_at timestamptz, responded boolean);
                    CREATE TABLE batch (row_id uuid, change bigint, cohort_at timestamptz, responded boolean, tombstone boolean);
                    """
            )
            func notification(_ kind: String, _ n: Int, _ data: [String: Any]) -> [String: Any] {
                ["kind": kind, "device": "d\(n)", "nid": "n\(n)", "at": "2026-01-05T10:00:00Z", "data": data]
            }
            var files: [[[String: Any]]] = []
            for round in 0..<4 {
                try await exports.append(
                    (1...6).map { notification("request", round * 3 + $0, ["origin": "app", "alerting": true]) }
                        + [notification("action_response", round + 1, ["action_id": "default"])]
                )
                try await exports.project()
                if round == 3 {
                    try await copy.query("DELETE FROM projection.notification WHERE device_id = 'd2'")
                    try await copy.query("UPDATE export.feed SET basis = ''")
                }
                files.append(try await exports.rows("notifications"))
            }
            // Each twice, as a loader that died between load and commit would.
            for rows in files.flatMap({ [$0, $0] }) {
                try await copy.query("TRUNCATE batch")
                try await copy.query(
                    "INSERT INTO batch SELECT * FROM jsonb_populate_recordset(NULL::batch, $1)",
                    [.jsonb(Array(try JSONSerialization.data(withJSONObject: rows)))]
                )
                try await copy.query(merge, cached: false)
            }
            let columns = "cohort_at || ' ' || responded"
            let kept = try await exports.text("SELECT \(columns) FROM notifications ORDER BY 1")
            #expect(kept == (try await exports.text("SELECT \(columns) FROM projection.notification ORDER BY 1")))
            #expect(kept.split(separator: "\n").count == 14)
        }
    }
}
