import EventLog
import Postgres
import Reports
import Testing

/// Snapshots, `min_position`, and what is refused only when the database is asked.
@Suite struct ReportRunnerTests {
    private static var event: [String: Any] {
        EngagementTests.event("delivery", "A", "1", "10:00:00", ["source": "will_present"])
    }

    @Test func anAnswerSaysHowFarItGoes() async throws {
        try await ReportsDatabase.with { database in
            try await database.append([Self.event])
            let before = try await database.run("engagement", ["from": "2026-03-10"])
            #expect(before.asOf.position == 0 && before.asOf.lagSeconds > 3600 && before.rows.isEmpty)
            try await database.apply()
            for name in database.runner.catalogue.reports.map(\.name) {
                let after = try await database.run(name, ["from": "2026-03-10"])
                #expect(after.asOf.position == 1 && after.asOf.lagSeconds == 0, "\(name)")
            }
        }
    }

    @Test func aSenderReadsItsOwnWrite() async throws {
        try await ReportsDatabase.with(timeout: .seconds(5)) { database in
            try await database.append([Self.event])
            async let result = database.run("engagement", ["from": "2026-03-10", "min_position": "1"])
            try await database.apply()
            #expect(try await result.rows.count == 1)
        }
    }

    @Test func aProjectionThatStaysBehindIsAnErrorWithItsLag() async throws {
        try await ReportsDatabase.with { database in
            try await database.append([Self.event])
            let behind = await #expect(throws: ReportError.self) {
                try await database.run("engagement", ["min_position": "1"])
            }
            #expect(behind?.code == .behind && (behind?.lagSeconds ?? 0) > 3600)
            let never = await #expect(throws: ReportError.self) {
                try await database.run("engagement", ["min_position": "2"])
            }
            #expect(never?.code == .unknownPosition)
            // A report waits for its own projections alone, none of which is beyond the settled position.
            try await database.connection.query("CALL log.settle()")
            try await database.connection.query(
                "INSERT INTO projection.checkpoint (name, position) VALUES ('device_token', 1)"
            )
            #expect(try await database.run("tokens", ["min_position": "1"]).asOf.position == 1)
        }
    }

    @Test(arguments: [
        "UTC", "America/Argentina/Buenos_Aires", "Japan", "EST5EDT", "Etc/GMT+5", "Etc/GMT+12", "Etc/GMT-14",
        "Etc/GMT-0", "NZ-CHAT",
    ])
    func everyNameOfTheDatabaseOfTimeZonesIsTaken(_ name: String) async throws {
        try await ReportsDatabase.with { database in
            let rows = try await database.run("engagement", ["tz": name]).rows
            #expect(rows.isEmpty)
        }
    }

    @Test(arguments: [
        ("tz", "Mars/Olympus"), ("tz", "EST5EDT3"), ("tz", "PST"), ("tz", "Foo/Bar3"), ("tz", "CET"),
        ("tz", "Etc/Foo+5"), ("tz", "Etc/GMT+99"), ("tz", "Etc/GMT+13"), ("tz", "Etc/GMT-15"), ("tz", "Etc/GMT+05"),
        ("window", "PT0S"), ("window", "P401D"), ("from", "2027-01-01"),
    ])
    func theDatabaseRefuses(_ name: String, _ value: String) async throws {
        try await ReportsDatabase.with { database in
            let error = await #expect(throws: ReportError.self) {
                try await database.run("engagement", [name: value, "to": "2026-03-10"])
            }
            #expect(error?.code == .invalidParameter && error?.parameter == name)
        }
    }

    @Test(arguments: ["CET", "EET", "EST", "HST", "MET", "MST", "WET"])
    func whatIsAnAbbreviationToPostgreSQLIsSaidToBe(_ name: String) async throws {
        try await ReportsDatabase.with { database in
            // In summer too: so it is refused.
            let offset: String = try await database.connection.query(
                "SELECT ('2026-07-01 12:00Z'::timestamptz AT TIME ZONE $1 - ('2026-01-01 12:00Z'::timestamptz AT TIME ZONE $1))::text",
                [.text(name)]
            ).only().get(0)
            #expect(offset == "P181D")
            let error = await #expect(throws: ReportError.self) { try await database.run("engagement", ["tz": name]) }
            #expect(error?.parameter == "tz")
            let message = error?.message ?? ""
            #expect(message.contains("\"\(name)\", which is an abbreviation") && message.contains("Europe/Brussels"))
        }
    }

    @Test func tooManyIntervalsAreRefused() async throws {
        try await ReportsDatabase.with { database in
            let error = await #expect(throws: ReportError.self) {
                try await database.run("engagement", ["interval": "hour", "from": "2000-01-01"])
            }
            #expect(error?.code == .invalidParameter && error?.parameter == "interval")
        }
    }

    @Test func anUnknownAppIsSaidToBe() async throws {
        try await ReportsDatabase.with { database in
            let parameters = try ReportParameters([], for: database.runner.catalogue.report("tokens"))
            let error = await #expect(throws: ReportError.self) {
                try await database.runner.run(parameters, app: "nobody")
            }
            let message = error?.message ?? ""
            #expect(error?.code == .unknownApp && message.hasPrefix("there is no app \"nobody\" that you may read: "))
            #expect(message.contains("readable.app") && message.contains("`notilog apps grant`"))
        }
    }

    @Test func everyColumnOfAHeaderIsAColumnOfItsFunction() async throws {
        try await ReportsDatabase.with { database in
            for report in database.runner.catalogue.reports {
                let row = try await database.connection.query(
                    """
                    SELECT array_agg(name ORDER BY ordinal) FILTER (WHERE mode = 't'),
                      array_agg(format_type(type, NULL) ORDER BY ordinal) FILTER (WHERE mode = 't'),
                      array_agg(name ORDER BY ordinal) FILTER (WHERE mode = 'i')
                    FROM pg_proc p, unnest(p.proargnames, p.proargmodes, p.proallargtypes) WITH ORDINALITY AS a (name, mode, type, ordinal)
                    WHERE p.pronamespace = 'report'::regnamespace AND p.proname = $1
                    """,
                    [.text(report.name)]
                ).only()
                // What a report that bounds its rows says of all keys is no column of an answer.
                let total = report.isBounded ? ["rows_total"] : []
                #expect(try row.get(0, as: [String].self) == report.columns.map(\.name) + total, "\(report.name)")
                let types = try row.get(1, as: [String].self).map {
                    $0 == "timestamp with time zone" ? "timestamptz" : $0
                }
                #expect(types == report.columns.map(\.type) + total.map { _ in "bigint" }, "\(report.name)")
                let named = Set(report.parameters.map(\.name) + ["app", "filters", "as_of"])
                #expect(try Set(row.get(2, as: [String].self)) == named, "\(report.name)")
            }
        }
    }
}
