import Postgres
import Testing

extension Connection {
    /// Raises alerts of each rule for each of the last days, as its judgement writes them. Services then judge nothing.
    ///
    /// - Parameters:
    ///   - days: the last days, up to yesterday.
    ///   - rows: the rows of a day, each of which raises one.
    func raiseAlerts(days: Int32, rows: Int32 = 1) async throws {
        for day in 1...days {
            try await query("UPDATE notilog.alert_rule SET next_day = current_date - $1::integer", [.int4(day)])
            try await query(
                """
                SELECT notilog.finish_alert_day(rule_id, next_day, true, 1,
                  (SELECT jsonb_agg(jsonb_build_object(
                     'cell', jsonb_build_object('day', next_day, 'row', n::text), 'value', 0, 'volume', 0,
                     'is_judged', true, 'is_out', true, 'evidence', jsonb_build_object('value', 0, 'volume', 0))
                     ORDER BY n)
                   FROM generate_series(1, $1::integer) n),
                  jsonb_build_object('app', 'first', 'rule', name, 'report', report, 'condition', 'events < 1',
                    'metric', metric, 'day', next_day, 'position', 1, 'link', 'https://page.example/'))
                FROM notilog.alert_rule
                """,
                [.int4(rows)]
            )
        }
        try await query("UPDATE notilog.alert_rule SET due_at = now() + interval '1 day'")
    }

    /// Waits until a service has delivered so many messages, but not for the pauses after an attempt.
    func waitForDeliveries(_ count: Int64, by service: ServiceProcess) async throws {
        let delivered = "SELECT count(*) FROM notilog.delivery WHERE state = 'delivered'"
        let deadline = ContinuousClock.now + .seconds(120)
        while try await value(delivered, as: Int64.self) < count {
            try #require(ContinuousClock.now < deadline, "\(service.log)")
            try await query(
                """
                UPDATE notilog.delivery SET next_at = least(next_at, now() + interval '3 s') WHERE state = 'pending'
                """
            )
            try await ContinuousClock().sleep(for: .milliseconds(100))
        }
    }
}
