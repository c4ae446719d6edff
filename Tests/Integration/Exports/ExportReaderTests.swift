import EventLog
import Exports
import Foundation
import Postgres
import Testing

/// What is read, in which order, and retention, which waits for it.
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

    /// Chunks that are read at once give the rows that chunks one after another give, in the same order: also where a chunk ends
    /// before its part of the range does, and where only some of the log is of this app.
    @Test(arguments: ["events", "notifications"], [1, 700, 1 << 14, 4 << 20])
    func chunksAtOnceAreInOrder(_ name: String, _ chunkBytes: Int) async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 60)
            for hour in 0..<5 {
                try await exports.append(
                    (0..<40).map { minute in
                        [
                            "kind": "delivery", "at": "2026-01-07T0\(hour):\(minute + 10):00Z", "device": "d\(minute)",
                            "nid": "n\(hour)-\(minute)", "app": hour == 3 || minute % 20 == 0 ? 1 : 2,
                            "data": ["thread_id": String(repeating: "x", count: minute * 37 % 400)],
                        ]
                    }
                )
            }
            try await exports.project()
            let reader = ExportReader(pool: exports.pool)
            let dataset = try await reader.dataset(name)
            let bound = try await reader.bound(dataset, app: 1)
            let range = ExportRange(after: 0, upTo: bound.number)
            let sequential = try reader.stream(dataset, app: 1, range, as: .ndjson, chunkBytes: chunkBytes)
            var expected: [UInt8] = []
            while let bytes = try await sequential.next() { expected += bytes }
            let atOnce = try reader.stream(dataset, app: 1, range, as: .ndjson, chunkBytes: chunkBytes)
            var bytes: [UInt8] = []
            var reached: Int64 = 0
            try await atOnce.readAll { chunk in
                #expect(!chunk.isEmpty && chunk.last == UInt8(ascii: "\n"))
                #expect(atOnce.reached > reached)
                reached = atOnce.reached
                bytes += chunk
            }
            #expect(String(decoding: bytes, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
            #expect(atOnce.rows == sequential.rows && atOnce.rows > 100)
            #expect(atOnce.reached == range.upTo)
        }
    }

    /// Who cannot write what was read gets the error, and holds no connection after it.
    @Test func aFailedWriteEndsTheReading() async throws {
        struct Full: Error {}
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 400)
            let pool = Pool(exports.database.configuration, limit: 2)
            let reader = ExportReader(pool: pool)
            let dataset = try await reader.dataset("events")
            let bound = try await reader.bound(dataset, app: 1)
            let range = ExportRange(after: 0, upTo: bound.number)
            let stream = try reader.stream(dataset, app: 1, range, as: .ndjson, chunkBytes: 1 << 12)
            var chunks = 0
            await #expect(throws: Full.self) {
                try await stream.readAll { _ in
                    chunks += 1
                    if chunks == 3 { throw Full() }
                }
            }
            #expect(chunks == 3)
            // Both can be had at once.
            try await pool.withConnection { _ in try await pool.withConnection { _ in } }
            await pool.shutDown()
        }
    }
}
