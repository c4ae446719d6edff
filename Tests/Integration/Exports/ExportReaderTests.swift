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
}
