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

    /// Another version in place, built from the log: its rows come to the same, so there is nothing to say, and nobody who
    /// reads while it is put in place sees half of the one and half of the other.
    @Test(.timeLimit(.minutes(2))) func aRebuildRestatesNothing() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append((1...10).flatMap { Self.round(0, $0) })
            try await exports.project()
            let datasets = ["notifications", "device_settings", "device_tokens", "engagement"]
            var first: [String: Int] = [:]
            for dataset in datasets { first[dataset] = try await exports.rows(dataset, cursor: dataset).count }
            #expect(first.values.allSatisfy { $0 > 0 })
            let rebuilding = Task {
                for leader in ["notification", "device_token", "notification"] {
                    try await exports.rebuild(leader)
                }
            }
            var looks = 0
            while true {
                let version: Int64 = try await exports.connection.value(
                    "SELECT max(version_id) FROM projection.version WHERE schema_name = 'projection'"
                )
                for dataset in datasets {
                    #expect(try await exports.rows(dataset, cursor: dataset).isEmpty, "\(dataset)")
                    // Whoever begins now is given the same rows, and none as gone.
                    let anew = try await exports.rows(dataset, cursor: "\(dataset)-\(looks)")
                    #expect(anew.count == first[dataset], "\(dataset)")
                    #expect(anew.allSatisfy { $0["tombstone"] as? Bool == false })
                }
                looks += 1
                let now: Int64 = try await exports.connection.value(
                    "SELECT max(version_id) FROM projection.version WHERE schema_name = 'projection'"
                )
                if try await exports.isRebuilt(3), now == version { break }
            }
            try await rebuilding.value
        }
    }

    /// A version whose rows are others, as of a release that computes them in another way: no event says so.
    @Test func aRebuildThatComesToOtherRowsRestatesThem() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append((1...3).map { Self.request($0) })
            try await exports.project()
            try await exports.connection.query(
                "UPDATE projection.notification SET campaign = 'other' WHERE notification_id = 'n2'"
            )
            #expect(try await exports.rows("notifications").count == 3)
            try await exports.rebuild("notification")
            let rows = try await exports.rows("notifications")
            #expect(rows.map { $0["notification_id"] as? String } == ["n2"] && rows.first?["campaign"] is NSNull)
        }
    }

    /// The number of notifications that an export says of the bucket of ``request(_:device:at:)``.
    private static func bucket(_ rows: [[String: Any]]) -> Int? {
        rows.last { $0["bucket"] as? String == "2026-01-05T10:00:00.000000Z" }?["notifications"] as? Int
    }

    /// A row that changed between numbering and reading, and then became what it was: the number that it was read under says
    /// otherwise, so it comes again.
    @Test func aRowThatWasReadAsSomethingElseComesAgain() async throws {
        struct Death: Error {}
        try await ExportsDatabase.with { exports in
            try await exports.append([Self.request(1)])
            try await exports.project()
            try FileManager.default.createDirectory(at: exports.folder, withIntermediateDirectories: true)
            var dying = exports.request("engagement", folder: "/c")
            dying.onStep = { if $0 == .recorded { throw Death() } }
            await #expect(throws: Death.self) { try await dying.run() }
            // Its cohort moves, and the bucket is empty when the run is taken up.
            try await exports.append([Self.request(1, at: "2026-01-03T08:00:00Z")])
            try await exports.project()
            #expect(try await Self.bucket(exports.rows("engagement")) == 0)
            // Another comes into the bucket, which is now as it was numbered.
            try await exports.append([Self.request(2)])
            try await exports.project()
            #expect(try await Self.bucket(exports.rows("engagement")) == 1)
        }
    }

    /// The same of a row that a slice changed: slices move no position.
    @Test func aRowThatASliceChangedComesAgain() async throws {
        struct Death: Error {}
        try await ExportsDatabase.with { exports in
            func count(_ difference: Int32) async throws {
                try await exports.connection.query(
                    "UPDATE projection.engagement SET notifications = notifications + $1",
                    [.int4(difference)]
                )
            }
            func leaveSlices(_ areLeft: Bool) async throws {
                try await exports.connection.query(
                    "UPDATE projection.checkpoint SET unfinished_after = CASE WHEN $1 THEN position END WHERE name = 'notification'",
                    [.bool(areLeft)]
                )
            }
            try await exports.append([Self.request(1)])
            try await exports.project()
            try await leaveSlices(true)
            try FileManager.default.createDirectory(at: exports.folder, withIntermediateDirectories: true)
            var dying = exports.request("engagement", folder: "/c")
            dying.onStep = { if $0 == .recorded { throw Death() } }
            await #expect(throws: Death.self) { try await dying.run() }
            try await count(1)
            #expect(try await Self.bucket(exports.rows("engagement")) == 2)
            try await count(-1)
            try await leaveSlices(false)
            try await exports.append([Self.request(2, at: "2026-01-06T10:00:00Z")])
            try await exports.project()
            #expect(try await Self.bucket(exports.rows("engagement")) == 1)
        }
    }

    /// A notification that a slice could not update may be updated at any time after, without an event.
    @Test func aNotificationThatIsRetriedComesAgain() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append([Self.request(1), Self.request(2, device: "d2")])
            try await exports.project()
            try await exports.connection.query(
                """
                INSERT INTO projection.skipped_notification (app_id, device_id, notification_id, occurrence, sqlstate, error)
                SELECT app_id, device_id, notification_id, occurrence, 'XX000', '' FROM projection.notification WHERE device_id = 'd1'
                """
            )
            #expect(try await exports.rows("notifications").count == 2)
            try await exports.connection.query("DELETE FROM projection.skipped_notification")
            try await exports.connection.query(
                "UPDATE projection.notification SET campaign = 'other' WHERE device_id = 'd1'"
            )
            let rows = try await exports.rows("notifications")
            #expect(rows.map { $0["notification_id"] as? String } == ["n1"])
        }
    }

    /// A token that goes beyond the bound loses its rows, also those of devices that sent nothing for long.
    @Test func aTokenBeyondTheBoundLeavesTombstones() async throws {
        try await ExportsDatabase.with { exports in
            let token = String(repeating: "ab", count: 32)
            try await exports.append(
                ["d1", "d2"].map {
                    [
                        "kind": "token", "device": $0, "token": token, "at": "2026-01-05T10:00:00Z",
                        "data": [
                            "state": "registered", "provider": "apns", "type": "alert", "environment": "production",
                        ],
                    ]
                }
            )
            try await exports.project()
            #expect(try await exports.rows("device_tokens").count == 2)
            try await exports.forget(token: token)
            let rows = try await exports.rows("device_tokens")
            #expect(rows.map { $0["tombstone"] as? Bool } == [true, true])
        }
    }

    /// Only devices that sent something are looked at; that another's token moved is known all the same.
    @Test func aTokenThatMovesRestatesItsFormerDevice() async throws {
        try await ExportsDatabase.with { exports in
            func token(_ device: String, _ hour: Int) -> [String: Any] {
                [
                    "kind": "token", "device": device, "token": String(repeating: "ab", count: 32),
                    "at": "2026-01-05T0\(hour):00:00Z",
                    "data": ["state": "registered", "provider": "apns", "type": "alert", "environment": "production"],
                ]
            }
            try await exports.append([token("d1", 1)])
            try await exports.project()
            #expect(try await exports.rows("device_tokens").map { $0["state"] as? String } == ["active"])
            try await exports.append([token("d2", 2)])
            try await exports.project()
            let rows = try await exports.rows("device_tokens")
            #expect(Set(rows.map { "\($0["device_id"] ?? "") \($0["state"] ?? "")" }) == ["d1 moved", "d2 active"])
        }
    }

    /// Two tokens that only this tells apart are two rows, and come again under the same ids.
    @Test(arguments: [
        ("activity_update", "activity_id"), ("push_to_start", "attributes_type"), ("control", "control_kind"),
    ])
    func whatTellsTokensApartHasAColumnOfItsOwn(type: String, name: String) async throws {
        try await ExportsDatabase.with { exports in
            func token(_ own: String, _ hour: Int) -> [String: Any] {
                [
                    "kind": "token", "device": "d1", "token": String(repeating: "ab", count: 32),
                    "at": "2026-01-05T0\(hour):00:00Z",
                    "data": [
                        "state": "registered", "provider": "apns", "type": type, "environment": "production", name: own,
                    ],
                ]
            }
            let names = ["activity_id", "attributes_type", "control_kind"]
            func said(_ row: [String: Any]) -> [String] { names.map { row[$0] as? String ?? "-" } }
            try await exports.append([token("a", 1), token("b", 1)])
            try await exports.project()
            let first = try await exports.rows("device_tokens")
            #expect(Set(first.map(said)) == Set(["a", "b"].map { own in names.map { $0 == name ? own : "" } }))
            try await exports.append([token("a", 2)])
            try await exports.project()
            let again = try await exports.rows("device_tokens")
            #expect(again.count == 1)
            let id = first.first { $0[name] as? String == "a" }?["row_id"] as? String
            #expect(again.first?["row_id"] as? String == id && id != nil)
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
