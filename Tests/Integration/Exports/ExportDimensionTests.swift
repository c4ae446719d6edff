import Foundation
import Postgres
import Testing

/// What an app names itself, and what its devices say of Live Activities, in exports.
struct ExportDimensionTests {
    @Test("notifications have the values of own dimensions; none while the table that is in use has no column for them")
    func ownDimensions() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.connection.query("SELECT notilog.name_dimensions(1, '{tier,size}')")
            let attributes: [[String: Any]] = [["tier": "gold", "size": 7, "note": "x"], ["note": "y"]]
            try await exports.append(
                attributes.enumerated().map { number, attributes in
                    [
                        "kind": "request", "device": "d\(number)", "nid": "n", "at": "2026-01-05T10:00:00Z",
                        "data": ["origin": "provider", "trigger": ["type": "push"], "attributes": attributes]
                            as [String: Any],
                    ]
                }
            )
            try await exports.project()
            func exported(_ cursor: String) async throws -> [String?: [String: String]?] {
                let rows = try await exports.rows("notifications", cursor: cursor)
                return Dictionary(
                    uniqueKeysWithValues: rows.map {
                        ($0["device_id"] as? String, $0["attributes"] as? [String: String])
                    }
                )
            }
            #expect(try await exported("a") == ["d0": ["tier": "gold", "size": "7"], "d1": nil])
            // As after an upgrade, until the group is rebuilt.
            try await exports.connection.query("ALTER TABLE projection.notification DROP COLUMN attributes CASCADE")
            #expect(try await exported("b") == ["d0": nil, "d1": nil])
        }
    }

    @Test("settings say whether Live Activities are on")
    func liveActivities() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append([
                [
                    "kind": "settings", "device": "d", "at": "2026-01-05T10:00:00Z",
                    "data": ["authorization_status": "authorized", "live_activities": "disabled"],
                ]
            ])
            try await exports.project()
            let rows = try await exports.rows("device_settings")
            #expect(rows.map { $0["live_activities"] as? String } == ["disabled"])
        }
    }
}
