import Digests
import EventLog
import Foundation
import Logging
import PlainHTTP
import Postgres
import Reports
import Testing

/// From a saved view to a mail: by the service, on a real mail server, through kills.
@Suite("Digests", .serialized)
struct DigestTests {
    private static let day = 86_400.0

    /// The date so many days before today, in UTC.
    private func date(daysAgo: Int) -> String {
        let day = Date(timeIntervalSince1970: Date().timeIntervalSince1970 - Double(daysAgo) * Self.day)
        return String(ISO8601DateFormatter().string(from: day).prefix(10))
    }

    /// What was done on days before today: responses to notifications of a category.
    private func send(_ service: ServiceFixture, _ responses: [(daysAgo: Int, category: String, count: Int)])
        async throws
    {
        for (daysAgo, category, count) in responses {
            for index in 0..<count {
                let at = "\(date(daysAgo: daysAgo))T0\(index % 10):15:00Z"
                let (device, notification) = ("\(category)\(index)", "\(daysAgo)-\(index)")
                let more = #","category_id":"\#(category)","campaign_id":"of \#(category)""#
                let request =
                    #"{"kind":"request","device_id":"\#(device)","notification_id":"\#(notification)","occurred_at":"\#(at)"\#(more)}"#
                #expect(try await service.client.post(request, key: service.app.write).events.accepted == 1)
                guard index % 3 > 0 else { continue }
                let action = Sample.action(device: device, notification: notification, at: at, more: more)
                #expect(try await service.client.post(action, key: service.app.write).events.accepted == 1)
            }
        }
        try #require(try await service.caughtUp())
    }

    private struct Report: Decodable {
        struct Row: Decodable {
            var category: String?
            var reached: Int
            var respondedInWindow: Int
            var engagementRate: Double?
        }

        var rows: [Row]
    }

    private func asked(_ service: ServiceFixture, _ query: String) async throws -> [Report.Row] {
        let answer = try await service.send("GET", "/v1/reports/engagement?\(query)", key: service.app.read)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decoded(Report.self).rows
    }

    /// The cells of a line of figures.
    private func cells(_ text: String, _ name: String) -> [String] {
        let line = text.split(whereSeparator: \.isNewline).first {
            $0.trimmingCharacters(in: .whitespaces).hasPrefix(name + "  ")
        }
        return line.map { $0.split(separator: /\s{2,}/).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } }
            ?? []
    }

    @Test("a digest says what /v1/reports says of the same days, in text, HTML and a picture, and how to end it")
    func mail() async throws {
        try await AlertReceivers.with { receivers in
            try await ServiceFixture.run(receivers.settings) { service in
                try await send(
                    service,
                    [
                        (1, "news", 9), (1, "offer", 4), (1, "Grüße & <b>", 2), (2, "news", 6), (2, "offer", 5),
                        (3, "news", 7),
                    ]
                )
                try await service.database.saveView("täglich", "engagement", "--window", "PT1H")
                let added = try await service.send(
                    "POST",
                    "/v1/digests",
                    #"{"view":"täglich","every":"day","at":"07:30","mail":"team@example.com"}"#,
                    key: service.app.admin
                )
                #expect(added.status == 201, "\(added.text)")
                let id = try await service.number("SELECT digest_id FROM notilog.digest")
                let list = try await service.send("GET", "/v1/digests", key: service.app.read)
                #expect(list.text.contains(#""at":"07:30""#) && list.text.contains(#""weekday":null"#), "\(list.text)")
                #expect(try await service.send("PUT", "/v1/digests/\(id)/due", key: service.app.read).status == 403)
                #expect(try await service.send("PUT", "/v1/digests/\(id)/due", key: service.app.admin).status == 200)
                #expect(try await receivers.eventually { $0.count == 1 }, "\(service.service.log)")
                let mail = try #require(try receivers.receipts().first)
                #expect(mail.tls == true && mail.authenticated == true && mail.to == ["team@example.com"])
                #expect(mail.defects == [])
                #expect(
                    mail.types == [
                        "multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png",
                    ]
                )
                #expect(mail.subject?.hasPrefix("first: täglich, ") == true)
                let image = try #require(mail.images?.first)
                #expect(image.id == "<chart@notilog>" && image.width == 1120 && image.height == 320)
                #expect(image.colours.first == "ffffff" && image.colours.contains("2563eb"))

                // However often it is asked for.
                #expect(try await service.send("PUT", "/v1/digests/\(id)/due", key: service.app.admin).status == 200)
                #expect(
                    try await service.number(
                        "SELECT count(*) FROM notilog.digest WHERE due_at <= now() AND try_at = made_at + interval '1 min'"
                    ) == 1
                )

                let (text, html) = (try #require(mail.text), try #require(mail.html))
                let range = "from=\(date(daysAgo: 1))&to=\(date(daysAgo: 0))&window=PT1H"
                let before = "from=\(date(daysAgo: 2))&to=\(date(daysAgo: 1))&window=PT1H"
                let total = try #require(try await asked(service, range + "&by=none").first)
                let earlier = try #require(try await asked(service, before + "&by=none").first)
                #expect(total.reached == 15 && earlier.reached == 11)
                let part = (Double(total.reached) / Double(earlier.reached) - 1) * 100
                #expect(cells(text, "reached").contains(String(total.reached)), "\(text)")
                #expect(cells(text, "reached").contains(String(format: "%+.1f %%", part)), "\(text)")
                #expect(cells(text, "responded in window").contains(String(total.respondedInWindow)), "\(text)")
                let (rate, rateBefore) = (try #require(total.engagementRate), try #require(earlier.engagementRate))
                let rateCells = cells(text, "engagement rate")
                #expect(rateCells.contains(String(format: "%.1f %%", rate * 100)), "\(text)")
                let points = String(format: "%.1f pp (", abs(rate - rateBefore) * 100)
                #expect(rateCells.contains { $0.contains(points) }, "\(text)")
                let rows = try await asked(service, range)
                #expect(rows.count == 3)
                for row in rows {
                    let name = try #require(row.category)
                    #expect(cells(text, name).contains(String(row.reached)), "\(name): \(text)")
                    #expect(cells(text, name).contains(String(row.respondedInWindow)), "\(name): \(text)")
                }
                #expect(html.contains("Grüße &amp; &lt;b&gt;") && html.contains("src=\"cid:chart@notilog\""))
                #expect(html.contains(String(format: "%.1f %%", rate * 100)))
                #expect(html.contains("\(date(daysAgo: 1)) 15"))
                #expect(text.contains("https://page.example/#/saved?name=t%C3%A4glich"))
                #expect(text.contains("notilog digests remove \(id) --app first"))
                let position = try await service.number("SELECT settled_position FROM log.state")
                #expect(text.contains("At position \(position), "), "\(text)")
                #expect(!text.contains("sesame") && !service.service.log.contains("sesame"))

                let connection = try await service.database.connect()
                let noted: Int64 = try await connection.value(
                    "SELECT count(*) FROM notilog.annotate(1, now() - interval '2 days', 'release 4.2')"
                )
                await connection.close()
                let page = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).html")
                #expect(try await service.database.command("digest", "täglich", "--html", page.path).status == 0)
                let shown = try String(contentsOf: page, encoding: .utf8)
                #expect(noted == 1 && shown.contains("noted: \(date(daysAgo: 2)) release 4.2"))
                try FileManager.default.removeItem(at: page)
                let printed = try await service.database.command("digest", "täglich")
                #expect(printed.status == 0 && cells(printed.output, "reached") == cells(text, "reached"), "\(printed)")
                #expect(!printed.output.contains("remove"))
                let deliveries = try await service.database.command("digests", "deliveries")
                #expect(deliveries.output.contains("delivered") && deliveries.output.contains("täglich"))
                #expect(!(try await service.database.alerts(["deliveries"]).output.contains("delivered")))
                #expect(try await service.database.command("digests", "remove", "\(id)").status == 0)
                #expect(try await service.number("SELECT count(*) FROM notilog.delivery") == 0)
            }
        }
    }

    @Test("a week is printed too, a report without totals gives its rows, and what is no report of days is refused")
    func printed() async throws {
        try await ServiceFixture.run { service in
            try await send(service, [(7, "news", 6), (14, "news", 4)])
            try await service.database.saveView("week", "engagement", "--window", "P3D", "--tz", "Europe/Berlin")
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "notilog-\(UUID().uuidString).html"
            )
            defer { try? FileManager.default.removeItem(at: folder) }
            let week = try await service.database.command("digest", "week", "--weekly", "--html", folder.path)
            #expect(week.status == 0 && week.output.contains("Europe/Berlin"), "\(week.errors)")
            #expect(week.output.contains("Compared with Mon "), "\(week.output)")
            // Seven days ago is in the last full week on every day of a week.
            #expect(cells(week.output, "reached").contains("6") && week.output.contains("+50.0 %"), "\(week.output)")
            #expect(try String(contentsOf: folder, encoding: .utf8).contains("data:image/png;base64,"))
            // A campaign of both weeks is cut where one ends.
            try await service.database.saveView("campaigns", "engagement", "--param", "by=campaign")
            let campaigns = try await service.database.command("digest", "campaigns", "--weekly")
            let row = cells(campaigns.output, "of news")
            let changes = row.filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
            #expect(row.contains("6") && changes.isEmpty, "\(campaigns.output)")
            #expect(cells(campaigns.output, "reached").contains("+50.0 %"), "\(campaigns.output)")
            #expect(campaigns.output.contains("Campaigns are not compared"), "\(campaigns.output)")
            try await service.database.saveView("stages", "funnel")
            let stages = try await service.database.command("digest", "stages", "--weekly")
            let responded = cells(stages.output, "responded")
            #expect(stages.status == 0 && responded.contains("4"), "\(stages.output) \(stages.errors)")
            try await service.database.saveView("classes", "reachability")
            let classes = try await service.database.command("digest", "classes")
            #expect(classes.status == 1 && classes.errors.contains("several rows of one name"), "\(classes)")
            let added = try await service.database.command("digests", "add", "classes", "--daily", "--mail", "a@b")
            #expect(added.status == 1 && added.errors.contains("several rows of one name"), "\(added)")
            let sent = try await service.send(
                "POST",
                "/v1/digests",
                #"{"view":"classes","every":"day","mail":"a@b"}"#,
                key: service.app.admin
            )
            #expect(sent.status == 400 && sent.text.contains("several rows of one name"), "\(sent.text)")
            let missing = try await service.database.command("digest", "no such")
            #expect(missing.status == 1 && missing.errors.contains("no view of that name"))
            // As one of a zone that a newer release of PostgreSQL no longer has.
            try await service.database.saveView("mars", "engagement")
            let connection = try await service.database.connect()
            try await connection.query(
                #"UPDATE notilog.saved_view SET parameters = '{"tz":["Mars/Phobos"]}' WHERE name = 'mars'"#
            )
            await connection.close()
            let lost = try await service.database.command("digest", "mars")
            #expect(lost.status == 1 && lost.errors.contains("time zone"), "\(lost.errors)")
        }
    }

    @Test("periods that were missed are sent once, late; one that cannot be made says why and is tried again")
    func missed() async throws {
        try await AlertReceivers.with { receivers in
            try await TestDatabase.withDatabase { database in
                _ = try await TestApp.make("first", in: database)
                try await database.saveView("all", "engagement", "--param", "by=none")
                let added = try await database.command("digests", "add", "all", "--daily", "--mail", "a@example.com")
                #expect(added.status == 0, "\(added.errors)")
                let connection = try await database.connect()
                // Twenty days without a service.
                try await connection.query(
                    "UPDATE notilog.digest SET due_at = due_at - interval '20 days', try_at = due_at - interval '20 days'"
                )
                let first = try await ServiceProcess.start(database: database.url, settings: receivers.settings)
                let second = try await ServiceProcess.start(database: database.url, settings: receivers.settings)
                #expect(try await receivers.eventually { !$0.isEmpty }, "\(first.log) \(second.log)")
                #expect(
                    try await connection.value(
                        "SELECT count(*) FROM notilog.digest WHERE due_at BETWEEN now() AND now() + interval '25 h' AND made_at IS NOT NULL"
                    ) as Int64 == 1
                )
                #expect(try await connection.value("SELECT count(*) FROM notilog.delivery") as Int64 == 1)
                let text = try #require(try receivers.receipts().first?.text)
                #expect(text.contains("There was nothing in it.") || text.contains("reached"), "\(text)")

                // The first was made more than a minute ago. Views of later releases may ask for a report that this one does not have.
                try await connection.query("UPDATE notilog.digest SET made_at = made_at - interval '1 min'")
                try await connection.query("UPDATE notilog.saved_view SET report = 'nonsense'")
                let id: Int64 = try await connection.value("SELECT digest_id FROM notilog.digest")
                #expect(try await database.command("digests", "send", "\(id)").status == 0)
                let deadline = ContinuousClock.now + .seconds(30)
                while try await connection.value(
                    "SELECT count(*) FROM notilog.digest WHERE last_error LIKE '%no report%' AND try_at > now() + interval '5 min'"
                ) as Int64 == 0 {
                    try #require(ContinuousClock.now < deadline, "\(first.log)")
                    try await ContinuousClock().sleep(for: .milliseconds(50))
                }
                #expect(try await database.command("digests", "list").output.contains("no report"))
                try await eventually("the log says so") {
                    (first.log + second.log).contains("a digest cannot be made")
                }
                #expect(try receivers.receipts().count == 1)
                await first.stop()
                await second.stop()
                await connection.close()
            }
        }
    }

    @Test("fifty kills between due and delivery lose no digest, and none is made twice", .timeLimit(.minutes(8)))
    func kills() async throws {
        try await AlertReceivers.with { receivers in
            try await TestDatabase.withDatabase { database in
                let app = try await TestApp.make("first", in: database)
                try await database.saveView("all", "engagement", "--param", "by=none")
                let connection = try await database.connect()
                try await connection.query(
                    """
                    SELECT notilog.add_digest($1, 'all', NULL, '08:00', 'mailto:team' || n || '@example.com')
                    FROM generate_series(1, 50) n
                    """,
                    [.app(app.id)]
                )
                try await connection.query("UPDATE notilog.digest SET due_at = now() - interval '1 h', try_at = now()")
                for kill in 0..<50 {
                    let before = try receivers.receipts().count
                    let service = try await ServiceProcess.start(database: database.url, settings: receivers.settings)
                    // Some when the mail server has one and the service does not know yet, some when one is being made.
                    if kill % 2 == 0 {
                        _ = try await receivers.eventually(within: .milliseconds(500)) { $0.count > before }
                    }
                    await service.kill()
                    // A claim, and the pause after an attempt, need not be waited for.
                    try await connection.query(
                        "UPDATE notilog.digest SET try_at = due_at WHERE due_at < now()"
                    )
                }
                let service = try await ServiceProcess.start(database: database.url, settings: receivers.settings)
                try await connection.waitForDeliveries(50, by: service)
                await service.stop()
                let ids: [String] = try await connection.texts("SELECT delivery_id::text FROM notilog.delivery")
                #expect(ids.count == 50)
                let receipts = try receivers.receipts()
                #expect(Set(receipts.compactMap(\.id)) == Set(ids.map { "<\($0)@notilog>" }))
                // One id is one message to one address, however often it came.
                let messages = Dictionary(grouping: receipts, by: { $0.id ?? "" })
                    .mapValues { Set($0.map { "\($0.to ?? []) \($0.text ?? "")" }) }
                #expect(messages.values.allSatisfy { $0.count == 1 })
                #expect(Set(receipts.compactMap(\.to?.first)).count == 50)
                await connection.close()
            }
        }
    }

    @Test(
        "what cannot be sent is refused, and so is one more than the limit; no app has another's; each app has its turn"
    )
    func refused() async throws {
        try await TestDatabase.withDatabase { database in
            let (many, one) = (
                try await TestApp.make("first", in: database), try await TestApp.make("second", in: database)
            )
            for app in ["first", "second"] { try await database.saveView("all", "engagement", "--app", app) }
            for (arguments, status, message) in [
                (["all", "--daily", "--weekly", "--mail", "a@b"], 64, "--daily or --weekly"),
                (["all", "--mail", "a@b"], 64, "--daily or --weekly"),
                (["none", "--daily", "--mail", "a@b"], 1, "no view of that name"),
                (["all", "--daily", "--mail", "nobody"], 64, "NAME@HOST"),
                (["all", "--daily", "--weekday", "monday", "--mail", "a@b"], 64, "weekly digest"),
                (["all", "--weekly", "--weekday", "lundi", "--mail", "a@b"], 64, "a weekday is one of"),
                (["all", "--weekly", "--at", "8", "--mail", "a@b"], 64, "HH:MM"),
            ] as [([String], Int32, String)] {
                let result = try await NotilogCommand.run(
                    ["digests", "add", "--app", "first"] + arguments,
                    environment: ["NOTILOG_DATABASE_URL": database.url]
                )
                #expect(result.status == status && result.errors.contains(message), "\(arguments): \(result.errors)")
            }
            let connection = try await database.connect()
            for (app, count) in [(many, 100), (one, 1)] {
                try await connection.query(
                    """
                    SELECT notilog.add_digest($1, 'all', NULL, '08:00', 'mailto:team' || n || '@example.com')
                    FROM generate_series(1, $2) n
                    """,
                    [.app(app.id), .int4(Int32(count))]
                )
            }
            let more = try await database.command(
                "digests",
                "add",
                "all",
                "--weekly",
                "--mail",
                "a@b",
                "--app",
                "first"
            )
            #expect(more.status == 1 && more.errors.contains("100 digests"))
            let again = try await database.command(
                "digests",
                "add",
                "all",
                "--daily",
                "--mail",
                "team1@example.com",
                "--app",
                "second"
            )
            #expect(again.status == 1 && again.errors.contains("already"))
            let foreign: Int64 = try await connection.value(
                "SELECT digest_id FROM notilog.digest WHERE app_id = $1 LIMIT 1",
                [.app(many.id)]
            )
            for verb in ["send", "remove"] {
                #expect(try await database.command("digests", verb, "\(foreign)", "--app", "second").status == 1)
            }
            // An app with a hundred that are overdue leaves the next turn to another's.
            try await connection.query(
                "UPDATE notilog.digest SET try_at = now() - make_interval(secs => CASE app_id WHEN $1 THEN 100 ELSE 1 END)",
                [.app(many.id)]
            )
            let apps: [String] = try await connection.texts("SELECT app_name FROM notilog.claim_digests(5) ORDER BY 1")
            #expect(apps == ["first", "second"])
            // They go with their view, and with their app.
            #expect(try await database.command("report", "delete", "all", "--app", "second").status == 0)
            #expect(try await database.command("apps", "delete", "first", "--yes").status == 0)
            #expect(try await connection.value("SELECT count(*) FROM notilog.digest") as Int64 == 0)
            await connection.close()
        }
    }

    @Test("a store that another has taken over finishes no digest")
    func closed() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            try await database.saveView("all", "engagement")
            let connection = try await database.connect()
            try await connection.query(
                "SELECT notilog.add_digest($1, 'all', NULL, '08:00', 'mailto:team@example.com')",
                [.app(app.id)]
            )
            let finish = "SELECT notilog.finish_digest(digest_id, due_at, current_date, '{}') FROM notilog.digest"
            try await connection.query("SELECT log.set_closed(true)")
            #expect(try await !connection.value(finish, as: Bool.self))
            #expect(try await connection.value("SELECT count(*) FROM notilog.delivery", as: Int64.self) == 0)
            try await connection.query("SELECT log.set_closed(false)")
            #expect(try await connection.value(finish, as: Bool.self))
            await connection.close()
        }
    }

    @Test("a digest that cannot be read, or whose report ends its session, is tried again later, and holds up no other")
    func broken() async throws {
        try await ReportsDatabase.with { database in
            try await database.addBrokenApps()
            for app in [2, 3, 1] as [Int32] {
                try await database.connection.query(
                    "SELECT is_new FROM notilog.save_view($1, 'all', 'engagement', '{}')",
                    [.int4(app)]
                )
                try await database.connection.query(
                    "SELECT notilog.add_digest($1, 'all', NULL, '08:00', 'mailto:team@example.com')",
                    [.int4(app)]
                )
            }
            try await database.connection.query("UPDATE notilog.digest SET due_at = now(), try_at = now()")
            try await database.connection.query(
                #"UPDATE notilog.saved_view SET parameters = '{"by": "category"}' WHERE app_id = 3"#
            )
            let maker = DigestMaker(
                DigestStore(database.pool),
                database.runner,
                pageURL: "https://page.example/"
            )
            let error = await #expect(throws: PostgresError.self) {
                _ = try await maker.makeDue(logger: Logger(label: "test.digests"))
            }
            #expect(error?.isConnectionFailure == true)
            let digests: [String] = try await database.connection.texts(
                """
                SELECT concat_ws(' ', a.name, d.made_at IS NOT NULL, d.try_at > now() + interval '10 min', d.last_error)
                FROM notilog.digest d JOIN notilog.app a USING (app_id) ORDER BY a.app_id
                """
            )
            #expect(
                digests.suffix(2) == [
                    "broken f t \(ReportRunner.brokenOff)",
                    "unread f t the view cannot be read: a later release saved it",
                ]
            )
            // Due next at its time of day, whenever that is.
            #expect(digests.first?.hasPrefix("demo t ") == true)
        }
    }
}
