import Foundation
import Postgres
import Testing

/// What a chunk of an export reads is bounded by its own rows, however many the dataset has.
@Suite("Exports: work")
struct ExportWorkTests {
    @Test("a chunk of engagement, which sums rows of lanes, reads no more where clients have invented more names")
    func chunk() async throws {
        try await ExportsDatabase.with { exports in
            var blocks: [Int] = []
            for names in [0..<60, 60..<300] {
                try await exports.append(
                    names.map {
                        [
                            "kind": "presentation", "device": "d\($0)", "nid": "n\($0)", "at": "2026-01-05T10:00:00Z",
                            "data": ["category_id": "made-up \($0)", "options": ["banner"]],
                        ]
                    }
                )
                try await exports.project()
                #expect(try await exports.rows("engagement").count >= names.upperBound)
                blocks.append(try await exports.blocksOfChunk("engagement", rows: 200))
            }
            #expect(blocks[0] > 0 && blocks[1] < 2 * blocks[0], "\(blocks) blocks for a chunk of the same 200 rows")
        }
    }
}

extension ExportsDatabase {
    /// The blocks that a chunk of so many rows takes, from memory or disk.
    fileprivate func blocksOfChunk(_ dataset: String, rows: Int64) async throws -> Int {
        try await connection.withTransaction { connection in
            try await connection.query("SELECT export.only_index_lookups()")
            let first = try await connection.query("SELECT min(change) FROM export.\(dataset)_row WHERE app_id = 1")
                .only()
                .get(0, as: Int64.self)
            let query = try await connection.query(
                "SELECT export.chunk($1, 1, $2, $3)",
                [.text(dataset), .int8(first - 1), .int8(first - 1 + rows)]
            ).only().get(0, as: String.self)
            let plan = try await connection.query("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(query)", cached: false)
                .only()
                .get(0, as: String.self)
            let parsed = try JSONSerialization.jsonObject(with: Data(plan.utf8)) as? [[String: Any]]
            let root = try #require(parsed?.first?["Plan"] as? [String: Any])
            return ["Shared Hit Blocks", "Shared Read Blocks"].reduce(0) { $0 + (root[$1] as? Int ?? 0) }
        }
    }
}
