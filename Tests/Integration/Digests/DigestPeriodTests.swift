import EventLog
import Postgres
import Testing

/// Days, weeks and times of day, as clocks in time zones have them.
@Suite("Digests: periods")
struct DigestPeriodTests {
    @Test("a digest is due at its time of day, over changes of clocks and of the date")
    func due() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            for (after, weekday, at, tz, expected) in [
                ("2026-11-23T07:59:59Z", 1, "08:00", "UTC", "2026-11-23 08:00:00+00"),
                ("2026-11-23T08:00:00Z", 1, "08:00", "UTC", "2026-11-30 08:00:00+00"),
                ("2026-11-23T08:00:00Z", nil, "08:00", "UTC", "2026-11-24 08:00:00+00"),
                // Clocks go from 02:00 to 03:00.
                ("2026-03-28T06:00:00Z", nil, "08:00", "Europe/Berlin", "2026-03-28 07:00:00+00"),
                ("2026-03-28T07:00:00Z", nil, "08:00", "Europe/Berlin", "2026-03-29 06:00:00+00"),
                ("2026-03-28T23:00:00Z", nil, "02:30", "Europe/Berlin", "2026-03-29 01:30:00+00"),
                // And from 03:00 back to 02:00: once that day.
                ("2026-10-24T23:00:00Z", nil, "02:30", "Europe/Berlin", "2026-10-25 01:30:00+00"),
                ("2026-10-25T01:30:00Z", nil, "02:30", "Europe/Berlin", "2026-10-26 01:30:00+00"),
                ("2026-11-23T14:00:00Z", 3, "08:00", "Pacific/Kiritimati", "2026-11-24 18:00:00+00"),
            ] as [(String, Int16?, String, String, String)] {
                let due: [String] = try await connection.texts(
                    """
                    SELECT (notilog.digest_due($1::text::timestamptz, $2, $3::text::time, $4) AT TIME ZONE 'UTC')::text || '+00'
                    """,
                    [.text(after), .int2(weekday), .text(at), .text(tz)]
                )
                #expect(due == [expected], "\(after) \(at) \(tz)")
            }
            await connection.close()
        }
    }

    @Test("a chart has the newest 20 of what was noted on its days, by its time zone, and nothing of another app")
    func notes() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            _ = try await TestApp.make("second", in: database)
            let connection = try await database.connect()
            try await connection.query(
                """
                SELECT notilog.annotate($1, timestamptz '2026-11-15 22:59:00Z' + n * interval '1 minute', n::text)
                FROM generate_series(1, 25) n
                """,
                [.app(app.id)]
            )
            func notes(_ app: String, _ first: String, _ end: String) async throws -> [String] {
                try await connection.texts(
                    """
                    SELECT day || ' ' || label FROM notilog.digest_notes($1, $2::text::date, $3::text::date, 'Europe/Berlin')
                    """,
                    [.text(app), .text(first), .text(end)]
                )
            }
            // 23:00 in UTC is the midnight after.
            #expect(try await notes("first", "2026-11-16", "2026-11-17") == (6...25).map { "2026-11-16 \($0)" })
            #expect(try await notes("first", "2026-11-15", "2026-11-16") == [])
            #expect(try await notes("second", "2026-11-16", "2026-11-17") == [])
            await connection.close()
        }
    }

    @Test(
        "a period is the last full day or week of its time zone; what is compared of both ends at the same local time"
    )
    func periods() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            for (at, tz, isWeekly, window, expected) in [
                (
                    "2027-01-01T00:00:00Z", "UTC", true, 0,
                    "2026-12-21 2026-12-28 2026-12-14 2026-12-28 00:00:00 2026-12-21 00:00:00 345600"
                ),
                (
                    "2027-01-01T00:00:00Z", "UTC", false, 0,
                    "2026-12-31 2027-01-01 2026-12-30 2027-01-01 00:00:00 2026-12-31 00:00:00 0"
                ),
                // In the week of the change of clocks, and in the week before.
                (
                    "2026-03-30T06:00:00Z", "Europe/Berlin", true, 259_200,
                    "2026-03-23 2026-03-30 2026-03-16 2026-03-27 06:00:00 2026-03-20 06:00:00 28800"
                ),
                // A day of 23 hours, all of which is young; and its first 23 hours, beside as many of the day before.
                (
                    "2026-03-30T06:00:00Z", "Europe/Berlin", false, 259_200,
                    "2026-03-29 2026-03-30 2026-03-28 none none 28800"
                ),
                (
                    "2026-03-29T23:00:00Z", "Europe/Berlin", false, 7200,
                    "2026-03-29 2026-03-30 2026-03-28 2026-03-29 21:00:00 2026-03-28 22:00:00 3600"
                ),
                (
                    "2026-11-01T22:00:00Z", "Pacific/Kiritimati", true, 0,
                    "2026-10-26 2026-11-02 2026-10-19 2026-11-01 10:00:00 2026-10-25 10:00:00 43200"
                ),
            ] as [(String, String, Bool, Int64, String)] {
                let period: [String] = try await connection.texts(
                    """
                    SELECT concat_ws(' ', first_day, end_day, before_day, coalesce((mature_to AT TIME ZONE 'UTC')::text, 'none'),
                      coalesce((mature_before_to AT TIME ZONE 'UTC')::text, 'none'), age_seconds)
                    FROM notilog.digest_period($1, $2, $3, $4::text::timestamptz)
                    """,
                    [.bool(isWeekly), .text(tz), .int8(window), .text(at)]
                )
                #expect(period == [expected], "\(at) \(tz)")
            }
            await connection.close()
        }
    }

    @Test("digests of a view that is saved with another time zone are due by that, except those that are due already")
    func zoneChanged() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            let connection = try await database.connect()
            func save(_ parameters: String) async throws {
                try await connection.query(
                    "SELECT is_new FROM notilog.save_view($1, 'all', 'engagement', $2::text::jsonb)",
                    [.app(app.id), .text(parameters)]
                )
            }
            func due() async throws -> [String] {
                try await connection.texts(
                    """
                    SELECT concat_ws(' ', receiver, (due_at AT TIME ZONE 'Europe/Berlin')::time, try_at = due_at)
                    FROM notilog.digest ORDER BY receiver
                    """
                )
            }
            try await save("{}")
            for receiver in ["late", "next"] {
                try await connection.query(
                    "SELECT notilog.add_digest($1, 'all', 1::smallint, '08:00', $2)",
                    [.app(app.id), .text(receiver)]
                )
            }
            try await connection.query(
                """
                UPDATE notilog.digest SET due_at = '2026-01-01T00:00:00Z', try_at = '2100-01-01T00:00:00Z' WHERE receiver = 'late'
                """
            )
            try await save(#"{"tz":["Europe/Berlin"]}"#)
            #expect(try await due() == ["late 01:00:00 f", "next 08:00:00 t"])
            // Saved otherwise, nothing is due at another time.
            try await connection.query(
                "UPDATE notilog.digest SET due_at = '2100-01-01T00:00:00Z', try_at = '2100-01-01T00:00:00Z' WHERE receiver = 'next'"
            )
            try await save(#"{"tz":["Europe/Berlin"],"window":["P1D"]}"#)
            #expect(try await due() == ["late 01:00:00 f", "next 01:00:00 t"])
            await connection.close()
        }
    }
}
