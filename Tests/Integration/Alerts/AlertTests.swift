import EventLog
import Foundation
import PlainHTTP
import Postgres
import Testing

/// From a rule to its receivers: by the service, on real receivers, through kills.
@Suite("Alerts", .serialized)
struct AlertTests {
    /// Makes rules judge a day at once: their next one, at an age of half an hour beyond what they wait for.
    private func due(_ service: ServiceFixture, day: String = "current_date - 1") async throws {
        let connection = try await service.database.connect()
        try await connection.query(
            """
            UPDATE notilog.alert_rule
            SET next_day = \(day), wait = greatest(now() - (\(day) + 1)::timestamp AT TIME ZONE tz - interval '30 minutes', '0'), due_at = now()
            """
        )
        await connection.close()
    }

    private static let yesterday = "(current_date - 1)::timestamp AT TIME ZONE 'UTC' + interval '12 hours'"

    /// Requests of two categories, yesterday at noon.
    private func send(_ service: ServiceFixture) async throws {
        let noon = ISO8601DateFormatter().string(
            from: Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 - 43_200)
        )
        for (category, count) in [("news", 3), ("offer", 1)] {
            for index in 0..<count {
                let body = Sample.action(
                    device: "\(category)\(index)",
                    at: noon,
                    more: #","category_id":"\#(category)""#
                )
                #expect(try await service.client.post(body, key: service.app.write).events.accepted == 1)
            }
        }
        try #require(try await service.caughtUp())
    }

    @Test(
        "a rule with a bound raises an alert for each cell, delivered signed, by Slack's body and by mail; then it is quiet until resolved"
    )
    func bound() async throws {
        try await AlertReceivers.with { receivers in
            try await ServiceFixture.run(receivers.settings) { service in
                try await send(service)
                try await service.database.addRule(
                    "engagement by category",
                    "--when",
                    "responded > 1",
                    "--name",
                    "many & read",
                    "--to",
                    receivers.secureURL("/ok?secret"),
                    "--to",
                    "slack:" + receivers.url("/ok"),
                    "--to",
                    "mailto:ops@example.com"
                )
                let list = try await service.database.alerts(["list"])
                #expect(
                    list.output.contains("https://localhost:\(receivers.securePort)/…")
                        && !list.output.contains("?secret")
                )
                let tested = try await service.database.alerts(["test", "many & read", "--json", "--day", noonDay])
                #expect(
                    tested.output.contains("\"alert\"") && tested.output.contains("\"quiet\""),
                    "\(tested.output) \(tested.errors)"
                )
                #expect(try await service.number("SELECT count(*) FROM notilog.alert") == 0)

                try await due(service)
                #expect(try await receivers.eventually { $0.count == 3 }, "\(service.service.log)")
                let receipts = try receivers.receipts()
                let hook = try #require(receipts.first { $0.path == "/ok?secret" })
                #expect(hook.verified == true && hook.body?.type == "alert.raised")
                let data = try #require(hook.body?.data)
                #expect(
                    data.app == "first" && data.rule == "many & read" && data.alerts_total == 1 && data.position >= 4
                )
                #expect(data.link == "https://page.example/#/alerts?rule=many%20%26%20read")
                let raised = try #require(data.alerts.first)
                #expect(raised.cell == ["category": "news"] && raised.value == 3 && raised.bound == 1)
                let slack = try #require(receipts.first { $0.path == "/ok" }?.body?.text)
                #expect(slack.contains("many &amp; read") && slack.contains("category=news"))
                let mail = try #require(receipts.first { $0.path == "mail" })
                #expect(mail.tls == true && mail.authenticated == true && mail.to == ["ops@example.com"])
                #expect(mail.subject?.contains("many & read") == true && mail.text?.contains("category=news") == true)
                #expect(
                    try await service.eventually(
                        "SELECT count(*) FROM notilog.alert_delivery WHERE state = 'delivered'",
                        is: 3
                    )
                )
                #expect(Set(receipts.compactMap(\.id)).count == 3)

                // Out the next day too: quiet. Then not: resolved.
                let connection = try await service.database.connect()
                try await connection.query("DELETE FROM notilog.alert_figure")
                await connection.close()
                try await due(service)
                #expect(
                    try await service.eventually(
                        "SELECT count(*) FROM notilog.alert_rule WHERE next_day = current_date",
                        is: 1
                    )
                )
                #expect(try await service.number("SELECT count(*) FROM notilog.alert") == 1)
                try await due(service, day: "current_date")
                #expect(
                    try await service.eventually("SELECT count(*) FROM notilog.alert WHERE resolved_at IS NULL", is: 0)
                )
                #expect(try receivers.receipts().count == 3)
                let deliveries = try await service.database.alerts(["deliveries"])
                #expect(deliveries.output.contains("delivered") && !deliveries.output.contains("?secret"))
                #expect(try await service.database.alerts(["raised", "--json"]).output.contains("\"resolved_at\""))
                #expect(try await service.database.alerts(["remove", "many & read"]).status == 0)
                #expect(try await service.number("SELECT count(*) FROM notilog.alert_delivery") == 0)
            }
        }
    }

    private var noonDay: String {
        let day = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400 - 43_200)
        return String(ISO8601DateFormatter().string(from: day).prefix(10))
    }

    @Test(
        "a rule against the usual compares with figures of equal age alone, says what is usual, and is resolved by hand for good"
    )
    func usual() async throws {
        try await AlertReceivers.with { receivers in
            try await ServiceFixture.run(receivers.settings) { service in
                try await send(service)
                try await service.database.addRule(
                    "engagement by category",
                    "--when",
                    "responded falls",
                    "--name",
                    "fewer",
                    "--volume",
                    "2",
                    "--to",
                    receivers.url("/ok")
                )
                let connection = try await service.database.connect()
                func remember(_ inTime: Bool) async throws {
                    try await connection.query(
                        """
                        INSERT INTO notilog.alert_figure (rule_id, app_id, cell, day, value, volume, in_time, is_out)
                        SELECT rule_id, app_id, '{"category": "news"}', current_date - 1 - n, 500 + n % 7, 500, $1, false
                        FROM notilog.alert_rule, generate_series(1, 28) n
                        ON CONFLICT (rule_id, day, cell) DO UPDATE SET in_time = excluded.in_time
                        """,
                        [.bool(inTime)]
                    )
                }
                try await remember(false)
                try await due(service)
                #expect(
                    try await service.eventually(
                        "SELECT count(*) FROM notilog.alert_rule WHERE next_day = current_date",
                        is: 1
                    )
                )
                #expect(try await service.number("SELECT count(*) FROM notilog.alert") == 0)
                try await connection.query("DELETE FROM notilog.alert_figure")
                try await remember(true)
                try await due(service)
                #expect(try await receivers.eventually { $0.count == 1 }, "\(service.service.log)")
                let raised = try #require(try receivers.receipts().first?.body?.data?.alerts.first)
                #expect(raised.cell == ["category": "news"] && raised.value == 3)
                let (low, usual, high) = (
                    try #require(raised.low), try #require(raised.usual), try #require(raised.high)
                )
                #expect(low > 300 && low < usual && usual < high && abs(usual - 500) < 7)
                let id = try await service.number("SELECT alert_id FROM notilog.alert")
                #expect(try await service.database.alerts(["resolve", String(id)]).status == 0)
                #expect(try await service.database.alerts(["resolve", String(id)]).status == 1)
                // What it is since the alert is all that is known of the cell.
                #expect(
                    try await service.number(
                        "SELECT count(*) FROM notilog.alert_figure WHERE cell->>'category' = 'news'"
                    ) == 1
                )
                await connection.close()
            }
        }
    }

    @Test(
        "fifty kills between alert and delivery lose nothing, and what comes twice has one id",
        .timeLimit(.minutes(8))
    )
    func kills() async throws {
        try await AlertReceivers.with { receivers in
            try await TestDatabase.withDatabase { database in
                _ = try await TestApp.make("first", in: database)
                var settings = receivers.settings
                settings["alerts.attempt_seconds"] = "1"
                for rule in 1...2 {
                    try await database.addRule(
                        "activity",
                        "--when",
                        "events < 1",
                        "--name",
                        "silent \(rule)",
                        "--to",
                        receivers.url("/once")
                    )
                }
                let connection = try await database.connect()
                // An alert of each rule and day, as its judgement writes it.
                for day in 1...25 {
                    try await connection.query(
                        """
                        UPDATE notilog.alert_rule SET next_day = current_date - \(day);
                        """
                    )
                    try await connection.query(
                        """
                        SELECT notilog.finish_alert_day(rule_id, next_day, true, 1,
                          jsonb_build_array(jsonb_build_object('cell', jsonb_build_object('day', next_day), 'value', 0, 'volume', 0,
                            'is_judged', true, 'is_out', true, 'evidence', jsonb_build_object('value', 0, 'volume', 0))),
                          jsonb_build_object('app', 'first', 'rule', name, 'report', report, 'condition', 'events < 1',
                            'metric', metric, 'day', next_day, 'position', 1, 'link', 'https://page.example/'))
                        FROM notilog.alert_rule
                        """
                    )
                }
                // They judge nothing by themselves meanwhile.
                try await connection.query("UPDATE notilog.alert_rule SET due_at = now() + interval '1 day'")
                let ids: [String] = try await connection.texts("SELECT delivery_id::text FROM notilog.alert_delivery")
                try #require(ids.count == 50)
                var kills = 0
                while kills < 50 {
                    let before = try receivers.receipts().count
                    let service = try await ServiceProcess.start(database: database.url, settings: settings)
                    // Some when a receiver has it and the service does not know yet, some when it does.
                    if kills % 2 == 0 { _ = try await receivers.eventually(within: .seconds(1)) { $0.count > before } }
                    await service.kill()
                    kills += 1
                }
                let service = try await ServiceProcess.start(database: database.url, settings: settings)
                let deadline = ContinuousClock.now + .seconds(120)
                while try await connection.value(
                    "SELECT count(*) FROM notilog.alert_delivery WHERE state <> 'delivered'"
                ) as Int64 > 0 {
                    try #require(ContinuousClock.now < deadline, "\(service.log)")
                    // The pauses after an attempt need not be waited for.
                    try await connection.query(
                        "UPDATE notilog.alert_delivery SET next_at = least(next_at, now() + interval '3 s')"
                    )
                    try await ContinuousClock().sleep(for: .milliseconds(100))
                }
                await service.stop()
                let receipts = try receivers.receipts()
                #expect(Set(receipts.compactMap(\.id)) == Set(ids))
                #expect(receipts.allSatisfy { $0.verified == true })
                // One id is one message, however often it came.
                let messages = Dictionary(grouping: receipts, by: { $0.id ?? "" })
                    .mapValues {
                        Set($0.compactMap { $0.body?.data }.map { "\($0.rule) \($0.day) \($0.alerts.map(\.id))" })
                    }
                #expect(messages.values.allSatisfy { $0.count == 1 })
                #expect(Set(messages.values.flatMap(\.self)).count == 50)
                await connection.close()
            }
        }
    }

    @Test(
        "a receiver that is dead, refuses, or sends elsewhere holds up no other; it is tried again with growing pauses, for three days"
    )
    func deadReceivers() async throws {
        try await AlertReceivers.with { receivers in
            try await ServiceFixture.run(receivers.settings) { service in
                try await send(service)
                for index in 0..<10 {
                    try await service.database.addRule(
                        "engagement by category",
                        "--when",
                        "responded > 1",
                        "--name",
                        "dead \(index)",
                        "--to",
                        receivers.url("/hold"),
                        "--to",
                        receivers.url("/fail"),
                        "--to",
                        receivers.url("/redirect"),
                        "--to",
                        "http://127.0.0.1:1/",
                        "--to",
                        "https://127.0.0.1:\(receivers.mailPort)/"
                    )
                }
                try await service.database.addRule(
                    "engagement by category",
                    "--when",
                    "responded > 1",
                    "--name",
                    "well",
                    "--to",
                    receivers.url("/ok")
                )
                try await due(service)
                #expect(try await receivers.eventually { $0.contains { $0.path == "/ok" } }, "\(service.service.log)")
                let tried =
                    "SELECT count(DISTINCT receiver) FROM notilog.alert_delivery WHERE attempts > 0 AND last_error IS NOT NULL"
                #expect(try await service.eventually(tried, is: 5, within: .seconds(30)))
                #expect(try receivers.receipts().allSatisfy { $0.path != "/ok" || $0.body?.data?.rule == "well" })
                let errors =
                    try await service.text("SELECT string_agg(DISTINCT last_error, '; ') FROM notilog.alert_delivery")
                    ?? ""
                #expect(
                    errors.contains("status 500") && errors.contains("status 302") && errors.contains("within 2 s"),
                    "\(errors)"
                )
                #expect(
                    try await service.client.post(Sample.action(device: "d9"), key: service.app.write).status == 200
                )

                let connection = try await service.database.connect()
                let claimed = """
                    SELECT notilog.end_alert_delivery(delivery_id, 'x', 60) FROM notilog.alert_delivery
                    WHERE delivery_id = (SELECT delivery_id FROM notilog.alert_delivery WHERE state = 'pending' LIMIT 1)
                    """
                #expect(try await connection.texts(claimed) == ["pending"])
                try await connection.query("UPDATE notilog.alert_delivery SET created_at = now() - interval '73 hours'")
                #expect(try await connection.texts(claimed) == ["failed"])
                await connection.close()
            }
        }
    }

    @Test("webhooks go to no private address and to no http URL, unless a setting allows it")
    func privateAddresses() async throws {
        try await AlertReceivers.with { receivers in
            var settings = receivers.settings
            settings["alerts.private_receivers"] = "false"
            try await ServiceFixture.run(settings) { service in
                try await send(service)
                try await service.database.addRule(
                    "engagement by category",
                    "--when",
                    "responded > 1",
                    "--to",
                    receivers.url("/ok"),
                    "--to",
                    receivers.secureURL("/ok")
                )
                try await due(service)
                let refused = """
                    SELECT count(*) FROM notilog.alert_delivery
                    WHERE last_error LIKE '%not https%' OR last_error LIKE '%private address%'
                    """
                #expect(try await service.eventually(refused, is: 2, within: .seconds(30)), "\(service.service.log)")
                #expect(try receivers.receipts().isEmpty)
            }
        }
    }
}
