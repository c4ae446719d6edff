import Foundation
import PlainHTTP
import Postgres
import Testing

/// From a rule to an alert: by the service, and to real receivers.
@Suite("Alerts", .serialized)
struct AlertTests {
    @Test(
        "a rule with a bound raises an alert for each cell, delivered signed, by Slack's body and by mail; then it is quiet until resolved"
    )
    func bound() async throws {
        try await AlertReceivers.withService { receivers, service in
            try await service.database.addResponseRule(
                "many & read",
                to: [
                    receivers.secureURL("/ok?secret"), "slack:" + receivers.url("/ok"), "mailto:ops@example.com",
                ]
            )
            let list = try await service.database.alerts(["list"])
            #expect(
                list.output.contains("https://localhost:\(receivers.securePort)/…")
                    && !list.output.contains("?secret")
            )
            let yesterday = String(ServiceFixture.noonYesterday.prefix(10))
            // Its responses have three days: until they are over, a figure is no reason to wake anybody.
            let path = "/v1/alert_rules/many%20%26%20read/test?day="
            let young = try await service.client.get(path + yesterday, key: service.app.read)
            #expect(young.status == 400 && young.text.contains("\(yesterday) has no verdict before"), "\(young.text)")
            let refused = try await service.database.alerts(["test", "many & read", "--day", yesterday])
            #expect(refused.status == 1 && refused.errors.contains("or an earlier day"), "\(refused.errors)")
            let connection = try await service.database.connect()
            try await connection.query("UPDATE notilog.alert_rule SET wait = '0'")
            let tested = try await service.database.alerts(["test", "many & read", "--json", "--day", yesterday])
            #expect(
                tested.output.contains("\"alert\"") && tested.output.contains("\"quiet\""),
                "\(tested.output) \(tested.errors)"
            )
            let shown = try await service.database.alerts(["test", "many & read", "--day", yesterday])
            #expect(shown.output.contains(/category=news +3 +3 +– +– +– +alert\n/), "\(shown.output)")
            let empty = try await service.database.alerts(["test", "many & read", "--day", "2020-01-01"])
            #expect(
                empty.status == 0 && empty.errors.contains("nothing to judge of 2020-01-01: no cell"),
                "\(empty.errors)"
            )
            let answer = try await service.client.get(path + yesterday, key: service.app.read)
            let cells = try answer.decoded(Tested.self).cells
            let verdicts = cells.map { "\($0.cell["category"] ?? "") \($0.verdict)" }
            #expect(verdicts == ["news alert", "offer quiet"], "\(answer.text)")
            #expect(try await service.client.get(path + "noon", key: service.app.read).status == 400)
            let unknown = try await service.client.get("/v1/alert_rules/none/test", key: service.app.read)
            #expect(unknown.status == 404)
            #expect(try await service.number("SELECT count(*) FROM notilog.alert") == 0)

            try await service.judge()
            #expect(try await receivers.eventually { $0.count == 3 }, "\(service.service.log)")
            let receipts = try receivers.receipts()
            let hook = try #require(receipts.first { $0.path == "/ok?secret" })
            #expect(hook.verified == true && hook.body?.type == "alert.raised")
            let data = try #require(hook.body?.data)
            #expect(
                data.app == "first" && data.rule == "many & read" && data.alerts_total == 1 && data.position >= 4
            )
            #expect(data.unit == "notifications")
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
                    "SELECT count(*) FROM notilog.delivery WHERE state = 'delivered'",
                    is: 3
                )
            )
            #expect(Set(receipts.compactMap(\.id)).count == 3)

            // Out the next day too: quiet. Then not: resolved.
            try await connection.query("DELETE FROM notilog.alert_figure")
            await connection.close()
            try await service.judge()
            #expect(
                try await service.eventually(
                    "SELECT count(*) FROM notilog.alert_rule WHERE next_day = current_date",
                    is: 1
                )
            )
            #expect(try await service.number("SELECT count(*) FROM notilog.alert") == 1)
            try await service.judge(daysAgo: 0)
            #expect(
                try await service.eventually("SELECT count(*) FROM notilog.alert WHERE resolved_at IS NULL", is: 0)
            )
            #expect(try receivers.receipts().count == 3)
            let deliveries = try await service.database.alerts(["deliveries"])
            #expect(deliveries.output.contains("delivered") && !deliveries.output.contains("?secret"))
            let listed = try await service.database.alerts(["raised", "--json"])
            let alerts = try JSONDecoder().decode([Listed].self, from: Data(listed.output.utf8))
            let alert = try #require(alerts.first)
            #expect(alert.cell == ["category": "news"] && alert.resolved_at != nil)
            #expect(alert.figures["value"] == 3 && alert.figures["bound"] == 1, "\(listed.output)")
            let table = try await service.database.alerts(["raised"]).output
            #expect(table.contains("category=news") && table.contains("BOUND") && !table.contains("{"), "\(table)")
            #expect(try await service.database.alerts(["remove", "many & read"]).status == 0)
            #expect(try await service.number("SELECT count(*) FROM notilog.delivery") == 0)
        }
    }

    /// An alert of `notilog alerts raised --json`.
    private struct Listed: Decodable {
        var cell: [String: String]
        var figures: [String: Double]
        var resolved_at: String?
    }

    /// The answer to `GET /v1/alert_rules/{name}/test`.
    private struct Tested: Decodable {
        struct Cell: Decodable {
            var cell: [String: String]
            var verdict: String
        }

        var cells: [Cell]
    }

    @Test(
        "a rule against the usual compares with figures of equal age alone, says what is usual, and is resolved by hand for good"
    )
    func usual() async throws {
        try await AlertReceivers.withService { receivers, service in
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
            try await service.judge()
            #expect(
                try await service.eventually(
                    "SELECT count(*) FROM notilog.alert_rule WHERE next_day = current_date",
                    is: 1
                )
            )
            #expect(try await service.number("SELECT count(*) FROM notilog.alert") == 0)
            try await connection.query("DELETE FROM notilog.alert_figure")
            try await remember(true)
            try await service.judge()
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
