import Reports
import Testing

/// What counts as reached, and what nobody can have seen.
@Suite("Reports: reached")
struct ReachTests {
    private func event(
        _ kind: String,
        _ notification: String,
        _ data: [String: Any] = [:],
        device: String = "A",
        at: String = "2026-03-10T12:00:00Z"
    ) -> [String: Any] {
        ["kind": kind, "device": device, "nid": notification, "at": at, "data": data]
    }

    private func settings(_ device: String, _ status: String) -> [String: Any] {
        ["kind": "settings", "device": device, "at": "2026-03-01T00:00:00Z", "data": ["authorization_status": status]]
    }

    private func push(_ type: String?) -> [String: Any] {
        // As an earlier release stored it: that it alerts was written down with every type but background.
        ["origin": "provider", "alerting": true, "push": type.map { ["push_type": $0] } ?? [:]]
    }

    @Test("of pushes only those of type alert or of none reach anybody, whenever they were stored")
    func pushTypes() async throws {
        let types = [
            "liveactivity", "background", "voip", "complication", "fileprovider", "mdm", "location", "pushtotalk",
            "widgets", "controls",
        ]
        try await ReportsDatabase.with { database in
            try await database.append(
                types.map { event("request", $0, push($0)) }
                    + [event("request", "alert", push("alert")), event("request", "none", push(nil))]
                    + types.map { event("delivery", $0, ["source": "service_extension"]) }
            )
            try await database.apply()
            let row = try #require(try await database.run("engagement").records.first)
            #expect(row.counts("requested", "reached", "reached_seen", "reached_assumed") == [12, 2, 0, 2])
        }
    }

    @Test("a silent push that woke the app reaches nobody, unless a request says that it alerts")
    func silentPushes() async throws {
        let woken: [String: Any] = ["source": "background_wake", "alerting": false]
        try await ReportsDatabase.with { database in
            try await database.append([
                event("delivery", "silent", woken), event("delivery", "unsaid", ["source": "background_wake"]),
                event("delivery", "alerting", ["source": "background_wake", "alerting": true]),
                event("delivery", "asked", woken), event("request", "asked", ["origin": "provider", "alerting": true]),
                event("delivery", "asked silently", ["source": "background_wake", "alerting": true]),
                event("request", "asked silently", ["origin": "provider", "alerting": false]),
            ])
            try await database.apply()
            let row = try #require(try await database.run("engagement").records.first)
            #expect(row.counts("delivered", "reached", "reached_seen") == [5, 3, 3])
        }
    }

    @Test("where notifications are denied, a push that wakes the app is seen by nobody, and none is observable")
    func denied() async throws {
        let pushed: [String: Any] = ["origin": "provider", "alerting": true, "mutable_content": true]
        let woken: [String: Any] = ["source": "background_wake"]
        try await ReportsDatabase.with { database in
            var events = [settings("A", "denied"), settings("B", "authorized")]
            for device in ["A", "B"] {
                events += [
                    event("request", "woken", pushed, device: device),
                    event("delivery", "woken", woken, device: device),
                    event("delivery", "woken and swept", woken, device: device),
                    event("delivery", "woken and swept", ["source": "delivered_list"], device: device),
                    event(
                        "delivery",
                        "old",
                        ["source": "service_extension"],
                        device: device,
                        at: "2026-03-02T00:00:00Z"
                    ),
                ]
            }
            try await database.append(events)
            try await database.apply()
            let row = try #require(try await database.run("engagement").records.first)
            // On A what was swept and what ran the extension, on B all three.
            #expect(row.counts("delivered", "reached_seen", "delivery_observable") == [6, 5, 1])
            let funnel = try await database.run("funnel").row(["stage": "reached"])
            #expect(funnel.counts("notifications", "lost", "unobserved") == [1, 1, 0])
        }
    }

    @Test("what fires at a place, or at a date that nobody gave, is not taken to have fired")
    func unknownDue() async throws {
        func request(_ notification: String, _ type: String?, _ more: [String: Any] = [:]) -> [String: Any] {
            var data: [String: Any] = ["origin": "app", "alerting": true]
            if let type { data["trigger"] = ["type": type] }
            return event("request", notification, data.merging(more) { $1 })
        }
        let due = ["scheduled_for": "2026-03-11T00:00:00Z"]
        try await ReportsDatabase.with { database in
            try await database.append([
                request("place", "location"), request("date", "calendar"),
                request("place, denied", "location").merging(["device": "D"]) { $1 }, settings("D", "denied"),
                request("place and date", "location", due), request("next date", "calendar", due),
                request("interval", "time_interval"), request("at once", "none"), request("unsaid", nil),
                request("push", nil, ["push": ["topic": "t"]]), request("place of a push", "location", ["push": [:]]),
                request("seen", "location"), event("delivery", "seen", ["source": "will_present"]),
            ])
            try await database.apply()
            let row = try #require(try await database.run("engagement").records.first)
            #expect(row.counts("requested", "reached_assumed", "reached_seen") == [11, 7, 1])
            let funnel = try await database.run("funnel").row(["stage": "reached"])
            #expect(funnel.counts("notifications", "lost", "unobserved", "assumed") == [8, 1, 2, 7])
            let pushes = try await database.run("engagement", ["by": "trigger", "trigger": "push"]).records
            #expect(pushes.map { $0.counts("requested") } == [[1]], "a push, whatever else is missing")
        }
    }
}
