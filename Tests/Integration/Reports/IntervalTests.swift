import Postgres
import Reports
import Testing

/// Intervals of local time, and the statistics that reports share.
@Suite struct IntervalTests {
    /// Where each interval starts, UTC, and the minutes of it that lie in the range.
    private func starts(_ zone: String, _ interval: String, _ from: String, _ to: String) async throws -> [String] {
        try await ReportsDatabase.with { database in
            let rows = try await database.connection.query(
                """
                SELECT to_char(interval_start AT TIME ZONE 'UTC', 'MM-DD HH24:MI') || ' ' || (extract(epoch FROM ends - begins) / 60)::integer
                FROM reporting.intervals($1, $2::text::timestamptz, $3::text::timestamptz, $4)
                """,
                [.text(interval), .text(from), .text(to), .text(zone)]
            )
            return try rows.map { try $0.get(0) }
        }
    }

    @Test(arguments: [
        // Clocks go forward and back by an hour; the day has 23 and 25.
        ("Europe/Berlin", "day", "2026-03-28T23:00Z", "2026-03-30T22:00Z", ["03-28 23:00 1380", "03-29 22:00 1440"]),
        ("Europe/Berlin", "day", "2026-10-24T22:00Z", "2026-10-25T23:00Z", ["10-24 22:00 1500"]),
        (
            "Europe/Berlin", "hour", "2026-10-24T23:30Z", "2026-10-25T02:00Z",
            ["10-24 23:00 30", "10-25 00:00 60", "10-25 01:00 60"]
        ),
        // Offsets of 5:45, and of 10:30 and 9:30.
        ("Asia/Kathmandu", "day", "2026-03-10T00:00Z", "2026-03-11T00:00Z", ["03-09 18:15 1095", "03-10 18:15 345"]),
        ("Asia/Kathmandu", "hour", "2026-03-10T00:00Z", "2026-03-10T01:00Z", ["03-09 23:15 15", "03-10 00:15 45"]),
        (
            "Australia/Adelaide", "day", "2026-04-04T13:30Z", "2026-04-06T14:30Z",
            ["04-04 13:30 1500", "04-05 14:30 1440"]
        ),
        // Half an hour of daylight saving; midnight twice; no midnight at all.
        (
            "Australia/Lord_Howe", "hour", "2026-04-04T14:00Z", "2026-04-04T16:30Z",
            ["04-04 14:00 90", "04-04 15:30 60"]
        ),
        (
            "Australia/Lord_Howe", "hour", "2026-04-04T15:10Z", "2026-04-04T15:50Z",
            ["04-04 14:00 20", "04-04 15:30 20"]
        ),
        (
            "Australia/Lord_Howe", "hour", "2026-10-03T14:30Z", "2026-10-03T16:30Z",
            ["10-03 14:30 60", "10-03 15:30 30", "10-03 16:00 30"]
        ),
        ("Australia/Lord_Howe", "hour", "2026-10-03T15:40Z", "2026-10-03T16:00Z", ["10-03 15:30 20"]),
        // Clocks that are moved at a quarter to: from 2:45 to 3:45, and from 3:45 to 2:45.
        (
            "Pacific/Chatham", "hour", "2026-09-26T13:15Z", "2026-09-26T15:15Z",
            ["09-26 13:15 45", "09-26 14:00 15", "09-26 14:15 60"]
        ),
        (
            "Pacific/Chatham", "hour", "2026-04-04T13:15Z", "2026-04-04T15:15Z",
            ["04-04 13:15 45", "04-04 14:00 15", "04-04 14:15 60"]
        ),
        ("Pacific/Chatham", "hour", "2026-09-26T14:05Z", "2026-09-26T14:10Z", ["09-26 14:00 5"]),
        (
            "Europe/Berlin", "hour", "2026-03-29T00:30Z", "2026-03-29T02:00Z",
            ["03-29 00:00 30", "03-29 01:00 60"]
        ),
        ("America/Havana", "day", "2026-11-01T04:00Z", "2026-11-02T05:00Z", ["11-01 04:00 1500"]),
        ("America/Santiago", "day", "2026-09-06T04:00Z", "2026-09-07T03:00Z", ["09-06 04:00 1380"]),
        ("UTC", "week", "2026-03-10T00:00Z", "2026-03-17T00:00Z", ["03-09 00:00 8640", "03-16 00:00 1440"]),
        ("UTC", "month", "2026-02-10T00:00Z", "2026-03-02T00:00Z", ["02-01 00:00 27360", "03-01 00:00 1440"]),
    ])
    func intervalsFollowLocalClocks(
        _ zone: String,
        _ interval: String,
        _ from: String,
        _ to: String,
        _ expected: [String]
    ) async throws {
        #expect(try await starts(zone, interval, from, to) == expected)
    }

    @Test(
        "a reading of clocks is the first time at which they have come to it",
        arguments: [
            // They leap an hour forward at 01:00Z: the end of the gap.
            ("Europe/Berlin", "2026-03-29 01:59:59", "03-29 00:59:59"),
            ("Europe/Berlin", "2026-03-29 02:00:00", "03-29 01:00:00"),
            ("Europe/Berlin", "2026-03-29 02:30:00", "03-29 01:00:00"),
            ("Europe/Berlin", "2026-03-29 02:59:59.5", "03-29 01:00:00"),
            ("Europe/Berlin", "2026-03-29 03:00:00", "03-29 01:00:00"),
            ("Europe/Berlin", "2026-03-29 03:00:01", "03-29 01:00:01"),
            // And back: they read it twice.
            ("Europe/Berlin", "2026-10-25 02:30:00", "10-25 00:30:00"),
            // By half an hour, and by a day.
            ("Australia/Lord_Howe", "2026-10-04 02:00:00", "10-03 15:30:00"),
            ("Australia/Lord_Howe", "2026-10-04 02:10:07", "10-03 15:30:00"),
            ("Australia/Lord_Howe", "2026-10-04 02:30:00", "10-03 15:30:00"),
            ("Australia/Lord_Howe", "2026-04-05 01:45:00", "04-04 14:45:00"),
            ("Pacific/Apia", "2011-12-30 12:00:00", "12-30 10:00:00"),
        ]
    )
    func readings(zone: String, reading: String, expected: String) async throws {
        try await ReportsDatabase.with { database in
            // Whatever the session's clocks do on that day.
            try await database.connection.query("SELECT set_config('TimeZone', 'Europe/Berlin', false)")
            let found = try await database.connection.query(
                "SELECT to_char(reporting.local_instant($1::text::timestamp, $2) AT TIME ZONE 'UTC', 'MM-DD HH24:MI:SS')",
                [.text(reading), .text(zone)]
            ).only().get(0, as: String.self)
            #expect(found == expected)
        }
    }

    @Test(
        "a number of days ends with the day of the range's last moment",
        arguments: [
            ("P1D", "2026-03-30T12:00Z", "2026-03-29 22:00"), ("P7D", "2026-03-30T12:00Z", "2026-03-23 23:00"),
            // Midnight in Berlin is no moment of the day that begins.
            ("P7D", "2026-03-29T22:00Z", "2026-03-22 23:00"), ("P7D", "2026-03-30", "2026-03-22 23:00"),
        ]
    )
    func lastDays(from: String, to: String, begins: String) async throws {
        try await ReportsDatabase.with { database in
            let from = try await database.connection.query(
                """
                SELECT to_char(from_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
                FROM reporting.period($1, $2, 'Europe/Berlin', '2026-05-01')
                """,
                [.text(from), .text(to.count == 10 ? to : to.replacing("Z", with: ":00Z"))]
            ).only().get(0, as: String.self)
            #expect(from == begins)
        }
    }

    @Test(
        "a range that is younger than the window has nothing that is mature, and nothing of the days before it",
        arguments: ["experiment", "response_times"]
    )
    func nothingIsMature(report: String) async throws {
        try await ReportsDatabase.with { database in
            // Of the day before the range, which is younger than the window, too.
            try await database.append([
                EngagementTests.event(
                    "delivery",
                    "A",
                    "n",
                    "2026-03-18T12:00:00Z",
                    ["source": "will_present", "category_id": "c", "campaign_id": "c", "variant": "a"]
                )
            ])
            try await database.apply()
            let parameters: KeyValuePairs = ["mature": "true", "from": "2026-03-19"]
            #expect(try await database.run(report, parameters).rows.isEmpty)
            #expect(try await !database.run(report, ["from": "2026-03-18"]).rows.isEmpty)
        }
    }

    @Test func intervalsCarryTheOffsetOfTheirStart() async throws {
        try await ReportsDatabase.with { database in
            let days = ["2026-04-04T20:00:00Z", "2026-04-05T20:00:00Z"].enumerated()
            try await database.append(
                days.map { EngagementTests.event("delivery", "A", "\($0)", $1, ["source": "will_present"]) }
            )
            try await database.apply()
            let result = try await database.run(
                "engagement",
                [
                    "by": "none", "interval": "day", "tz": "Australia/Adelaide", "from": "2026-04-05",
                    "to": "2026-04-07",
                ],
                asOf: "2026-05-01T00:00:00Z"
            )
            #expect(result.columns[0].name == "interval_start" && result.columns[1].name == "requested")
            #expect(
                result.text(.ndjson).split(separator: "\n").map { $0.prefix(44) }
                    == [
                        "{\"interval_start\":\"2026-04-05T00:00:00+10:30\"",
                        "{\"interval_start\":\"2026-04-06T00:00:00+09:30\"",
                    ].map { $0.prefix(44) }
            )
            #expect(result.parameters.first { $0.name == "from" }?.value == .time(1_775_309_400_000_000))
            #expect(result.parameters.first { $0.name == "to" }?.value == .time(1_775_485_800_000_000))
        }
    }

    /// Berlin's midnight is Berlin's, whatever the session that asks thinks of time.
    @Test(arguments: ["UTC", "America/Los_Angeles", "Asia/Tokyo"])
    func datesFollowTheParameterAndNotTheSession(_ session: String) async throws {
        try await ReportsDatabase.with { database in
            let times = [
                "2026-10-31T22:59:59Z", "2026-10-31T23:00:00Z", "2026-11-01T22:59:59Z", "2026-11-01T23:00:00Z",
            ]
            try await database.append(
                times.enumerated().map {
                    EngagementTests.event(
                        "delivery",
                        "A",
                        "\($0.offset)",
                        $0.element,
                        ["source": "will_present"]
                    )
                }
            )
            try await database.apply()
            try await database.connection.query("SELECT set_config('TimeZone', $1, false)", [.text(session)])
            func reached(_ from: String, _ to: String) async throws -> Int64 {
                try await database.connection.query(
                    """
                    SELECT reached FROM report.engagement(app => 'demo', "by" => '{none}', "from" => $1, "to" => $2,
                      tz => 'Europe/Berlin', as_of => '2026-12-01T00:00:00Z')
                    """,
                    [.text(from), .text(to)]
                ).only().get(0)
            }
            #expect(try await reached("2026-11-01", "2026-11-02") == 2)
            #expect(try await reached("2026-10-31T22:59:59Z", "2026-11-02T00:00:00+01:00") == 3)
            // As PostgreSQL writes a time in this session, its offset with it.
            let written: String = try await database.connection.query(
                "SELECT '2026-10-31T23:00:00Z'::timestamptz::text"
            ).only().get(0)
            #expect(try await reached(written, "2026-11-02") == 2)
            for nonsense in ["yesterday", "2026-11-01T00:00:00", "2026-02-30", "infinity", "11/01/2026"] {
                await #expect(throws: PostgresError.self, "\(nonsense)") { try await reached(nonsense, "2026-11-02") }
            }
        }
    }

    @Test("a window of days is so many times 24 hours, though clocks of the session are moved in it")
    func windowOfDays() async throws {
        try await ReportsDatabase.with { database in
            // Three days before as_of it is 12:00Z; clocks of Berlin, moved meanwhile, say so at 13:00Z.
            let times = ["2026-03-27T12:00:00Z", "2026-03-27T12:00:01Z", "2026-03-27T12:59:59Z"]
            try await database.append(
                times.enumerated().map {
                    EngagementTests.event("delivery", "A", "\($0.offset)", $0.element, ["source": "will_present"])
                }
            )
            try await database.apply()
            func immature(_ session: String) async throws -> [Bool] {
                try await database.connection.query("SELECT set_config('TimeZone', $1, false)", [.text(session)])
                return try await database.connection.query(
                    """
                    SELECT immature FROM report.notifications('demo', "from" => '2026-03-20', "window" => interval '3 days',
                      as_of => '2026-03-30T12:00:00Z')
                    ORDER BY cohort_at
                    """
                ).map { try $0.get(0) }
            }
            for session in ["UTC", "Europe/Berlin"] {
                #expect(try await immature(session) == [false, true, true], "\(session)")
            }
        }
    }

    /// R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998), table I.
    @Test func wilsonAgreesWithPublishedIntervals() async throws {
        try await ReportsDatabase.with { database in
            for (successes, trials, low, high) in [
                (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718),
            ] {
                let row = try await database.connection.query(
                    "SELECT low, high FROM reporting.wilson($1, $2)",
                    [.int8(Int64(successes)), .int8(Int64(trials))]
                ).only()
                #expect(abs(try row.get(0, as: Double.self) - low) < 0.00005)
                #expect(abs(try row.get(1, as: Double.self) - high) < 0.00005)
            }
            let row = try await database.connection.query("SELECT low, high FROM reporting.wilson(0, 0)").only()
            #expect(try row.get(0, as: Double?.self) == nil && row.get(1, as: Double?.self) == nil)
        }
    }
}
