import Foundation
import Postgres
import Testing

/// `notilog doctor` finds what keeps alerts and digests from being delivered, before one goes out.
@Suite("Doctor: deliveries")
struct DoctorDeliveryTests {
    /// Settings as variables of the environment.
    private static func variables(_ settings: [String: String]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: settings.map { key, value in
                ("NOTILOG_" + key.uppercased().replacing(".", with: "_"), value)
            }
        )
    }

    /// A rule and a digest by mail, and a rule by webhook.
    private static let receivers = """
        INSERT INTO notilog.app (name) VALUES ('first');
        INSERT INTO notilog.saved_view (app_id, name, report, parameters, position)
        SELECT app_id, 'v', 'engagement', '{}', 0 FROM notilog.app;
        INSERT INTO notilog.digest (app_id, view, at, receiver, due_at, try_at)
        SELECT app_id, 'v', '07:00', 'mailto:team@example.com', now(), now() FROM notilog.app;
        INSERT INTO notilog.alert_rule (app_id, name, report, parameters, metric, condition, least_volume, wait, tz, receivers,
          next_day, due_at)
        SELECT app_id, 'r', 'engagement', '{}', 'reached', 'falls', 100, '0', 'UTC',
          '{mailto:ops@example.com,https://ops.example.com/hook,slack:https://hooks.example.com/x}', now(), now()
        FROM notilog.app;
        """

    @Test("settings that deliveries lack are missed only where something is to be delivered")
    func lacking() async throws {
        try await TestDatabase.withDatabase { database in
            let nothing = try await DoctorReport.run(database.url)
            nothing.expect("ok", "mail", "0 receivers of mail")
            nothing.expect("ok", "webhooks", "0 receivers of webhooks")
            nothing.expect("ok", "links", "lead to http://127.0.0.1:8080/")
            let owner = try await database.connect()
            try await owner.execute(script: Self.receivers)
            await owner.close()
            let report = try await DoctorReport.run(database.url)
            report.expect("warn", "mail", "2 receivers of mail, and mail.host is not set", advice: "mail.from")
            report.expect(
                "warn",
                "webhooks",
                "1 receiver of webhooks, and delivery.webhook_secret is not set",
                advice: "set it for the service"
            )
            report.expect("warn", "links", "delivery.page_url is not set", advice: "NOTILOG_DELIVERY_PAGE_URL")
            try await DoctorReport.run(
                database.url,
                environment: ["NOTILOG_DELIVERY_PAGE_URL": "https://page.example/"]
            ).expect("ok", "links", "lead to https://page.example/")
            try await DoctorReport.run(database.url, environment: ["NOTILOG_MAIL_HOST": "localhost"])
                .expect("fail", "mail", "mail.host needs mail.from", advice: "does not start")
        }
    }

    @Test("deliveries that fail, and those lately given up, are told of")
    func failing() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.execute(script: Self.receivers)
            try await owner.execute(
                script: """
                    INSERT INTO notilog.delivery (rule_id, app_id, day, receiver, message, state, attempts, ended_at)
                    SELECT r.rule_id, r.app_id, d.day, 'https://ops.example.com/hook', '{}', d.state, d.attempts, d.ended_at
                    FROM notilog.alert_rule r, (VALUES (date '2026-01-01', 'pending', 0, NULL), ('2026-01-02', 'pending', 3, NULL),
                      ('2026-01-03', 'failed', 40, now()), ('2026-01-04', 'failed', 40, now() - interval '8 days'),
                      ('2026-01-05', 'delivered', 2, now())) AS d (day, state, attempts, ended_at);
                    """
            )
            try await DoctorReport.run(database.url).expect(
                "warn",
                "deliveries",
                "1 failed and will be tried again, 1 were given up",
                advice: "notilog alerts deliveries"
            )
            try await owner.query("DELETE FROM notilog.delivery", cached: false)
            await owner.close()
            try await DoctorReport.run(database.url).expect("ok", "deliveries", "none fails")
        }
    }

    @Test("a rule that cannot be judged, and a digest that cannot be made, are told of")
    func unmade() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.execute(script: Self.receivers)
            let sound = try await DoctorReport.run(database.url)
            sound.expect("ok", "alerts", "each rule is judged")
            sound.expect("ok", "digests", "each can be made")
            try await owner.execute(
                script: """
                    SELECT notilog.postpone_digest(digest_id, due_at, 'no such report', 900) FROM notilog.digest;
                    SELECT notilog.postpone_alert_rule(rule_id, next_day, 'no such report', 900) FROM notilog.alert_rule;
                    """
            )
            await owner.close()
            let report = try await DoctorReport.run(database.url)
            report.expect("warn", "alerts", "1 rule could not be judged", advice: "notilog alerts list")
            report.expect("warn", "digests", "1 digest could not be made", advice: "notilog digests list")
        }
    }

    @Test("the server of mail is asked whether it lets the service in, for some seconds")
    func mailServer() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.execute(script: Self.receivers)
            await owner.close()
            let silent = try Sockets.listen()
            defer { close(silent.descriptor) }
            try await AlertReceivers.with { receivers in
                func report(_ settings: [String: String] = [:]) async throws -> DoctorReport {
                    let all = receivers.settings.merging(settings) { $1 }
                    return try await DoctorReport.run(database.url, environment: Self.variables(all))
                }
                let sound = try await report()
                sound.expect("ok", "mail", "2 receivers of mail, localhost:\(receivers.mailPort) answers")
                sound.expect("ok", "webhooks", "1 receiver of webhooks")
                // A mail is another thing.
                #expect(try receivers.receipts().isEmpty)
                let stranger = try await report(["mail.password": "wrong"])
                stranger.expect("warn", "mail", "answered AUTH PLAIN with code 535, not 235", advice: "mail.*")
                #expect(stranger.findings.allSatisfy { !$0.found.contains("wrong") })
                try await report(["mail.port": "1"])
                    .expect("warn", "mail", "localhost:1: the connection failed: Connection refused")
                try await report(["mail.host": "127.0.0.1", "mail.port": "\(silent.port)"])
                    .expect("warn", "mail", "no answer within 2 s")
            }
        }
    }
}
