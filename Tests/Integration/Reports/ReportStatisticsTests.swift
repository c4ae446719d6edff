import Postgres
import Reports
import Testing

/// The intervals and differences of rates against those of scipy and statsmodels.
@Suite struct ReportStatisticsTests {
    @Test func distributionsAreThoseOfScipy() async throws {
        let fixture = try StatisticsFixture.read()
        try await ReportsDatabase.with { database in
            for row in fixture.chiSquareTail {
                let found: Double = try await database.connection.query(
                    "SELECT reporting.chi_square_tail($1, $2)",
                    [.float8(row[0]), .int4(Int32(row[1]))]
                ).only().get(0)
                #expect(abs(found - row[2]) <= 1e-12 + 1e-11 * row[2], "\(row)")
            }
            for row in fixture.wilson {
                let found = try await database.connection.query(
                    "SELECT low, high FROM reporting.wilson($1, $2)",
                    [.int8(Int64(row[0])), .int8(Int64(row[1]))]
                ).only()
                #expect(try areNear(found.get(0), row[2]) && areNear(found.get(1), row[3]), "\(row)")
            }
        }
    }

    @Test func differencesAreThoseOfStatsmodels() async throws {
        let fixture = try StatisticsFixture.read()
        try await ReportsDatabase.with { database in
            for row in fixture.differences {
                let found = try await database.connection.query(
                    """
                    SELECT low, high, reporting.pooled_p($1, $2, $3, $4)
                    FROM reporting.newcombe($1 / $2::float8, $2, $3 / $4::float8, $4)
                    """,
                    row.prefix(4).map { .int8(Int64($0 ?? 0)) }
                ).only()
                for (column, expected) in row.dropFirst(4).enumerated() {
                    #expect(try areNear(found.get(column), expected), "\(row)")
                }
            }
        }
    }

    /// Devices sent a campaign or held out of it, of which so many buy an hour later.
    @Test func liftsAreThoseOfStatsmodels() async throws {
        let fixture = try StatisticsFixture.read()
        try await ReportsDatabase.with { database in
            for (number, sample) in fixture.outcomes.enumerated() {
                let counts = sample.prefix(4).map { Int($0 ?? 0) }
                var events: [[String: Any]] = []
                for (kind, devices, buying) in [("request", counts[0], counts[1]), ("holdout", counts[2], counts[3])] {
                    for index in 0..<devices {
                        let device = "\(kind)\(number)-\(index)"
                        var data: [String: Any] = ["campaign_id": "c\(number)"]
                        if kind == "holdout" { data["share"] = sample[4] }
                        var assigned: [String: Any] = [
                            "kind": kind, "device": device, "at": ReportsDatabase.time(800_000), "data": data,
                        ]
                        if kind == "request" { assigned["nid"] = "n" }
                        events.append(assigned)
                        guard index < buying else { continue }
                        events.append([
                            "kind": "conversion", "device": device, "at": ReportsDatabase.time(796_400),
                            "data": ["name": "purchase"],
                        ])
                    }
                }
                try await database.append(events)
            }
            try await database.apply()
            let rows = try await database.run("outcomes", ["conversion": "purchase"]).records
            #expect(rows.count == fixture.outcomes.count)
            for (number, sample) in fixture.outcomes.enumerated() {
                let row = try #require(rows.first { $0["campaign"] == .text("c\(number)") })
                let counts = row.counts("sent_devices", "sent_converted", "held_out_devices", "held_out_converted")
                #expect(counts == sample.prefix(4).map { Int64($0 ?? 0) })
                for (column, expected) in zip(
                    ["lift_low", "lift_high", "lift_p", "sample_ratio_p"],
                    sample.dropFirst(5)
                ) {
                    #expect(areNear(row.number(column), expected), "\(number) \(column)")
                }
            }
        }
    }

    /// Deliveries of a category, so many of which are responded to within a minute.
    private func shown(_ category: String, _ count: Int, _ engaged: Int, before: Int64, more: [String: Any] = [:])
        -> [[String: Any]]
    {
        (0..<count).flatMap { index -> [[String: Any]] in
            let key: [String: Any] = ["device": "\(category)\(before)-\(index)", "nid": "n"]
            let data: [String: Any] = ["source": "will_present", "category_id": category].merging(more) { $1 }
            let delivery = key.merging(["kind": "delivery", "at": ReportsDatabase.time(before), "data": data]) { $1 }
            let answered: [String: Any] = [
                "kind": "action_response", "at": ReportsDatabase.time(before - 60), "data": ["action_id": "default"],
            ]
            return index < engaged ? [delivery, key.merging(answered) { $1 }] : [delivery]
        }
    }

    @Test func changesAreThoseOfStatsmodels() async throws {
        let fixture = try StatisticsFixture.read()
        try await ReportsDatabase.with { database in
            for (number, sample) in fixture.changes.enumerated() {
                let counts = sample.prefix(4).map { Int($0 ?? 0) }
                try await database.append(
                    shown("c\(number)", counts[0], counts[1], before: 5 * 86_400)
                        + shown("c\(number)", counts[2], counts[3], before: 12 * 86_400)
                )
            }
            try await database.apply()
            let parameters: KeyValuePairs = ["from": "2026-03-13", "to": "2026-03-20", "dimensions": "category"]
            let rows = try await database.run("changes", parameters)
            for (number, sample) in fixture.changes.enumerated() {
                let row = try rows.row(["value": "c\(number)"])
                let counts = row.counts(
                    "rate_denominator",
                    "responded_in_window",
                    "rate_denominator_before",
                    "responded_in_window_before"
                )
                #expect(counts == sample.prefix(4).map { Int64($0 ?? 0) })
                let columns = ["difference_low", "difference_high", "p_value", "p_holm"]
                for (column, expected) in zip(columns, sample.dropFirst(4)) {
                    #expect(areNear(row.number(column), expected), "\(number) \(column)")
                }
            }
        }
    }

    @Test func aCampaignBesideItsCategoryIsThatOfStatsmodels() async throws {
        let sample = try StatisticsFixture.read().campaigns
        let counts = sample.prefix(4).map { Int($0 ?? 0) }
        try await ReportsDatabase.with { database in
            try await database.append(
                shown("c", counts[0], counts[1], before: 5 * 86_400, more: ["campaign_id": "spring"])
                    + shown("c", counts[2], counts[3], before: 6 * 86_400)
            )
            try await database.apply()
            let row = try await database.run("campaigns", [:]).row(["campaign": "spring"])
            #expect(row.counts("rate_denominator", "responded_in_window") == [Int64(counts[0]), Int64(counts[1])])
            let columns = ["engagement_rate_low", "engagement_rate_high", "difference_low", "difference_high"]
            for (column, expected) in zip(columns, sample.dropFirst(4)) {
                #expect(areNear(row.number(column), expected), "\(column)")
            }
        }
    }

    /// Answers to the system's question, and notifications with a banner: shares with Wilson's interval, as everywhere.
    @Test func sharesOfTheNewerReportsAreThoseOfStatsmodels() async throws {
        let (granted, asked) = (3, 10)
        let wilson = try StatisticsFixture.read().wilson
        let expected = try #require(wilson.first { $0[0] == Double(granted) && $0[1] == Double(asked) })
        try await ReportsDatabase.with { database in
            var events: [[String: Any]] = []
            for index in 0..<asked {
                let device = "d\(index)"
                let asking: [String: Any] = [
                    "options": ["alert"], "granted": index < granted, "status_before": "not_determined",
                ]
                let settings = [
                    "authorization_status": "authorized", "alert_style": "banner", "scheduled_delivery": "disabled",
                ]
                let push: [String: Any] = ["origin": "provider", "category_id": "c", "trigger": ["type": "push"]]
                events.append([
                    "kind": "authorization_request", "device": device, "at": ReportsDatabase.time(800_000),
                    "data": asking,
                ])
                events.append([
                    "kind": "settings", "device": device, "at": ReportsDatabase.time(700_000), "data": settings,
                ])
                events.append([
                    "kind": "request", "device": device, "nid": "n", "at": ReportsDatabase.time(400_000), "data": push,
                ])
                guard index < granted else { continue }
                events.append([
                    "kind": "action_response", "device": device, "nid": "n", "at": ReportsDatabase.time(399_000),
                    "data": ["action_id": "default"],
                ])
            }
            try await database.append(events)
            try await database.apply()
            let grants = try #require(try await database.run("authorization", [:]).records.first)
            #expect(areNear(grants.number("grant_rate_low"), expected[2]))
            #expect(areNear(grants.number("grant_rate_high"), expected[3]))
            let reach = try await database.run("reachability", [:]).row(["class": "banner"])
            #expect(reach.counts("reached", "engaged") == [Int64(asked), Int64(granted)])
            #expect(areNear(reach.number("engagement_rate_low"), expected[2]))
            #expect(areNear(reach.number("engagement_rate_high"), expected[3]))
        }
    }

    /// Devices sent a campaign, and others held out; of each arm as many buy, and of those sent to as many before and after.
    @Test func ratesOfOutcomesAreThoseOfStatsmodels() async throws {
        let (buying, devices) = (3, 10)
        let wilson = try StatisticsFixture.read().wilson
        let expected = try #require(wilson.first { $0[0] == Double(buying) && $0[1] == Double(devices) })
        try await ReportsDatabase.with { database in
            func event(_ kind: String, _ device: String, _ before: Int64, _ data: [String: Any]) -> [String: Any] {
                let time = ReportsDatabase.time(before)
                let event: [String: Any] = ["kind": kind, "device": device, "at": time, "data": data]
                return kind == "request" ? event.merging(["nid": "n"]) { $1 } : event
            }
            let purchase = ["name": "purchase"]
            var events = [event("conversion", "first", 900_000, purchase)]
            for index in 0..<devices {
                let push: [String: Any] = ["origin": "provider", "campaign_id": "c", "trigger": ["type": "push"]]
                events.append(event("request", "s\(index)", 400_000, push))
                events.append(event("holdout", "h\(index)", 400_000, ["campaign_id": "c"]))
                guard index < buying else { continue }
                events.append(event("conversion", "h\(index)", 399_000, purchase))
                // A day before it, within a day of it, and a day later.
                for before: Int64 in [430_000, 399_000, 312_600] {
                    events.append(event("conversion", "s\(index)", before, purchase))
                }
            }
            try await database.append(events)
            try await database.apply()
            let row = try await database.run("outcomes", ["window": "P1D"]).row(["conversion": "purchase"])
            for rate in ["baseline_before_rate", "baseline_after_rate", "sent_rate", "held_out_rate"] {
                #expect(row.number(rate) == Double(buying) / Double(devices), "\(rate)")
                #expect(areNear(row.number(rate + "_low"), expected[2]), "\(rate)")
                #expect(areNear(row.number(rate + "_high"), expected[3]), "\(rate)")
            }
        }
    }
}
