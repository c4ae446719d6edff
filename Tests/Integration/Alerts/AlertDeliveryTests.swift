import PlainHTTP
import Postgres
import Testing

/// From an alert to its receivers: by the service, on real receivers, through kills.
@Suite("Alerts: deliveries", .serialized)
struct AlertDeliveryTests {
    @Test(
        "fifty kills between alert and delivery lose nothing, and what comes twice has one id",
        .timeLimit(.minutes(8))
    )
    func kills() async throws {
        try await AlertReceivers.with { receivers in
            try await TestDatabase.withDatabase { database in
                _ = try await TestApp.make("first", in: database)
                var settings = receivers.settings
                settings["delivery.attempt_seconds"] = "1"
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
                try await connection.raiseAlerts(days: 25)
                let ids: [String] = try await connection.texts("SELECT delivery_id::text FROM notilog.delivery")
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
                try await connection.waitForDeliveries(50, by: service)
                await service.stop()
                let receipts = try receivers.receipts()
                #expect(Set(receipts.compactMap(\.id)) == Set(ids))
                #expect(receipts.allSatisfy { $0.verified == true })
                // One id is one message, however often it came.
                let messages = Dictionary(grouping: receipts, by: { $0.id ?? "" })
                    .mapValues {
                        Set(
                            $0.compactMap(\.body).compactMap { body in
                                body.data.map { "\(body.timestamp ?? "") \($0.rule) \($0.day) \($0.alerts.map(\.id))" }
                            }
                        )
                    }
                #expect(messages.values.allSatisfy { $0.count == 1 })
                #expect(Set(messages.values.flatMap(\.self)).count == 50)
                await connection.close()
            }
        }
    }

    @Test("what becomes due while a receiver does not answer is delivered meanwhile; that one is tried twice at a time")
    func slowReceiver() async throws {
        try await AlertReceivers.with { receivers in
            try await TestDatabase.withDatabase { database in
                _ = try await TestApp.make("first", in: database)
                var settings = receivers.settings
                settings["delivery.attempt_seconds"] = "60"
                let connection = try await database.connect()
                try await database.addRule("activity", "--when", "events < 1", "--to", receivers.url("/hold"))
                try await connection.raiseAlerts(days: 5)
                let service = try await ServiceProcess.start(database: database.url, settings: settings)
                #expect(try await receivers.eventually { $0.contains { $0.path == "/hold" } }, "\(service.log)")
                // Another rule raises one meanwhile. The first one's alert is not raised again until it is resolved.
                try await database.addRule(
                    "activity",
                    "--when",
                    "events < 1",
                    "--name",
                    "second",
                    "--to",
                    receivers.url("/ok")
                )
                try await connection.query("DELETE FROM notilog.alert_figure")
                try await connection.raiseAlerts(days: 1)
                #expect(try await receivers.eventually { $0.contains { $0.path == "/ok" } }, "\(service.log)")
                let held = "SELECT count(*) FROM notilog.delivery WHERE state = 'pending' AND last_error IS NULL"
                // A message is noted as delivered a moment after it was.
                let isHeld = try await eventually { try await connection.value(held, as: Int64.self) == 5 }
                #expect(isHeld, "\(service.log)")
                // What was delivered meanwhile was claimed when the others were due.
                let tried = "SELECT count(*) FROM notilog.delivery WHERE attempts > 0"
                #expect(try await connection.value(tried, as: Int64.self) == 3, "\(service.log)")
                await service.kill()
                await connection.close()
            }
        }
    }

    @Test(
        "a receiver that is dead, refuses, or sends elsewhere holds up no other; it is tried again with growing pauses, for three days"
    )
    func deadReceivers() async throws {
        try await AlertReceivers.withService { receivers, service in
            let dead = [
                receivers.url("/hold"), receivers.url("/fail"), receivers.url("/redirect"), "http://127.0.0.1:1/",
                "https://127.0.0.1:\(receivers.mailPort)/",
            ]
            for index in 0..<10 { try await service.database.addResponseRule("dead \(index)", to: dead) }
            try await service.database.addResponseRule("well", to: [receivers.url("/ok")])
            try await service.judge()
            #expect(try await receivers.eventually { $0.contains { $0.path == "/ok" } }, "\(service.service.log)")
            let tried =
                "SELECT count(DISTINCT receiver) FROM notilog.delivery WHERE attempts > 0 AND last_error IS NOT NULL"
            #expect(try await service.eventually(tried, is: 5, within: .seconds(30)))
            #expect(try receivers.receipts().allSatisfy { $0.path != "/ok" || $0.body?.data?.rule == "well" })
            let errors =
                try await service.text("SELECT string_agg(DISTINCT last_error, '; ') FROM notilog.delivery")
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
                SELECT notilog.end_delivery(delivery_id, 'x', 60) FROM notilog.delivery
                WHERE delivery_id = (SELECT delivery_id FROM notilog.delivery WHERE state = 'pending' LIMIT 1)
                """
            #expect(try await connection.texts(claimed) == ["pending"])
            try await connection.query("UPDATE notilog.delivery SET created_at = now() - interval '73 hours'")
            #expect(try await connection.texts(claimed) == ["failed"])
            await connection.close()
        }
    }

    @Test("a mail server may take longer than an attempt to accept a mail, and may forward it")
    func slowMail() async throws {
        try await AlertReceivers.withService { receivers, service in
            try await service.database.addResponseRule(
                to: ["mailto:slow@example.com", "mailto:moved@example.com"]
            )
            try await service.judge()
            let delivered = "SELECT count(*) FROM notilog.delivery WHERE state = 'delivered' AND attempts = 1"
            #expect(try await service.eventually(delivered, is: 2, within: .seconds(30)), "\(service.service.log)")
            #expect(try receivers.receipts().count == 2)
        }
    }

    @Test("a mail without a mail server is said not to be delivered, where its rule and its digest are listed")
    func noMailServer() async throws {
        try await ServiceFixture.run { service in
            try await service.respondYesterday()
            try await service.database.addResponseRule(to: ["mailto:ops@example.com"])
            try await service.judge()
            try await service.database.saveView("all", "engagement")
            let added = try await service.database.command(
                "digests",
                "add",
                "all",
                "--daily",
                "--mail",
                "team@example.com"
            )
            #expect(added.status == 0, "\(added.errors)")
            let id = try await service.number("SELECT digest_id FROM notilog.digest")
            #expect(try await service.database.command("digests", "send", "\(id)").status == 0)
            let tried = """
                SELECT count(*) FROM notilog.delivery WHERE state = 'pending' AND last_error LIKE 'no mail server is set%'
                """
            #expect(try await service.eventually(tried, is: 2, within: .seconds(30)), "\(service.service.log)")
            let problem = "not delivered: no mail server is set: set mail.host"
            for path in ["/v1/alert_rules", "/v1/digests"] {
                let listed = try await service.client.get(path, key: service.app.read)
                #expect(listed.text.contains(problem), "\(listed.text)")
            }
            for command in ["alerts", "digests"] {
                let listed = try await service.database.command(command, "list")
                #expect(listed.output.contains(problem), "\(listed.output) \(listed.errors)")
                let deliveries = try await service.database.command(command, "deliveries")
                #expect(!deliveries.output.contains(" delivered "), "\(deliveries.output)")
            }
        }
    }

    @Test("a service that stops during an attempt notes how it ended, so that another tries again at once")
    func stopped() async throws {
        try await AlertReceivers.with { receivers in
            try await TestDatabase.withDatabase { database in
                _ = try await TestApp.make("first", in: database)
                try await database.addRule("activity", "--when", "events < 1", "--to", receivers.url("/hold"))
                let connection = try await database.connect()
                try await connection.raiseAlerts(days: 1)
                var settings = receivers.settings
                settings["delivery.attempt_seconds"] = "25"
                let service = try await ServiceProcess.start(database: database.url, settings: settings)
                #expect(try await receivers.eventually { !$0.isEmpty }, "\(service.log)")
                await service.stop()
                let noted: Int64 = try await connection.value(
                    "SELECT count(*) FROM notilog.delivery WHERE last_error LIKE '%cancelled%' AND next_at <= now()"
                )
                #expect(noted == 1, "\(service.log)")
                await connection.close()
            }
        }
    }

    @Test("webhooks go to no private address and to no http URL, unless a setting allows it")
    func privateAddresses() async throws {
        try await AlertReceivers.withService(["delivery.private_receivers": "false"]) { receivers, service in
            try await service.database.addResponseRule(to: [receivers.url("/ok"), receivers.secureURL("/ok")])
            try await service.judge()
            let refused = """
                SELECT count(*) FROM notilog.delivery
                WHERE last_error LIKE '%not https%' OR last_error LIKE '%private address%'
                """
            #expect(try await service.eventually(refused, is: 2, within: .seconds(30)), "\(service.service.log)")
            #expect(try receivers.receipts().isEmpty)
        }
    }
}
