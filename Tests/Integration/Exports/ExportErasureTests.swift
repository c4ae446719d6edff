import EventLog
import Exports
import Foundation
import Postgres
import Testing

/// Promise 12, as far as exports go: a device that is erased leaves later exports, and tombstones lead to what earlier ones
/// hold of it.
struct ExportErasureTests {
    private static let token = String(repeating: "ab", count: 32)

    private static func events(_ device: String, token: String) -> [[String: Any]] {
        [
            [
                "kind": "request", "device": device, "nid": "n-\(device)", "at": "2026-01-05T10:00:00Z",
                "data": ["origin": "app", "alerting": true, "category_id": "news"],
            ],
            [
                "kind": "settings", "device": device, "at": "2026-01-05T09:00:00Z",
                "data": ["authorization_status": "authorized"],
            ],
            [
                "kind": "token", "device": device, "token": token, "at": "2026-01-05T08:00:00Z",
                "data": ["state": "registered", "provider": "apns", "type": "alert", "environment": "production"],
            ],
            // An answer to a push that only the token says whose it is.
            [
                "kind": "push_result", "token": token, "at": "2026-01-05T11:00:00Z",
                "data": ["provider": "apns", "status": 200, "type": "alert", "environment": "production"],
            ],
        ]
    }

    private func erase(_ device: String, _ exports: ExportsDatabase) async throws {
        try await exports.connection.query("SELECT log.erasure_begin(1, $1)", [.text(device)])
        try await exports.connection.query("CALL log.drain_appends()")
        try await exports.connection.query("SELECT log.erasure_finish(1, $1)", [.text(device)])
        try await exports.connection.query("CALL log.settle(NULL)")
        try await exports.project()
    }

    @Test func tombstonesTakeTheDeviceOutOfEveryCopy() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(Self.events("gone", token: Self.token))
            try await exports.append(Self.events("stays", token: String(repeating: "cd", count: 32)))
            try await exports.project()
            let datasets = ["events", "notifications", "device_settings", "device_tokens", "engagement"]
            var copies: [String: [AnyHashable: [String: Any]]] = [:]
            func take(_ dataset: String) async throws -> [[String: Any]] {
                let rows = try await exports.rows(dataset, cursor: dataset)
                for row in rows {
                    let key = try #require((dataset == "events" ? row["position"] : row["row_id"]) as? AnyHashable)
                    copies[dataset, default: [:]][key] = row["tombstone"] as? Bool == true ? nil : row
                }
                return rows
            }
            for dataset in datasets { _ = try await take(dataset) }
            let counts = copies.mapValues(\.count)
            #expect(counts["events"] == 8 && counts["notifications"] == 2 && counts["device_tokens"] == 2)

            try await erase("gone", exports)
            let before = copies.mapValues { Set($0.keys) }
            for dataset in datasets {
                let rows = try await take(dataset)
                let text = "\(rows)"
                // What is left of it comes under keys that were never given out.
                let keys = rows.filter { $0["tombstone"] as? Bool == false }.compactMap { $0["row_id"] as? AnyHashable }
                #expect(dataset == "engagement" || before[dataset]?.isDisjoint(with: keys) == true, "\(dataset)")
                #expect(!text.contains("gone") && !text.contains(Self.token), "\(dataset): \(text)")
                let left = "\(copies[dataset] ?? [:])"
                #expect(!left.contains("gone") && !left.contains(Self.token), "\(dataset): \(left)")
                #expect(dataset == "engagement" || left.contains("stays"), "\(dataset): \(left)")
                // Counts stand: what is left of the device comes under its surrogate.
                if dataset != "events" { #expect(copies[dataset]?.count == counts[dataset], "\(dataset)") }
            }
            // Of the events, those of the other device and the erasure itself.
            #expect(copies["events"]?.count == 5)
        }
    }

    /// What another device's events carry of it comes again, under the surrogate: those events are not the erased device's.
    @Test func theTokenLeavesTheCopiesOfOtherDevicesEvents() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(Self.events("gone", token: Self.token))
            try await exports.append([
                [
                    "kind": "request", "device": "stays", "nid": "n-stays", "token": Self.token,
                    "at": "2026-01-05T10:00:00Z", "data": ["origin": "provider", "push": ["push_type": "alert"]],
                ]
            ])
            try await exports.project()
            let first = try await exports.rows("events", cursor: "events")
            let own = try #require(first.first { $0["device_id"] as? String == "stays" })
            #expect(own["token"] as? String == Self.token)
            try await erase("gone", exports)
            let again = try await exports.rows("events", cursor: "events")
            let changed = try #require(again.first { $0["position"] as? Int == own["position"] as? Int })
            #expect(changed["tombstone"] as? Bool == false && changed["device_id"] as? String == "stays")
            #expect(changed["token"] is String && !"\(again)".contains(Self.token))
            #expect(again.count { $0["tombstone"] as? Bool == true } == 4 && again.count == 6)
            #expect(try await exports.rows("events", cursor: "events").isEmpty)
        }
    }

    /// A token stays while a device holds it. A reader that came in between has it of the one that was erased first.
    @Test func theTokenLeavesTheCopiesOfADeviceThatWasErasedEarlier() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(Self.events("gone", token: Self.token))
            try await exports.append(Self.events("stays", token: Self.token))
            try await exports.project()
            try await erase("gone", exports)
            var copies: [Int: [String: Any]] = [:]
            func take() async throws {
                for row in try await exports.rows("events") {
                    let position = try #require(row["position"] as? Int)
                    copies[position] = row["tombstone"] as? Bool == true ? nil : row
                }
            }
            try await take()
            let before = copies.count
            #expect(
                copies.values.contains { row in
                    row["token"] as? String == Self.token && (row["device_id"] as? String)?.hasPrefix("erased-") == true
                }
            )
            try await erase("stays", exports)
            try await take()
            #expect(!"\(copies)".contains(Self.token))
            #expect(copies.values.contains { ($0["device_id"] as? String)?.hasPrefix("erased-") == true })
            #expect(copies.count < before, "what it left itself is gone")
        }
    }

    /// Projections still know the token that the device registered: so the erasure finds what names the token alone, and so must readers.
    @Test("what only a token names leaves the copies, also where retention has dropped the token's registration")
    func theTokenOutlivesItsRegistration() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(Self.events("gone", token: Self.token))
            try await exports.project()
            let first = try await exports.rows("events", cursor: "events")
            let answer = try #require(first.first { $0["kind"] as? String == "push_result" })
            try await exports.connection.query("DELETE FROM log.event WHERE device_id = 'gone'")
            try await erase("gone", exports)
            let again = try await exports.rows("events", cursor: "events")
            #expect(
                again.contains {
                    $0["position"] as? Int == answer["position"] as? Int && $0["tombstone"] as? Bool == true
                }
            )
        }
    }

    @Test("numbering and an erasure never pass each other by: one waits, or starts over")
    func anErasureDuringNumbering() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(Self.events("gone", token: Self.token))
            try await exports.project()
            func snapshot() async throws -> Connection {
                let reader = try await exports.database.connect()
                try await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
                try await reader.query("LOCK TABLE projection.checkpoint IN ACCESS SHARE MODE")
                try await reader.query("SELECT count(*) FROM projection.notification")
                return reader
            }
            // Both have been numbered before: the erasure finds their rows, and has to touch them.
            let earlier = try await snapshot()
            try await earlier.query("SELECT export.sync(d, 1) FROM unnest('{notifications,device_settings}'::text[]) d")
            try await earlier.query("COMMIT")
            await earlier.close()
            try await exports.append(Self.events("gone again", token: Self.token))
            try await exports.project()
            let (numbering, late) = (try await snapshot(), try await snapshot())
            try await numbering.query("SELECT export.sync('notifications', 1)")
            let erasing = Task { try await Erasure(exports.database.configuration).erase("gone", app: 1) }
            try await eventually("the erasure waits") {
                try await exports.connection.value(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE application_name = 'notilog erase' AND wait_event_type = 'Lock' AND datname = current_database()
                    """
                ) == 1
            }
            try await numbering.query("COMMIT")
            _ = try await erasing.value
            #expect(
                try await exports.connection.value(
                    "SELECT count(*) FROM export.notifications_row WHERE device_id = 'gone'"
                ) == 0
            )
            await #expect {
                try await late.query("SELECT export.sync('device_settings', 1)")
            } throws: {
                ($0 as? PostgresError)?.sqlState == "40001"
            }
            await numbering.close()
            await late.close()
        }
    }

    /// Events of a device can come back after its erasure, as with a dump or a client that was let in; then it is erased
    /// again, and a reader that comes by only now has to be told of both.
    @Test func aDeviceErasedTwiceLeavesTheTombstonesOfBothTimes() async throws {
        try await ExportsDatabase.with { exports in
            let datasets = ["events", "notifications", "device_settings", "device_tokens"]
            var copies: [String: [AnyHashable: [String: Any]]] = [:]
            func take() async throws {
                for dataset in datasets {
                    for row in try await exports.rows(dataset, cursor: dataset) {
                        let key = try #require((dataset == "events" ? row["position"] : row["row_id"]) as? AnyHashable)
                        copies[dataset, default: [:]][key] = row["tombstone"] as? Bool == true ? nil : row
                    }
                }
            }
            try await exports.append(Self.events("gone", token: Self.token))
            try await exports.project()
            try await take()
            #expect(datasets.allSatisfy { "\(copies[$0] ?? [:])".contains("gone") })
            try await erase("gone", exports)
            try await exports.append(Self.events("gone", token: Self.token))
            try await exports.project()
            try await erase("gone", exports)
            try await take()
            for dataset in datasets {
                let left = "\(copies[dataset] ?? [:])"
                #expect(!left.contains("gone") && !left.contains(Self.token), "\(dataset): \(left)")
            }
            // Of the events, those that came in between, by their surrogate, and the two erasures.
            #expect(copies["events"]?.count == 6)
        }
    }

    /// Recorded before the erasure and made after it: the file has nothing of the device.
    @Test func aRunThatIsTakenUpAfterAnErasureHasNothingOfTheDevice() async throws {
        struct Death: Error {}
        try await ExportsDatabase.with { exports in
            try await exports.append(Self.events("gone", token: Self.token))
            var dying = exports.request("events")
            dying.onStep = { if $0 == .renamed { throw Death() } }
            await #expect(throws: Death.self) { try await dying.run() }
            try await erase("gone", exports)
            _ = try await exports.request("events").run()
            _ = try await exports.request("events").run()
            let lines = try await ExportedFolder(url: exports.folder).checkedLines()
            // Four under the surrogate, then their tombstones and the erasure.
            #expect(lines.count == 9 && lines.count { $0.contains("\"tombstone\":true") } == 4)
            #expect(!lines.contains { $0.contains("gone") || $0.contains(Self.token) })
        }
    }

    /// Numbered before the erasure and read after it: a row under the id that it had would say whose surrogate it is.
    @Test(arguments: ["notifications", "device_settings", "device_tokens"])
    func rowsNumberedBeforeAnErasureDoNotLinkTheDeviceToItsSurrogate(dataset: String) async throws {
        struct Death: Error {}
        try await ExportsDatabase.with { exports in
            try await exports.append(Self.events("gone", token: Self.token))
            try await exports.append(Self.events("stays", token: String(repeating: "cd", count: 32)))
            try await exports.project()
            let first = try await exports.rows(dataset)
            let given = Set(first.compactMap { $0["row_id"] as? String })
            let gone = try #require(first.first { $0["device_id"] as? String == "gone" }?["row_id"] as? String)
            // Each of its rows changes, and a run numbers that.
            try await exports.append([
                [
                    "kind": "action_response", "device": "gone", "nid": "n-gone", "at": "2026-01-05T12:00:00Z",
                    "data": ["action_id": "default"],
                ],
                [
                    "kind": "settings", "device": "gone", "at": "2026-01-05T12:00:00Z",
                    "data": ["authorization_status": "denied"],
                ],
                [
                    "kind": "token", "device": "gone", "token": Self.token, "at": "2026-01-05T12:00:00Z",
                    "data": ["state": "registered", "provider": "apns", "type": "alert", "environment": "production"],
                ],
            ])
            try await exports.project()
            var dying = exports.request(dataset, folder: "/c")
            dying.onStep = { if $0 == .recorded { throw Death() } }
            await #expect(throws: Death.self) { try await dying.run() }
            try await erase("gone", exports)
            let resumed = try await exports.rows(dataset)
            let next = try await exports.rows(dataset)
            let later = resumed + next
            #expect(later.contains { $0["row_id"] as? String == gone && $0["tombstone"] as? Bool == true })
            for row in later where row["tombstone"] as? Bool == false {
                let id = try #require(row["row_id"] as? String)
                #expect(!given.contains(id), "\(row)")
            }
            #expect(!"\(later)".contains("gone"))
            #expect(later.contains { ($0["device_id"] as? String)?.hasPrefix("erased-") == true })
        }
    }

    /// One reader had heard that the row was deleted, the other had not.
    @Test func everyReaderHearsThatARowOfAnErasedDeviceIsGone() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(Self.events("gone", token: Self.token))
            try await exports.project()
            let first = try await exports.rows("device_tokens", cursor: "a")
            let row = try #require(first.first?["row_id"] as? String)
            try await exports.forget(token: Self.token)
            #expect(try await exports.rows("device_tokens", cursor: "b").isEmpty == false)
            try await erase("gone", exports)
            let last = try await exports.rows("device_tokens", cursor: "a")
            #expect(last.contains { $0["row_id"] as? String == row && $0["tombstone"] as? Bool == true })
        }
    }
}
