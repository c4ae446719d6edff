import Postgres
import Reports
import Testing

/// The report of Live Activities, on events worked out by hand.
@Suite("Live Activities")
struct LiveActivitiesTests {
    /// A push that is to start an activity of a type, and that APNs accepted, to a device of that name.
    private static func started(_ device: String) -> [[String: Any]] {
        [
            ReportsDatabase.event(
                "request",
                device,
                "p",
                "2026-03-10T00:00:00Z",
                [
                    "origin": "provider", "trigger": ["type": "push"], "push": ["push_type": "liveactivity"],
                    "alerting": false, "live_activity_event": "start", "attributes_type": device,
                ]
            ),
            ReportsDatabase.event(
                "push_result",
                device,
                "p",
                "2026-03-10T00:00:01Z",
                ["provider": "apns", "status": 200]
            ),
        ]
    }

    private static func opened(_ device: String, _ at: String) -> [String: Any] {
        ReportsDatabase.event("app_open", device, nil, at, ["source": "foreground"])
    }

    /// What a device says of itself, each in its own way, by a device of that name.
    private static func own(_ at: String) -> [[String: Any]] {
        [
            ReportsDatabase.event("conversion", "conversion", nil, at, ["name": "purchase"]),
            ReportsDatabase.event(
                "permission_prompt",
                "permission_prompt",
                nil,
                at,
                ["placement": "launch", "answer": "later"]
            ),
            ReportsDatabase.event("authorization_request", "authorization_request", nil, at, ["granted": false]),
            ReportsDatabase.event("open_settings", "open_settings", nil, at),
            ReportsDatabase.event("removal", "removal", "n", at, ["state": "delivered", "reason": "removed_by_app"]),
            ReportsDatabase.settings("settings", at, "authorized"),
        ]
    }

    private static let tokens = ["registered": "01", "unregistered": "02", "earlier": "03", "answered": "0a"]

    private static func token(_ device: String, _ state: String, _ at: String) -> [String: Any] {
        let data = ["state": state, "provider": "apns", "type": "alert", "environment": "production"]
        return ["kind": "token", "device": device, "token": tokens[device] ?? "00", "at": at, "data": data]
    }

    @Test("that a push started none is known of a device that was heard from later, whatever it said")
    func heard() async throws {
        try await ReportsDatabase.with { database in
            let (before, later) = ("2026-03-09T00:00:00Z", "2026-03-10T09:00:00Z")
            let own = Self.own(later)
            let heard = ["opened", "registered", "unregistered"] + own.compactMap { $0["device"] as? String }
            let devices = heard + ["silent", "earlier", "answered", "held out", "asked"]
            let context = ["app_version": "1.0", "platform": "ios"]
            var events = devices.flatMap(Self.started) + own
            events += Self.own(before).map { $0.merging(["device": "earlier"]) { $1 } }
            events += [
                Self.opened("opened", later), Self.opened("earlier", before),
                Self.token("registered", "registered", later), Self.token("earlier", "registered", before),
                Self.token("unregistered", "unregistered", later), Self.token("answered", "registered", before),
                // The provider's word on a token, a campaign or another push is nothing that the device said, with a context or not.
                ReportsDatabase.event(
                    "holdout",
                    "held out",
                    nil,
                    later,
                    ["campaign_id": "spring", "context": context]
                ),
                [
                    "kind": "push_result", "token": "0a", "at": later,
                    "data": ["provider": "apns", "status": 410, "reason": "Unregistered"],
                ],
                ReportsDatabase.event(
                    "request",
                    "asked",
                    "another",
                    later,
                    ["origin": "provider", "trigger": ["type": "push"], "context": context]
                ),
                ReportsDatabase.event(
                    "push_result",
                    "asked",
                    "another",
                    later,
                    ["provider": "apns", "status": 200, "context": context]
                ),
            ]
            try await database.append(events)
            try await database.apply()
            let result = try await database.run("live_activities", ReportsDatabase.march)
            for device in devices {
                let counts = try result.row(["attributes_type": device]).counts(
                    "push_to_start_accepted",
                    "push_to_start_without_activity",
                    "push_to_start_unknown"
                )
                #expect(counts == (heard.contains(device) ? [1, 1, 0] : [1, 0, 1]), "\(device)")
            }
        }
    }

    @Test("within an hour of the push nobody can know yet, though the device was heard from")
    func young() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(Self.started("opened") + [Self.opened("opened", "2026-03-10T00:10:00Z")])
            try await database.apply()
            let expected: [(String, [Int64?])] = [("2026-03-10T00:59:59Z", [0, 1]), ("2026-03-10T01:00:00Z", [1, 0])]
            for (asOf, counts) in expected {
                let result = try await database.run("live_activities", ["from": "2026-03-01"], asOf: asOf)
                let row = try result.row(["attributes_type": "opened"])
                #expect(row.counts("push_to_start_without_activity", "push_to_start_unknown") == counts)
            }
        }
    }

    @Test("the answer to a push counts whether it comes before the request or after it")
    func accepted() async throws {
        let events = Self.started("first") + Self.started("last").reversed()
        for isOneBatch in [true, false] {
            try await ReportsDatabase.with { database in
                for event in events {
                    try await database.append([event])
                    if !isOneBatch { try await database.apply() }
                }
                try await database.apply()
                func answer() async throws -> [String] {
                    try await database.connection.query(
                        """
                        SELECT concat_ws(' ', attributes_type, push_to_start_requested, push_to_start_accepted)
                        FROM report.live_activities('demo', "from" => '2026-03-01', "to" => '2026-03-20', as_of => '2026-03-10 00:30')
                        ORDER BY 1
                        """,
                        cached: false
                    ).map { try $0.get(0) }
                }
                #expect(try await answer() == ["first 1 1", "last 1 1"])
                let kept: Int64 = try await database.connection.query(
                    "SELECT count(*) FROM projection.live_activity_accepted"
                ).only().get(0)
                #expect(kept == 2)
                // A version of an earlier release has not kept it.
                try await database.connection.execute(script: "DROP TABLE projection.live_activity_accepted CASCADE")
                #expect(try await answer() == ["first 1 1", "last 1 1"])
            }
        }
    }
}
