import Postgres
import Testing

/// What is written of a day that a rule judged, and what is read of it later.
@Suite("Alerts: judged days")
struct AlertDayTests {
    @Test("figures of the 56 days before a day are read to say what is usual, and older ones are deleted")
    func figures() async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            try await database.addRule("activity", "--when", "events < 1")
            let connection = try await database.connect()
            try await connection.query(
                """
                INSERT INTO notilog.alert_figure (rule_id, app_id, cell, day, value, volume, in_time, is_out)
                SELECT rule_id, app_id, '{}', current_date - 1 - n, n, n, true, false
                FROM notilog.alert_rule, generate_series(1, 100) n
                """
            )
            let read: [String] = try await connection.texts(
                """
                SELECT count(*) || ' to ' || max(f.days_before)
                FROM notilog.alert_rule r, notilog.alert_figures(r.rule_id, current_date - 1) f
                """
            )
            #expect(read == ["56 to 56"])
            try await connection.raiseAlerts(days: 1)
            let kept: [String] = try await connection.texts(
                """
                SELECT count(*) || ' to ' || (r.next_day - 1 - min(f.day))
                FROM notilog.alert_rule r JOIN notilog.alert_figure f USING (rule_id)
                WHERE f.day < r.next_day - 1
                GROUP BY r.next_day
                """
            )
            #expect(kept == ["56 to 56"])
            await connection.close()
        }
    }

    @Test("a message has the first 20 alerts of a day, and the number of all, which are all raised")
    func listed() async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            try await database.addRule("activity", "--when", "events < 1", "--to", "mailto:ops@example.com")
            let connection = try await database.connect()
            try await connection.raiseAlerts(days: 1, rows: 25)
            let raised: Int64 = try await connection.value("SELECT count(*) FROM notilog.alert")
            #expect(raised == 25)
            let totals: [String] = try await connection.texts("SELECT message->>'alerts_total' FROM notilog.delivery")
            #expect(totals == ["25"])
            let rows: [String] = try await connection.texts(
                """
                SELECT a.alert #>> '{cell,row}'
                FROM notilog.delivery d, jsonb_array_elements(d.message->'alerts') WITH ORDINALITY AS a (alert, ordinal)
                ORDER BY a.ordinal
                """
            )
            #expect(rows == (1...20).map { String($0) })
            await connection.close()
        }
    }

    /// Otherwise both stores deliver.
    @Test("a store that another has taken over writes no day; who takes over waits for one that is being written")
    func closed() async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            try await database.addRule("activity", "--when", "events < 1", "--to", "mailto:ops@example.com")
            let (service, other) = (try await database.connect(), try await database.connect())
            try await service.query("BEGIN")
            try await service.raiseAlerts(days: 1)
            try await other.query("SELECT log.set_closed(true)")
            let impatient = try await database.connect(settings: ["lock_timeout": "50ms"])
            let waited = await #expect(throws: PostgresError.self) {
                try await impatient.query("CALL log.drain_appends()")
            }
            #expect(waited?.sqlState == "55P03")
            try await service.query("COMMIT")
            try await other.query("CALL log.drain_appends()")
            try await service.query("DELETE FROM notilog.alert")
            try await service.query("DELETE FROM notilog.alert_figure")
            try await service.query("DELETE FROM notilog.delivery")
            try await service.raiseAlerts(days: 1)
            let written = """
                SELECT (SELECT count(*) FROM notilog.alert) + (SELECT count(*) FROM notilog.alert_figure)
                  + (SELECT count(*) FROM notilog.delivery)
                """
            #expect(try await service.value(written, as: Int64.self) == 0)
            try await other.query("SELECT log.set_closed(false)")
            try await service.raiseAlerts(days: 1)
            #expect(try await service.value(written, as: Int64.self) == 3)
            for connection in [service, other, impatient] { await connection.close() }
        }
    }
}
