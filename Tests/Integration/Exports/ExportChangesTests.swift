import Exports
import Foundation
import Postgres
import Testing

/// Datasets whose rows change: each change once, under a number that a rebuild does not move.
struct ExportChangesTests {
    private static func request(_ n: Int, device: String = "d1", at: String = "2026-01-05T10:00:00Z") -> [String: Any] {
        [
            "kind": "request", "device": device, "nid": "n\(n)", "at": at,
            "data": ["origin": "app", "alerting": true, "category_id": "news"],
        ]
    }

    private static func event(
        _ kind: String,
        _ n: Int,
        at: String,
        device: String = "d1",
        _ data: [String: Any]
    ) -> [String: Any] {
        ["kind": kind, "device": device, "nid": "n\(n)", "at": at, "data": data]
    }

    @Test func lateEventsRestateWhatTheyChangeAndNothingElse() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append((1...5).map { Self.request($0) })
            try await exports.project()
            let first = try await exports.rows("notifications")
            #expect(first.count == 5)
            #expect(try await exports.rows("notifications").isEmpty)

            try await exports.append([
                Self.event("action_response", 3, at: "2026-01-05T10:05:00Z", ["action_id": "default"]),
                Self.request(6, device: "d2"),
            ])
            try await exports.project()
            let second = try await exports.rows("notifications")
            #expect(Set(second.compactMap { $0["notification_id"] as? String }) == ["n3", "n6"])
            let old = try #require(first.first { $0["notification_id"] as? String == "n3" })
            let new = try #require(second.first { $0["notification_id"] as? String == "n3" })
            #expect(old["responded"] as? Bool == false && new["responded"] as? Bool == true)
            #expect(old["row_id"] as? String == new["row_id"] as? String)
            let changes = (first + second).compactMap { $0["change"] as? Int }
            #expect(changes == Array(1...7))
        }
    }

    /// What a warehouse that takes the highest change of each row ends up with is the table.
    @Test(arguments: ["notifications", "device_settings", "device_tokens", "engagement"])
    func takenTogetherTheChangesAreTheTable(_ dataset: String) async throws {
        try await ExportsDatabase.with { exports in
            var copy: [String: [String: Any]] = [:]
            for round in 0..<4 {
                try await exports.append((1...20).flatMap { Self.round(round, $0) })
                try await exports.project()
                for row in try await exports.rows(dataset) {
                    let id = try #require(row["row_id"] as? String)
                    let known = copy[id]?["change"] as? Int ?? 0
                    #expect(try #require(row["change"] as? Int) > known)
                    copy[id] = row
                }
                let names: [String] = try await exports.connection.query(
                    "SELECT name FROM export.row_columns($1)",
                    [.text(dataset)]
                ).map { try $0.get(0) }
                let live = try await exports.text("SELECT (to_jsonb(v) - 'app_id')::text FROM export.\(dataset)(1) v")
                let expected = Set(live.split(separator: "\n").map { Self.canonical(String($0), names) })
                let rows = copy.values.filter { $0["tombstone"] as? Bool == false && !Self.isZero($0) }
                #expect(Set(rows.map { Self.canonical($0, names) }) == expected, "round \(round)")
                #expect(!expected.isEmpty)
            }
        }
    }

    private static func round(_ round: Int, _ n: Int) -> [[String: Any]] {
        let device = "d\(n % 4)"
        let token = String(repeating: "a\((n + round) % 5)", count: 32)
        return [
            request(n, device: device, at: "2026-01-0\(5 - round)T10:00:00Z"),
            event(
                "presentation",
                n,
                at: "2026-01-0\(5 + round)T10:00:0\(n % 10)Z",
                device: device,
                ["surface": "foreground", "options": ["banner"], "category_id": "c\(round)"]
            ),
            [
                "kind": "settings", "device": device, "at": "2026-01-0\(1 + round)T09:00:00Z",
                "data": ["authorization_status": (n + round) % 3 == 0 ? "denied" : "authorized"],
            ],
            [
                "kind": "token", "device": device, "token": token, "at": "2026-01-0\(1 + round)T08:\(n + 10):00Z",
                "data": ["state": "registered", "provider": "apns", "type": "alert", "environment": "production"],
            ],
        ]
    }

    private static func isZero(_ row: [String: Any]) -> Bool {
        row["notifications"] as? Int == 0
    }

    private static func canonical(_ row: [String: Any], _ names: [String]) -> String {
        names.map { "\($0)=\(text(row[$0]))" }.joined(separator: "|")
    }

    private static func canonical(_ json: String, _ names: [String]) -> String {
        canonical((try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]) ?? [:], names)
    }

    /// Times and digests in the one way or the other.
    private static func text(_ value: Any?) -> String {
        guard let value, !(value is NSNull) else { return "-" }
        var text = "\(value)"
        if text.hasPrefix("\\x") { text.removeFirst(2) }
        if text == "-infinity" { return "-" }
        return text.replacing("+00:00", with: "").replacing(".000000Z", with: "")
    }

    @Test func aRebuildRestatesNothing() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append((1...10).flatMap { Self.round(0, $0) })
            try await exports.project()
            for dataset in ["notifications", "device_settings", "device_tokens", "engagement"] {
                #expect(try await !exports.rows(dataset, cursor: dataset).isEmpty)
            }
            // As a rebuild leaves them: other tables of the same names, filled from the log.
            try await exports.connection.query(
                """
                DO $$
                DECLARE "table" regclass;
                BEGIN
                  FOR "table" IN SELECT format('projection.%I', tablename)::regclass FROM pg_tables
                    WHERE schemaname = 'projection' AND tablename NOT IN ('checkpoint', 'version', 'set_aside')
                  LOOP
                    EXECUTE 'TRUNCATE ' || "table";
                  END LOOP;
                  UPDATE projection.checkpoint SET position = 0;
                END $$
                """
            )
            try await exports.project()
            // Another table makes it look at every row.
            try await exports.connection.query("UPDATE export.feed SET basis = ''")
            for dataset in ["notifications", "device_settings", "device_tokens", "engagement"] {
                #expect(try await exports.rows(dataset, cursor: dataset).isEmpty, "\(dataset)")
            }
        }
    }

    @Test func bucketsThatBecameEmptyComeAsZeros() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append([Self.request(1, at: "2026-01-05T10:00:00Z")])
            try await exports.project()
            let first = try await exports.rows("engagement")
            #expect(first.contains { $0["bucket"] as? String == "2026-01-05T10:00:00.000000Z" })
            // An earlier request moves the notification's cohort to another bucket.
            try await exports.append([Self.request(1, at: "2026-01-03T08:00:00Z")])
            try await exports.project()
            let second = try await exports.rows("engagement")
            let left = try #require(second.first { $0["bucket"] as? String == "2026-01-05T10:00:00.000000Z" })
            #expect(left["notifications"] as? Int == 0 && left["requested"] as? Int == 0)
            #expect(left["tombstone"] as? Bool == false && left["grain"] as? String == "quarter_hour")
            #expect(second.contains { $0["notifications"] as? Int == 1 })
        }
    }

    @Test func rowsThatAreGoneComeAsTombstones() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append([Self.request(1), Self.request(2, device: "d2")])
            try await exports.project()
            let first = try await exports.rows("notifications")
            let gone = try #require(first.first { $0["notification_id"] as? String == "n2" })
            try await exports.connection.query("DELETE FROM projection.notification WHERE device_id = 'd2'")
            try await exports.connection.query("UPDATE export.feed SET basis = ''")
            let rows = try await exports.rows("notifications")
            #expect(rows.count == 1)
            #expect(rows.first?["tombstone"] as? Bool == true && rows.first?["device_id"] is NSNull)
            #expect(rows.first?["row_id"] as? String == gone["row_id"] as? String)
        }
    }
}
