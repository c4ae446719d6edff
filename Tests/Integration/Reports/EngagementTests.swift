import NotificationEvents
import Reports
import Testing

/// `engagement` and `actions` on a day worked out by hand.
@Suite struct EngagementTests {
    static var categories: [String: Any] {
        [
            "kind": "category_registration", "device": "A", "at": "2026-03-01T00:00:00Z",
            "data": [
                "context": ["app_version": "1.0", "platform": "ios"],
                "categories": [
                    [
                        "id": "news", "options": ["custom_dismiss_action"],
                        "actions": [
                            ["id": "like", "title": "Like", "type": "button", "options": ["foreground"]],
                            ["id": "comment", "title": "Comment", "type": "text_input", "options": [String]()],
                        ],
                    ]
                ],
            ] as [String: Any],
        ]
    }

    static func event(_ kind: String, _ device: String, _ nid: String, _ time: String, _ data: [String: Any])
        -> [String: Any]
    {
        [
            "kind": kind, "device": device, "nid": nid, "at": time.hasPrefix("2026") ? time : "2026-03-10T\(time)Z",
            "data": data,
        ]
    }

    static var day: [[String: Any]] {
        [
            categories,
            ["kind": "settings", "device": "B", "at": "2026-03-01T00:00:00Z", "data": ["alert": "enabled"]],
            [
                "kind": "settings", "device": "C", "at": "2026-03-10T09:00:00Z",
                "data": ["authorization_status": "denied"],
            ],
            // 1: delivered, and liked after 300 s; the callback came twice.
            event(
                "request",
                "A",
                "1",
                "10:00:00",
                ["category_id": "news", "origin": "provider", "mutable_content": true]
            ),
            event("delivery", "A", "1", "10:00:02", ["category_id": "news", "source": "service_extension"]),
            event("action_response", "A", "1", "10:05:02", ["category_id": "news", "action_id": "like"]),
            event("action_response", "A", "1", "10:05:03", ["category_id": "news", "action_id": "like"]),
            // 2: asked for, and nothing more is known.
            event("request", "A", "2", "11:00:00", ["category_id": "news", "origin": "provider"]),
            // 3: opened five days later.
            event("request", "B", "3", "11:00:00", ["category_id": "news", "origin": "provider"]),
            event("action_response", "B", "3", "2026-03-15T11:00:00Z", ["action_id": "default"]),
            // 4: refused by the system. 5: asked for where notifications are denied.
            event("request", "B", "4", "12:00:00", ["category_id": "news", "error": "notifications_not_allowed"]),
            event("request", "C", "5", "12:30:00", ["category_id": "news", "origin": "provider"]),
            // 6: known by its response alone. 7: deliberately not shown. 8: dismissed.
            event("action_response", "C", "6", "13:00:00", ["category_id": "promo", "action_id": "default"]),
            event("presentation", "A", "7", "14:00:00", ["surface": "foreground", "options": [String]()]),
            event("delivery", "A", "8", "15:00:00", ["category_id": "news", "source": "will_present"]),
            event("dismissal", "A", "8", "15:00:30", ["category_id": "news"]),
        ]
    }

    @Test(arguments: ["rollup", "notification"])
    func aDay(source: String) async throws {
        try await ReportsDatabase.with { database in
            try await database.append(Self.day)
            try await database.apply()
            let result = try await database.run(
                "engagement",
                ["from": "2026-03-10", "to": "2026-03-11", "source": source]
            )
            #expect(result.columns.first?.name == "category")
            #expect(result.rows.count == 3)

            let news = try result.row(["category": "news"])
            #expect(
                news.counts("requested", "failed", "reached", "reached_seen", "reached_assumed") == [4, 1, 4, 2, 2]
            )
            #expect(news.counts("delivered", "presented", "suppressed", "silent", "withdrawn") == [3, 3, 0, 0, 0])
            #expect(news.counts("responded", "opened", "acted", "replied", "app_opened") == [2, 1, 1, 0, 2])
            #expect(news.counts("dismissed", "response_only", "delivered_seen", "presented_seen") == [1, 0, 2, 0])
            #expect(news.counts("updates", "duplicate_callbacks", "immature") == [0, 1, 0])
            #expect(
                news.counts("dismiss_observable", "delivery_observable", "devices", "engaged_devices") == [4, 1, 2, 2]
            )
            #expect(news.number("delivery_rate") == 1 && news.number("dismiss_rate") == 0.25)
            #expect(news.number("engagement_rate") == 0.25 && news.number("action_rate") == 0.25)
            #expect(
                news.number("open_rate") == 0 && news.number("reply_rate") == 0 && news.number("app_open_rate") == 0.25
            )
            #expect(abs((news.number("engagement_rate_low") ?? 0) - 0.045587) < 1e-6)
            #expect(abs((news.number("engagement_rate_high") ?? 0) - 0.699358) < 1e-6)
            #expect(abs((news.number("response_p50") ?? 0) / 300 - 1) < 0.05)
            #expect(news["window_approximate"] == .bool(false))

            // A rate without a denominator is null; so is a dismissal that nobody could have seen.
            let promo = try result.row(["category": "promo"])
            #expect(promo.counts("reached", "responded", "opened", "response_only", "dismissed") == [0, 1, 1, 1, nil])
            #expect(promo.counts("delivered", "presented", "devices", "engaged_devices") == [1, 1, 0, 1])
            for column in [
                "engagement_rate", "engagement_rate_low", "open_rate", "dismiss_rate", "delivery_rate", "response_p50",
            ] {
                #expect(promo[column] == .null, "\(column)")
            }
            #expect(try result.row(["category": nil]).counts("suppressed", "delivered", "reached") == [1, 1, 0])
        }
    }

    @Test func parametersOfADay() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(Self.day)
            try await database.apply()
            func news(_ pairs: KeyValuePairs<String, String>, asOf: String = "2026-03-20T00:00:00Z") async throws
                -> [String: ReportValue]
            {
                let given = pairs.map { ($0.key, $0.value) } + [("from", "2026-03-10"), ("category", "news")]
                let parameters = try ReportParameters(
                    given.map { (name: $0.0, value: $0.1) },
                    for: database.runner.catalogue.report("engagement")
                )
                return try #require(
                    try await database.runner.run(parameters, app: "demo", asOf: Timestamp.parse(asOf)?.timestamp)
                        .records.first
                )
            }
            #expect(try await news(["window": "P7D"]).number("engagement_rate") == 0.5)
            #expect(try await news(["window": "PT1H"]).number("engagement_rate") == 0.25)
            #expect(try await news(["window": "PT1S"]).number("engagement_rate") == 0)
            #expect(try await news(["window": "P5D"])["window_approximate"] == .bool(true))
            #expect(try await news(["per": "delivered"]).number("engagement_rate").map { $0 * 3 } == 1)
            #expect(
                try await news(["per": "presented", "window": "P7D"]).number("engagement_rate").map { $0 * 3 } == 2
            )
            // Half an hour past eleven, `to` is then: 4, 5 and 8 are not due, 2 and 3 are immature as well as 1.
            let early = try await news([:], asOf: "2026-03-10T11:30:00Z")
            #expect(early.counts("reached", "immature", "failed") == [3, 3, 0])
            #expect(try await news(["window": "PT1H"], asOf: "2026-03-10T11:30:00Z").counts("immature") == [2])
            #expect(try await news([:], asOf: "2026-03-10T11:00:00Z").counts("reached") == [3])
            #expect(try await news([:], asOf: "2026-03-10T10:59:59Z").counts("reached") == [1])
        }
    }

    @Test("a dismissal is not the button that an app named `dismiss`, and has nothing of it")
    func aButtonNamedDismiss() async throws {
        try await ReportsDatabase.with { database in
            let buttons: [[String: Any]] = [["id": "dismiss", "options": ["foreground", "destructive"]]]
            let category: [String: Any] = ["id": "news", "options": ["custom_dismiss_action"], "actions": buttons]
            func event(_ kind: String, _ device: String, _ at: String, _ data: [String: Any]) -> [String: Any] {
                let data = data.merging(["category_id": "news"]) { $1 }
                return ["kind": kind, "device": device, "nid": "n", "at": "2026-03-10T\(at)Z", "data": data]
            }
            try await database.append([
                [
                    "kind": "category_registration", "device": "A", "at": "2026-03-10T09:00:00Z",
                    "data": ["categories": [category]],
                ],
                event("delivery", "A", "10:00:00", ["source": "delivered_list"]),
                event("delivery", "B", "10:00:00", ["source": "delivered_list"]),
                event("action_response", "A", "10:01:00", ["action_id": "dismiss"]),
                event("dismissal", "B", "10:02:00", [:]),
            ])
            try await database.apply()
            let rows = try await database.run("actions", ["from": "2026-03-10", "to": "2026-03-11"]).records
                .filter { $0["action"] == .text("dismiss") }
            #expect(rows.map { $0.counts("notifications", "place") } == [[1, 1], [1, nil]])
            #expect(rows.map { $0["registered"] } == [.bool(true), .null])
            #expect(rows.map { $0["destructive"] } == [.bool(true), .null])
            #expect(rows.map { $0["foreground"] } == [.bool(true), .null])
        }
    }

    @Test("a button with the id `default` is not offered beside the tap that its presses are")
    func aButtonNamedDefault() async throws {
        try await ReportsDatabase.with { database in
            let buttons: [[String: Any]] = [
                ["id": "default", "options": ["foreground"]], ["id": "like", "options": [String]()],
            ]
            let categories = ["news", "unused"].map { id -> [String: Any] in
                ["id": id, "options": [String](), "actions": buttons]
            }
            var events: [[String: Any]] = [
                [
                    "kind": "category_registration", "device": "A", "at": "2026-03-10T09:00:00Z",
                    "data": ["categories": categories, "context": ["app_version": "1"]],
                ]
            ]
            // Of the version that registered it, and of one that did not.
            for (device, version) in [("A", "1"), ("B", "2")] {
                let carried: [String: Any] = ["category_id": "news", "context": ["app_version": version]]
                let delivery = carried.merging(["source": "will_present"]) { $1 }
                let tap = carried.merging(["action_id": "default"]) { $1 }
                events += [
                    [
                        "kind": "delivery", "device": device, "nid": "n", "at": "2026-03-10T10:00:00Z",
                        "data": delivery,
                    ],
                    [
                        "kind": "action_response", "device": device, "nid": "n", "at": "2026-03-10T10:01:00Z",
                        "data": tap,
                    ],
                ]
            }
            try await database.append(events)
            try await database.apply()
            let range: KeyValuePairs = ["from": "2026-03-10", "to": "2026-03-11"]
            let result = try await database.run("actions", range)
            let news = try result.row(["category": "news", "action": "default"])
            #expect(news.counts("offered", "taken_in_window", "notifications") == [2, 2, 2])
            #expect(news.number("rate") == 1 && news["registered"] == .null && news["foreground"] == .null)
            #expect(try result.row(["category": "news", "action": "like"]).counts("offered", "place") == [2, 2])
            let unused = result.records.filter { $0["category"] == .text("unused") }
            #expect(unused.map { $0["action"] } == [.text("like")])
            let known = try await database.run("categories", range).row(["category": "news"])
            #expect(known.counts("buttons", "buttons_used") == [1, 0])
            #expect(known["buttons_unused"] == .json("[\"like\"]"))
        }
    }

    @Test func actionsOfADay() async throws {
        try await ReportsDatabase.with { database in
            let more = Self.event(
                "action_response",
                "A",
                "8",
                "15:01:00",
                ["category_id": "news", "action_id": "share"]
            )
            try await database.append(Self.day + [more])
            try await database.apply()
            let result = try await database.run("actions", ["from": "2026-03-10", "to": "2026-03-11"])
            #expect(
                result.records.filter { $0["category"] == .text("news") }.map { $0["action"] } == [
                    .text("default"), .text("like"), .text("comment"), .text("share"), .text("dismiss"),
                ]
            )
            let like = try result.row(["category": "news", "action": "like"])
            #expect(like.counts("offered", "notifications", "presses", "place") == [4, 1, 1, 1])
            #expect(like.number("rate") == 0.25 && like.number("share") == 0.25)
            #expect(abs((like.number("response_p50") ?? 0) / 300 - 1) < 0.05)
            #expect(
                like["registered"] == .bool(true) && like["foreground"] == .bool(true)
                    && like["text_input"] == .bool(false)
            )

            let comment = try result.row(["category": "news", "action": "comment"])
            #expect(comment.counts("offered", "notifications", "presses", "place") == [4, 0, 0, 2])
            #expect(
                comment.number("rate") == 0 && comment["response_p50"] == .null && comment["text_input"] == .bool(true)
            )

            // Opened, but not within three days.
            let opened = try result.row(["category": "news", "action": "default"])
            #expect(opened.counts("offered", "notifications") == [4, 1] && opened.number("rate") == 0)
            #expect(opened["registered"] == .null)

            let share = try result.row(["category": "news", "action": "share"])
            #expect(share.counts("offered", "notifications") == [nil, 1])
            #expect(share["rate"] == .null && share["registered"] == .bool(false) && share["foreground"] == .null)

            let dismissed = try result.row(["category": "news", "action": "dismiss"])
            #expect(dismissed.counts("offered", "notifications") == [4, 1])
            #expect(dismissed.number("rate") == 0.25)
            #expect(abs((dismissed.number("response_p50") ?? 0) / 30 - 1) < 0.05)
            let unobserved = try result.row(["category": "promo", "action": "dismiss"])
            #expect(
                unobserved.counts("offered", "notifications", "presses") == [0, nil, nil] && unobserved["rate"] == .null
            )
        }
    }
}
