import Exports
import Foundation
import Logging
import Postgres
import Projections
import Schema
import Testing

/// A feed of rows that several lanes write: each change once, though one lane stands still while another goes on.
struct ExportLanesTests {
    @Test(
        "what one lane changes is exported while the other stands still, and what the other changes later is not missed"
    )
    func apart() async throws {
        try await ExportsDatabase.with { exports in
            let sql = try ReleaseFolder.locate()
            let group = try ProjectionCatalogue(folder: sql).group(named: "notification")
            _ = try await ProjectionRebuild(
                exports.database.configuration,
                files: try ProjectionFiles(group, in: sql),
                lanes: 2,
                logger: Logger(label: "exports.rebuild")
            ).run { _ in }
            try await exports.append(
                (1...12).map {
                    [
                        "kind": "presentation", "device": "d\($0)", "nid": "n\($0)", "at": "2026-01-05T10:00:00Z",
                        "data": ["category_id": "news", "options": ["banner"]],
                    ]
                }
            )
            try await exports.project()
            #expect(try await exports.rows("notifications").count == 12)

            // It bears on the notifications of every device, and is itself an event of one.
            try await exports.append([
                [
                    "kind": "category_registration", "device": "d1", "at": "2026-01-05T09:00:00Z",
                    "data": ["categories": [["id": "news", "options": ["custom_dismiss_action"]]]],
                ]
            ])
            var changed: [Set<String>] = []
            for lane in [0, 1] as [Int16] {
                try await exports.apply(group, lane: lane)
                let rows = try await exports.rows("notifications")
                #expect(rows.allSatisfy { $0["dismiss_observable"] as? Bool == true })
                changed.append(Set(rows.compactMap { $0["notification_id"] as? String }))
            }
            #expect(changed.allSatisfy { !$0.isEmpty } && changed[0].isDisjoint(with: changed[1]))
            #expect(changed[0].union(changed[1]) == Set((1...12).map { "n\($0)" }))
        }
    }
}

extension ExportsDatabase {
    /// Applies one lane of a group to what is settled, and no other.
    fileprivate func apply(_ group: ProjectionGroup, lane: Int16) async throws {
        let worker = try await database.connect()
        try await worker.withTransaction { worker in
            let row = try await worker.query(
                """
                SELECT c.position, s.settled_position FROM projection.checkpoint c, log.state s
                WHERE c.name = $1 AND c.lane = $2
                """,
                [.text(group.leader), .int2(lane)]
            ).only()
            let (from, last): (Int64, Int64) = (try row.get(0), try row.get(1))
            try await group.apply(lane: lane, after: from, upTo: last, on: worker)
            try await worker.query(
                "SELECT projection.move('projection', $1, $2, $3, $4)",
                [.text(group.leader), .int2(lane), .int8(from), .int8(last)]
            )
        }
        await worker.close()
    }
}
