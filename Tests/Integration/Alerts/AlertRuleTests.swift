import EventLog
import Logging
import PlainHTTP
import Postgres
import Reports
import Testing

@testable import Alerts

/// Which rules there can be, and whose turn it is.
@Suite("Alerts: rules")
struct AlertRuleTests {
    @Test("what no report can answer is refused, and so is one more than the limit; no app has another's rules")
    func refused() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            for (arguments, message) in [
                (["nonsense", "--when", "x falls"], "there is no report"),
                (["engagement by colour", "--when", "reached falls"], "accepted"),
                (["engagement", "--when", "category falls"], "accepted: requested"),
                (["engagement", "--when", "reached drops"], "a condition is"),
                (["engagement", "--when", "reached falls", "--window", "P400D"], "400 days at most"),
                (["response_times", "--when", "until falls"], "accepted: at_risk"),
                (["engagement", "--when", "reached falls", "--param", "interval=day"], "single days"),
                (["engagement", "--when", "reached falls", "--to", "ftp://x/"], "a receiver is"),
            ] {
                let result = try await database.alerts(["add"] + arguments)
                #expect(result.status == 64 && result.errors.contains(message), "\(arguments): \(result.errors)")
            }
            // The zones are the database's.
            let zone = try await database.alerts([
                "add", "engagement", "--when", "reached falls", "--tz", "Mars/Phobos",
            ])
            #expect(zone.status == 1 && zone.errors.contains("time zone"), "\(zone.errors)")
            #expect(
                try await database.alerts(["add", "engagement per category", "--when", "reached falls"]).status == 64
            )
            try await database.addRule("engagement", "--when", "reached falls", "--tz", "Europe/Berlin")
            let again = try await database.alerts(["add", "engagement", "--when", "reached falls"])
            #expect(again.status == 1 && again.errors.contains("of that name"))
            let connection = try await database.connect()
            try await connection.query(
                """
                INSERT INTO notilog.alert_rule (app_id, name, report, parameters, metric, condition, least_volume, wait, tz, receivers, next_day, due_at)
                SELECT $1, n::text, 'engagement', '{}', 'reached', 'falls', 1, '1 h', 'UTC', '{}', current_date, now() FROM generate_series(1, 99) n
                """,
                [.app(app.id)]
            )
            let more = try await database.alerts(["add", "engagement", "--when", "reached rises"])
            #expect(more.status == 1 && more.errors.contains("100 rules"))
            _ = try await TestApp.make("second", in: database)
            #expect(!(try await database.alerts(["list", "--app", "second", "--json"]).output.contains("name")))
            #expect(try await database.alerts(["remove", "1", "--app", "second"]).status == 1)
            let deleted = try await NotilogCommand.run(
                ["apps", "delete", "first", "--yes"],
                environment: ["NOTILOG_DATABASE_URL": database.url]
            )
            #expect(deleted.status == 0, "\(deleted.errors)")
            #expect(try await connection.value("SELECT count(*) FROM notilog.alert_rule") as Int64 == 0)
            await connection.close()
        }
    }

    @Test("rows that an outcome, a period or what they are attributed to tells apart are judged one by one")
    func laterKeys() async throws {
        try await ReportsDatabase.with { database in
            let seen: [[String: Any]] = (0..<4).map { index in
                [
                    "kind": "delivery", "at": ReportsDatabase.time(90_000), "device": "d\(index)", "nid": "n",
                    "data": ["source": "service_extension", "category_id": "news"],
                ]
            }
            let opened: [String: Any] = [
                "kind": "action_response", "at": ReportsDatabase.time(89_000), "device": "d0", "nid": "n",
                "data": ["action_id": "default", "category_id": "news"],
            ]
            // One turns notifications off after one of them, and one who got none.
            let settings = ["d1", "alone"].flatMap { device in
                [(100_000, "authorized"), (88_000, "denied")].map { before, status -> [String: Any] in
                    [
                        "kind": "settings", "at": ReportsDatabase.time(before), "device": device,
                        "data": ["authorization_status": status],
                    ]
                }
            }
            try await database.append(seen + [opened] + settings)
            try await database.apply()
            let store = AlertStore(database.pool)
            let judge = AlertJudge(store, database.runner, pageURL: "https://page.example/")
            for (report, condition) in [
                ("opt_outs", "opt_outs > 0.5"), ("response_times", "notifications > 0"),
            ] {
                let rule = try WantedAlertRule(
                    name: report,
                    report: report,
                    pairs: [("window", "PT6H")],
                    condition: condition,
                    leastVolume: 0,
                    receivers: [],
                    catalogue: database.runner.catalogue
                )
                try await store.add(rule, app: AppID(1))
            }
            try await database.connection.query("UPDATE notilog.alert_rule SET next_day = '2026-03-18'")
            for rule in try await store.rules(app: AppID(1)) {
                #expect(try await judge.judge(rule, at: rule.ripeAt), "\(rule.name)")
            }
            let raised = try await store.alerts(app: AppID(1)).map { "\($0.report) \($0.cell)" }.sorted()
            #expect(
                raised == [
                    #"opt_outs {"category": "news", "attributed": "true"}"#,
                    #"opt_outs {"category": null, "attributed": "false"}"#,
                    #"response_times {"since": 900, "until": 3600, "outcome": "opened", "category": "news"}"#,
                ]
            )
        }
    }

    /// By the count that the report ranks by, which is not the rule's, the row is one of the last.
    @Test("of more rows than are judged, those with the most of the rule's own count are")
    func ownVolume() async throws {
        try await ReportsDatabase.with { database in
            func event(_ kind: String, _ category: String, _ nid: String, _ data: [String: Any]) -> [String: Any] {
                [
                    "kind": kind, "at": ReportsDatabase.time(kind == "delivery" ? 90_000 : 89_000), "device": category,
                    "nid": nid, "data": data.merging(["category_id": category]) { $1 },
                ]
            }
            let delivery = ["source": "service_extension"]
            let many = (0...DayFigures.mostCells).flatMap { index in
                ["n", "m"].map { event("delivery", "many \(index)", $0, delivery) }
            }
            let rare = [
                event("delivery", "rare", "n", delivery),
                event("action_response", "rare", "n", ["action_id": "default"]),
            ]
            try await database.append(many + rare)
            try await database.apply()
            let store = AlertStore(database.pool)
            let judge = AlertJudge(store, database.runner, pageURL: "https://page.example/")
            let rule = try WantedAlertRule(
                name: "responded",
                report: "engagement",
                pairs: [("by", "category"), ("window", "PT6H")],
                condition: "responded > 0",
                leastVolume: 0,
                receivers: [],
                catalogue: database.runner.catalogue
            )
            try await store.add(rule, app: AppID(1))
            try await database.connection.query("UPDATE notilog.alert_rule SET next_day = '2026-03-18'")
            for rule in try await store.rules(app: AppID(1)) {
                #expect(try await judge.judge(rule, at: rule.ripeAt))
            }
            let raised = try await store.alerts(app: AppID(1)).map(\.cell)
            #expect(raised == [#"{"category": "rare"}"#])
            let judged: Int64 = try await database.connection.value("SELECT count(*) FROM notilog.alert_figure")
            #expect(judged == Int64(DayFigures.mostCells))
        }
    }

    @Test("a rule that cannot be read, or whose report ends its session, is tried again later, and holds up no other")
    func broken() async throws {
        try await ReportsDatabase.with { database in
            try await database.addBrokenApps()
            let store = AlertStore(database.pool)
            let judge = AlertJudge(store, database.runner, pageURL: "https://page.example/")
            let rule = try WantedAlertRule(
                name: "reached",
                report: "engagement",
                pairs: [],
                condition: "reached > 0",
                leastVolume: 0,
                receivers: [],
                catalogue: database.runner.catalogue
            )
            for app in [2, 3, 1] as [Int32] { try await store.add(rule, app: AppID(rawValue: app)) }
            try await database.connection.query(
                "UPDATE notilog.alert_rule SET next_day = current_date - 1, wait = '0', due_at = now()"
            )
            try await database.connection.query(
                #"UPDATE notilog.alert_rule SET parameters = '{"by": "category"}' WHERE app_id = 3"#
            )
            let error = await #expect(throws: PostgresError.self) {
                _ = try await judge.judgeDue(logger: Logger(label: "test.alerts"))
            }
            #expect(error?.isConnectionFailure == true)
            let rules: [String] = try await database.connection.texts(
                """
                SELECT concat_ws(' ', a.name, r.judged_at IS NOT NULL, r.due_at > now() + interval '10 min', r.last_error)
                FROM notilog.alert_rule r JOIN notilog.app a USING (app_id) ORDER BY a.app_id
                """
            )
            // Due next after the end of its day, whenever that is.
            #expect(rules.first?.hasPrefix("demo t ") == true)
            #expect(
                rules.suffix(2) == [
                    "broken f t \(ReportRunner.brokenOff)",
                    "unread f t the rule cannot be read: a later release made it",
                ]
            )
        }
    }

    @Test("an alert that is resolved by hand as its rule writes a day is not raised again by that day")
    func resolvedMeanwhile() async throws {
        try await ReportsDatabase.with { database in
            let connection = database.connection
            try await database.append(
                [(90_000, "first"), (60_000, "second")].map { before, nid -> [String: Any] in
                    ReportsDatabase.delivered("d", nid, ReportsDatabase.time(before), "news")
                }
            )
            try await database.apply()
            let store = AlertStore(database.pool)
            let judge = AlertJudge(store, database.runner, pageURL: "https://page.example/")
            let wanted = try WantedAlertRule(
                name: "reached",
                report: "engagement",
                pairs: [("window", "PT6H")],
                condition: "reached > 0",
                leastVolume: 0,
                receivers: [],
                catalogue: database.runner.catalogue
            )
            try await store.add(wanted, app: AppID(1))
            try await connection.query("UPDATE notilog.alert_rule SET next_day = '2026-03-18'")
            let first = try #require(try await store.rules(app: AppID(1)).first)
            #expect(try await judge.judge(first, at: first.ripeAt))
            let alert = try #require(try await store.alerts(app: AppID(1), onlyOpen: true).first)

            // The end of the second day waits for the rule's row, and has read what is usual before.
            let second = try #require(try await store.rules(app: AppID(1)).first)
            let holder: Int32 = try await connection.value("SELECT pg_backend_pid()")
            try await connection.query("BEGIN")
            try await connection.query("SELECT FROM notilog.alert_rule FOR UPDATE")
            async let judged = judge.judge(second, at: second.ripeAt)
            try await eventually("the day is written") {
                try await database.pool.query(
                    "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND $1 = ANY (pg_blocking_pids(pid)))",
                    [.int4(holder)]
                ).only().get(0)
            }
            let resolved: Bool = try await connection.value(
                "SELECT notilog.resolve_alert(1, $1)",
                [.int8(alert.id)]
            )
            try await connection.query("COMMIT")
            let isJudged = try await judged
            #expect(isJudged && resolved)
            #expect(try await store.alerts(app: AppID(1), onlyOpen: true).isEmpty)
            let figures: [String] = try await connection.texts(
                "SELECT concat_ws(' ', day, is_out) FROM notilog.alert_figure ORDER BY day"
            )
            #expect(figures == ["2026-03-18 f", "2026-03-19 f"])
        }
    }

    /// `to` is the command's option: the rule would tell nobody.
    @Test("a rule of a member that is not known is refused")
    func unknownMember() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.send(
                "POST",
                "/v1/alert_rules",
                #"{"name":"n","report":"engagement","when":"reached < 5","to":["mailto:ops@example.com"]}"#,
                key: service.app.admin
            )
            #expect(answer.status == 400, "\(answer.text)")
            #expect(try answer.problem.code == "invalid_parameter")
            #expect(answer.text.contains("the member to of the body is not known"), "\(answer.text)")
            #expect(try await service.number("SELECT count(*) FROM notilog.alert_rule") == 0)
        }
    }

    /// Otherwise it would be known at night, when an alert goes out.
    @Test("a receiver that no delivery may go to is refused as it is added; what deliveries lack is said")
    func unreachable() async throws {
        try await ServiceFixture.run { service in
            for receiver in ["http://127.0.0.1:9/x", "https://169.254.169.254/latest", "https://0x7f.1/x"] {
                let rule = #"{"name":"n","report":"engagement","when":"reached < 5","receivers":["\#(receiver)"]}"#
                let answer = try await service.send("POST", "/v1/alert_rules", rule, key: service.app.admin)
                #expect(answer.status == 400, "\(answer.text)")
                #expect(answer.text.contains("delivery.private_receivers"), "\(answer.text)")
                let command = try await service.database.alerts(
                    ["add", "engagement", "--name", receiver, "--when", "reached < 5", "--to", receiver],
                    allowsPrivate: false
                )
                #expect(
                    command.status == 0 && command.errors.contains("delivery.private_receivers"),
                    "\(command.errors)"
                )
            }
            #expect(try await service.number("SELECT count(*) FROM notilog.alert_rule") == 3)
            let rule =
                #"{"name":"n","report":"engagement","when":"reached < 5","receivers":["mailto:ops@example.com"]}"#
            let added = try await service.send("POST", "/v1/alert_rules", rule, key: service.app.admin)
            #expect(added.status == 201 && added.text.contains("mail.host"), "\(added.text)")
            let command = try await service.database.alerts(
                ["add", "engagement", "--when", "reached < 5", "--to", "mailto:ops@example.com"]
            )
            #expect(command.status == 0 && command.errors.contains("mail.host"), "\(command.errors)")
        }
    }

    @Test("a rule has five receivers at most: one more is refused, by the database too")
    func receivers() async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            let five = (1...5).map { "mailto:ops\($0)@example.com" }
            try await database.addResponseRule("five", to: five)
            let six = (five + ["mailto:ops6@example.com"]).flatMap { ["--to", $0] }
            let refused = try await database.alerts(["add", "engagement", "--when", "reached falls"] + six)
            #expect(refused.status == 64 && refused.errors.contains("a rule has five at most"), "\(refused.errors)")
            let connection = try await database.connect()
            let error = await #expect(throws: PostgresError.self) {
                try await connection.query(
                    "UPDATE notilog.alert_rule SET receivers = receivers || 'mailto:ops6@example.com'::text"
                )
            }
            #expect(error?.sqlState == "23514")
            let kept: [String] = try await connection.texts(
                "SELECT name || ' ' || cardinality(receivers) FROM notilog.alert_rule"
            )
            #expect(kept == ["five 5"])
            await connection.close()
        }
    }

    /// Guarantee 17: an app with slow reports, or with dead receivers, waits for itself.
    @Test("rules and deliveries of an app that has hundreds leave the next turn to another's")
    func turns() async throws {
        try await TestDatabase.withDatabase { database in
            let (many, one) = (
                try await TestApp.make("first", in: database), try await TestApp.make("second", in: database)
            )
            let connection = try await database.connect()
            for (app, count) in [(many, 100), (one, 1)] {
                try await connection.query(
                    """
                    INSERT INTO notilog.alert_rule (app_id, name, report, parameters, metric, condition, least_volume, wait, tz, receivers, next_day, due_at)
                    SELECT $1, n::text, 'engagement', '{}', 'reached', 'falls', 1, '1 h', 'UTC', '{}', current_date,
                      now() - make_interval(secs => $2)
                    FROM generate_series(1, $2) n
                    """,
                    [.app(app.id), .int4(Int32(count))]
                )
            }
            // More than are looked at, if the oldest alone were.
            try await connection.query(
                """
                INSERT INTO notilog.delivery (rule_id, app_id, day, receiver, message, next_at)
                SELECT rule_id, app_id, current_date - n, CASE app_id WHEN $1 THEN 'https://dead.example/' || n % 10 ELSE 'https://well.example/' END,
                  '{}', now() - make_interval(secs => CASE app_id WHEN $1 THEN 100 ELSE 1 END)
                FROM notilog.alert_rule, generate_series(1, CASE app_id WHEN $1 THEN 20 ELSE 1 END) n
                """,
                [.app(many.id)]
            )
            let apps: [String] = try await connection.texts(
                "SELECT app_name FROM notilog.claim_alert_rules(5) ORDER BY 1"
            )
            #expect(apps == ["first", "second"])
            let receivers: [String] = try await connection.texts(
                "SELECT receiver FROM notilog.claim_deliveries(16, 25)"
            )
            #expect(receivers.count == 16 && receivers.contains("https://well.example/"))
            #expect(Dictionary(grouping: receivers, by: { $0 }).values.allSatisfy { $0.count <= 2 })
            await connection.close()
        }
    }

    @Test("what a service has under way keeps places of its receiver, and a free one goes to a receiver without any")
    func underWay() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            let connection = try await database.connect()
            try await connection.query(
                """
                INSERT INTO notilog.alert_rule (app_id, name, report, parameters, metric, condition, least_volume, wait, tz, receivers, next_day, due_at)
                VALUES ($1, 'rule', 'engagement', '{}', 'reached', 'falls', 1, '1 h', 'UTC', '{}', current_date, now())
                """,
                [.app(app.id)]
            )
            // The more is due for one, the longer it has been.
            try await connection.query(
                """
                INSERT INTO notilog.delivery (rule_id, app_id, day, receiver, message, next_at)
                SELECT rule_id, app_id, current_date - n, r.receiver, '{}', now() - make_interval(mins => r.due, secs => n)
                FROM notilog.alert_rule, (VALUES ('dead', 6), ('slow', 3), ('well', 1)) r (receiver, due), generate_series(1, r.due) n
                """
            )
            var held: [String] = []
            var receivers: [[String]] = []
            for most in [1, 1, 16, 16, 16] as [Int32] {
                // The first attempt, which is one of the dead receiver's, has ended before the last claim.
                if receivers.count == 4 { held.removeFirst() }
                let claimed = try await connection.query(
                    "SELECT receiver, delivery_id::text FROM notilog.claim_deliveries($1, 25, $2::text[]::uuid[])",
                    [.int4(most), .texts(held)]
                )
                receivers.append(try claimed.map { try $0.get(0, as: String.self) }.sorted())
                held += try claimed.map { try $0.get(1, as: String.self) }
            }
            #expect(receivers == [["dead"], ["slow"], ["dead", "slow", "well"], [], ["dead"]])
            await connection.close()
        }
    }
}
