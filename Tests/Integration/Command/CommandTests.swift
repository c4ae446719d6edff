import Foundation
import PlainHTTP
import Testing

/// The command as a process: exit codes, standard output, and one sentence on standard error.
@Suite(.serialized)
struct CommandTests {
    private func run(_ arguments: String..., database: TestDatabase? = nil) async throws -> CommandResult {
        try await NotilogCommand.run(
            arguments,
            environment: database.map { ["NOTILOG_DATABASE_URL": $0.url] } ?? [:]
        )
    }

    @Test("settings are read from a file of environment variables, as the service's unit has them")
    func environmentFile() async throws {
        try await TestDatabase.withDatabase { database in
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).env")
            defer { try? FileManager.default.removeItem(at: file) }
            func list(_ text: String) async throws -> CommandResult {
                try Data(text.utf8).write(to: file)
                return try await run("apps", "list", "--env-file", file.path)
            }
            let read = try await list(
                "# of the service\n\nNOTILOG_DATABASE_URL=\"\(database.url)\"\nNOTILOG_HTTP_PORT = 1\n"
            )
            #expect(read.status == 0, "\(read.errors)")
            let wrong = try await list("NOTILOG_HTTP_PORT=1\nhunter2\n")
            #expect(wrong.status != 0 && wrong.errors.contains("line 2 of") && !wrong.errors.contains("hunter2"))
            // As a shell has it, which systemd passes over: the variable would not be set.
            for name in ["export NOTILOG_DATABASE_URL", "1A", "A-B", "ä"] {
                let wrong = try await list("# a\n\n\(name)=hunter2\n")
                #expect(wrong.status != 0 && wrong.errors.contains("line 3 of"), "\(name): \(wrong.errors)")
                #expect(!wrong.errors.contains("hunter2"))
            }
            let missing = try await run("apps", "list", "--env-file", "/nowhere")
            #expect(missing.status != 0 && missing.errors.contains("/nowhere cannot be read"))
        }
    }

    @Test(
        "values of that file are those that systemd makes of it",
        arguments: [
            (#"one two  "#, "one two"), (#"  "one two  " "#, "one two  "), (#""a\"b\\c\d\$e""#, #"a"b\c\d$e"#),
            (#"a\"b\\c\d"#, #"a"b\cd"#), (#"'a\b"c'"#, #"a\b"c"#), (#""one"'two' three"#, "onetwo three"),
            ("one\\\ntwo", "onetwo"), ("\"one\\\ntwo\"", "onetwo"), ("\"one\ntwo\"", "one\ntwo"),
            ("one # two", "one # two"),
        ]
    )
    func valuesOfTheEnvironmentFile(_ text: String, _ value: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).env")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("; of the service\nNOTILOG_MAIL_USER=\(text)\nNOTILOG_MAIL_PORT=1\n".utf8).write(to: file)
        let result = try await run("serve", "--print-config", "--json", "--env-file", file.path)
        #expect(result.status == 0, "\(result.errors)")
        let settings = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
        )
        func setting(_ name: String) -> String? {
            settings.first { $0["setting"] as? String == name }?["value"].map { "\($0)" }
        }
        #expect(setting("mail.user") == value)
        #expect(setting("mail.port") == "1")

        try Data("NOTILOG_MAIL_USER=\(text)\nno variable\n".utf8).write(to: file)
        let line = text.count { $0 == "\n" } + 2
        let wrong = try await run("serve", "--print-config", "--env-file", file.path)
        #expect(wrong.status != 0 && wrong.errors.contains("line \(line) of"), "\(wrong.errors)")
    }

    @Test(arguments: [
        [], ["dev"], ["serve"], ["migrate"], ["apps", "create"], ["apps", "list"], ["apps", "set"], ["apps", "delete"],
        ["apps", "grant"],
        ["apps", "revoke"], ["apps", "readers"], ["keys", "create"],
        ["keys", "list"], ["keys", "revoke"], ["report"], ["projections", "list"], ["projections", "rebuild"],
        ["projections", "verify"], ["projections", "pause"], ["projections", "resume"], ["projections", "retry"],
        ["simulate"], ["doctor"],
        ["quarantine", "list"], ["quarantine", "show"], ["quarantine", "replay"], ["devices", "show"],
        ["why"], ["devices", "erase"], ["devices", "ledger", "export"], ["devices", "ledger", "import"],
        ["log", "show"], ["log", "new-incarnation"], ["events"], ["import"], ["import", "apns-csv"],
        ["apps"], ["keys"], ["projections"], ["quarantine"], ["devices"], ["devices", "ledger"], ["log"], ["retention"],
        ["export", "cursors"],
        ["retention", "run"], ["report", "view"], ["report", "save"], ["report", "views"], ["report", "delete"],
        ["alerts"], ["alerts", "add"], ["alerts", "list"], ["alerts", "remove"], ["alerts", "test"],
        ["alerts", "raised"], ["alerts", "resolve"], ["alerts", "deliveries"], ["digest"], ["digests"],
        ["digests", "add"], ["digests", "list"], ["digests", "remove"], ["digests", "send"], ["digests", "deliveries"],
        ["annotate"], ["annotations"], ["annotations", "list"], ["annotations", "delete"],
        ["export"], ["export", "run"], ["export", "cursors", "list"], ["export", "cursors", "reset"],
        ["export", "cursors", "drop"], ["cluster"], ["cluster", "init"], ["cluster", "status"],
        ["cluster", "drain"], ["cluster", "rebalance"],
    ])
    func everyCommandHasHelpWithAnExample(_ command: [String]) async throws {
        let result = try await NotilogCommand.run(command + ["--help"])
        #expect(result.status == 0)
        #expect(result.output.contains("notilog " + (command.first ?? "dev")))
        let long = result.output.split(separator: "\n").filter { $0.count > 80 }
        #expect(long.isEmpty, "at 80 columns: \(long)")
        // Written for 80 columns, so that no line of it is broken into a long and a short one.
        let wide = try await NotilogCommand.run(command + ["--help"], environment: ["COLUMNS": "200"])
        func discussion(_ text: String) -> String {
            let parts = text.components(separatedBy: "\n\n").dropFirst()
            return parts.prefix { !$0.hasPrefix("USAGE:") }.joined(separator: "\n\n")
        }
        #expect(discussion(wide.output) == discussion(result.output))
        #expect(command.isEmpty || result.output.contains("Example"))
        let arguments = Self.paragraph("ARGUMENTS:", of: wide.output).matches(of: /(?m)^  (<[^>]+>)/).map {
            String($0.1)
        }
        let usage = Self.paragraph("USAGE:", of: wide.output)
        #expect(arguments.allSatisfy { usage.contains($0) }, "\(arguments) in \(usage)")
    }

    private static func paragraph(_ title: String, of help: String) -> String {
        help.components(separatedBy: "\n\n").first { $0.hasPrefix(title) } ?? ""
    }

    @Test(arguments: [
        ["nonsense"], ["serve", "--nonsense"], ["keys", "create", "--app", "x", "--scope", "king"], ["apps", "create"],
        ["apps", "set", "x", "keep_reply_text", "perhaps"], ["simulate", "--devices", "0"],
        ["digests", "add", "v", "--daily", "--at", "25:00", "--mail", "a@b"],
        ["digests", "add", "v", "--daily", "--mail", "not-a-mail"],
        ["digests", "add", "v", "--daily", "--weekday", "friday", "--mail", "a@b"],
        ["alerts", "test", "r", "--day", "yesterday"], ["quarantine", "replay", "--all", "--scope", "read"],
        ["simulate", "--end", "soon"], ["simulate", "--end", "0001-01-02", "--days", "1"],
        ["simulate", "--end", "0050-01-01", "--days", "36500"], ["simulate", "--end", "9999-12-31"],
        ["projections", "rebuild", "bogus"], ["projections", "retry", "bogus"], ["projections", "pause", "bogus"],
        ["report", "--format", "bogus"],
        ["simulate", "--days", "4000000"], ["simulate", "--devices", "9223372036854775807"],
        ["report", "engagement", "--format", "csv", "--json"],
        ["keys", "create", "--app", "a", "--scope", "read", "--label", String(repeating: "x", count: 201)],
        ["retention", "run", "--days", "999999999"], ["export", "events", "--cursor", "c", "--output", ""],
        ["export", "events", "--cursor", "c", "--output", "/tmp", "--watch", "--every", "9223372036854775807"],
        ["export", "events", "--cursor", "c", "--output", "/tmp", "--min-position", "soon"],
        ["simulate", "--url", "http://127.0.0.1:1"], ["report", "engagement", "--filter", "category"],
        ["serve", "--port", "abc"], ["serve", "--port", "65536"], ["serve", "--set", "bogus=1"],
        ["serve", "--set", "log.format=xml"], ["apps", "list", "--log-level", "loud"],
    ])
    func wrongUsageIs64(_ arguments: [String]) async throws {
        let result = try await NotilogCommand.run(arguments)
        #expect(result.status == 64)
        #expect(!result.errors.isEmpty)
        #expect(arguments == ["nonsense"] || !result.errors.contains("notilog <subcommand>"), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    /// A file that lacks its end must not pass for a whole one.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func outputThatCannotBeWrittenFails() async throws {
        let command = "\"$0\" events > /dev/full"
        let full = try await NotilogCommand.runProgram("/bin/sh", ["-c", command, NotilogCommand.path])
        #expect(full.status == 1 && full.errors.contains("the output is incomplete: No space left"), "\(full.errors)")
        let gone = "\"$0\" events | head -1"
        let quiet = try await NotilogCommand.runProgram("/bin/sh", ["-c", gone, NotilogCommand.path])
        #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet.errors)")
    }

    /// What it did: a script need not read a sentence for it.
    @Test(arguments: [
        ["apps", "create"], ["apps", "set"], ["apps", "delete"], ["apps", "grant"], ["apps", "revoke"],
        ["keys", "create"], ["keys", "revoke"], ["migrate"], ["projections", "rebuild"], ["projections", "verify"],
        ["projections", "pause"], ["projections", "resume"], ["projections", "retry"], ["quarantine", "replay"],
        ["devices", "erase"], ["devices", "ledger", "import"], ["log", "new-incarnation"], ["import", "apns-csv"],
        ["retention", "run"], ["report", "save"], ["report", "delete"], ["alerts", "add"], ["alerts", "remove"],
        ["alerts", "resolve"], ["digests", "add"], ["digests", "remove"], ["digests", "send"], ["annotate"],
        ["annotations", "delete"], ["export", "run"], ["export", "cursors", "reset"], ["export", "cursors", "drop"],
        ["cluster", "init"], ["cluster", "import"], ["cluster", "move"], ["cluster", "drain"],
        ["cluster", "rebalance"], ["serve"],
    ])
    func whatChangesSomethingSaysSoInJSON(_ command: [String]) async throws {
        let help = try await NotilogCommand.run(command + ["--help"])
        #expect(help.output.contains("  --json "))
    }

    @Test func migrateAppsAndKeys() async throws {
        try await TestDatabase.withDatabase(migrated: false) { database in
            let early = try await run("apps", "list", database: database)
            #expect(early.status == 1)
            #expect(early.errors.contains("notilog migrate"))
            let dry = try await run("migrate", "--dry-run", database: database)
            #expect(dry.status == 0)
            #expect(dry.output.contains("would apply 0001_log.sql"))
            let migrated = try await run("migrate", database: database)
            #expect(migrated.output.contains("applied 0001_log.sql"))
            #expect(!migrated.errors.contains("migration applied"), "said once")
            #expect(try await run("migrate", database: database).output == "the schema is up to date\n")

            #expect(try await run("apps", "create", "shop", database: database).status == 0)
            let again = try await run("apps", "create", "shop", database: database)
            #expect(again.status == 1)
            #expect(again.errors.contains("exists already"))
            #expect(try await run("apps", "create", "Not A Name", database: database).status == 1)
            let set = try await run("apps", "set", "shop", "keep_reply_text", "on", "--json", database: database)
            #expect(set.output.contains("\"keep_reply_text\" : true"))

            let key = try await run(
                "keys",
                "create",
                "--app",
                "shop",
                "--scope",
                "write",
                "--label",
                "phone",
                database: database
            )
            #expect(key.status == 0)
            let text = key.output.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(text.wholeMatch(of: /nlg_w_[0-9a-z]{12}_[0-9A-Za-z]{40}/) != nil)
            let list = try await run("keys", "list", "--app", "shop", database: database)
            #expect(list.output.contains("phone"))
            #expect(!list.output.contains(text.suffix(40)))
            let id = String(text.split(separator: "_")[2])
            #expect(try await run("keys", "revoke", id, database: database).output == "revoked \(id)\n")
            let revoked = try await run("keys", "revoke", id, "--json", database: database)
            #expect(try JSONDecoder().decode([String: String].self, from: Data(revoked.output.utf8)) == ["revoked": id])
            #expect(try await run("keys", "revoke", "nobody", database: database).status == 1)
            #expect(try await run("keys", "create", "--app", "none", "--scope", "read", database: database).status == 1)
            let json = try await run("keys", "list", "--json", database: database)
            #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [[String: Any]])
        }
    }

    @Test func reportsProjectionsAndDoctor() async throws {
        try await TestDatabase.withDatabase { database in
            #expect(try await run("report", database: database).output.contains("engagement"))
            let noApp = try await run("report", "engagement", database: database)
            #expect(noApp.status == 1)
            #expect(noApp.errors.contains("notilog apps create"))
            _ = try await run("apps", "create", "shop", database: database)
            let table = try await run("report", "engagement", "--by", "category", database: database)
            #expect(table.status == 0, "\(table.errors)")
            #expect(table.output.contains("reached"))
            let csv = try await run("report", "engagement", "--format", "csv", database: database)
            #expect(csv.output.hasPrefix("category,"))
            let unknown = try await run("report", "engagement", "--by", "shoe_size", database: database)
            #expect(unknown.status == 64)
            #expect(unknown.errors.contains("category"))
            for name in ["engagements", "_wilson"] {
                let unknown = try await run("report", name, database: database)
                #expect(unknown.status == 64)
                #expect(unknown.errors.contains("actions, activity, ") && unknown.output.isEmpty)
            }
            #expect(try await run("report", "engagement", "--tz", "Mars/Olympus", database: database).status == 64)
            #expect(try await run("report", "engagement", "--app", "none", database: database).status == 1)
            for (verb, done) in [("pause", "paused"), ("resume", "resumed")] {
                let told = try await run("projections", verb, "push_result", "--json", database: database)
                let names = try JSONDecoder().decode([String: [String]].self, from: Data(told.output.utf8))
                #expect(names[done]?.contains("push_result") == true && names.count == 1)
            }
            struct Retried: Decodable { var applied, notifications: Int }
            let retried = try await run("projections", "retry", "push_result", "--json", database: database)
            #expect(try JSONDecoder().decode(Retried.self, from: Data(retried.output.utf8)).applied == 0)
            let list = try await run("projections", "list", "--json", database: database)
            #expect(list.status == 0)
            #expect(list.output.contains("\"lag_events\""))
            // The tests' server runs without fsync, which the doctor must find.
            let doctor = try await run("doctor", database: database)
            #expect(doctor.status == 1)
            #expect(doctor.output.contains("set fsync = on"))
            #expect(doctor.output.contains("ok    connection"))
            #expect(doctor.output.contains("ok    schema"))
        }
    }

    @Test func aDatabaseThatIsNotThereIsSaidInOneSentence() async throws {
        for arguments in [
            ["apps", "list"], ["migrate"], ["report", "engagement"], ["projections", "list"], ["serve"],
        ] {
            let result = try await NotilogCommand.run(
                arguments,
                environment: ["NOTILOG_DATABASE_URL": "postgresql://127.0.0.1:1/none"]
            )
            #expect(result.status == 1)
            #expect(result.errors.contains("Error: the database does not answer"), "\(result.errors)")
        }
        let doctor = try await NotilogCommand.run(
            ["doctor", "--json"],
            environment: ["NOTILOG_DATABASE_URL": "postgresql://127.0.0.1:1/none"]
        )
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("\"fail\""))
    }

    @Test func moreWritersThanServeAnythingAreRefused() async throws {
        let result = try await NotilogCommand.run(
            ["serve", "--print-config"],
            environment: ["NOTILOG_INGEST_WRITERS": "500"]
        )
        #expect(result.status == 1)
        #expect(
            result.errors.contains("ingest.writers from NOTILOG_INGEST_WRITERS is 500, and must be at most 64"),
            "\(result.errors)"
        )
    }

    /// What is computed of the greatest values stays within its type, and PostgreSQL takes it.
    @Test(.timeLimit(.minutes(5))) func everyNumberHasAGreatestValueThatServes() async throws {
        let printed = try await NotilogCommand.run(["serve", "--print-config", "--json"])
        let settings = try JSONDecoder().decode([[String: String]].self, from: Data(printed.output.utf8))
        var greatest: [String: String] = [:]
        for setting in settings {
            let (key, variable) = (try #require(setting["setting"]), try #require(setting["variable"]))
            let beyond = try await NotilogCommand.run(
                ["serve", "--print-config"],
                environment: [variable: "9223372036854775807"]
            )
            greatest[key] = beyond.errors.firstMatch(of: /must be at most ([0-9]+)/).map { String($0.output.1) }
            if Double(setting["value"] ?? "") != nil {
                #expect(beyond.status == 1 && greatest[key] != nil, "\(key): \(beyond.errors)")
            }
        }
        try #require(greatest.count > 25)
        greatest["http.port"] = nil
        try await ServiceFixture.run(greatest) { service in
            let answer = try await service.client.post(Sample.action(device: "d1"), key: service.app.write)
            #expect(answer.status == 200, "\(answer.text)")
            let report = try await service.client.get("/v1/reports/engagement", key: service.app.read)
            #expect(report.status == 200, "\(report.text)")
        }
    }

    @Test func simulationIsTheSameBytesForTheSameArguments() async throws {
        let arguments = ["simulate", "--devices", "5", "--days", "3", "--end", "2026-03-01", "--seed", "7"]
        let first = try await NotilogCommand.run(arguments)
        let second = try await NotilogCommand.run(arguments)
        #expect(first.status == 0)
        #expect(first.output == second.output)
        #expect(first.output.split(separator: "\n").count > 20)
    }

    @Test func simulationGoesOverHTTP() async throws {
        try await ServiceFixture.run { service in
            let result = try await NotilogCommand.run([
                "simulate", "--devices", "20", "--days", "5", "--url", service.service.url, "--key", service.app.write,
                "--provider-key", service.app.provider, "--batch", "100",
            ])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains(" 0 rejected"))
            // No rate is told of less than a second.
            let told = result.errors.matches(of: /100 %, (\d+) of \d+(?:, (\d+) a second)?/)
            #expect(told.count == 1)
            for line in told { #expect(Int(line.output.2 ?? "0") ?? 0 <= Int(line.output.1) ?? 0) }
            let stored = try await service.number("SELECT count(*) FROM log.event")
            #expect(stored > 100)
            #expect(result.errors.contains("\(stored) accepted"))
            let refused = try await NotilogCommand.run([
                "simulate", "--devices", "5", "--url", service.service.url, "--key", service.app.read,
            ])
            #expect(refused.status == 1)
            #expect(refused.errors.contains("refused the key"))
        }
    }

    @Test func settingsComeFromOptionEnvironmentAndFile() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString).yaml")
        try Data("http:\n  port: 7001\n  host: 127.0.0.9\nlimits:\n  json_depth: 8\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let result = try await NotilogCommand.run(
            ["serve", "--print-config", "--config", file.path, "--port", "7003"],
            environment: [
                "NOTILOG_HTTP_PORT": "7002", "NOTILOG_LIMITS_JSON_DEPTH": "9",
                "NOTILOG_DATABASE_URL": "postgresql://u:hush@h/d",
                "NOTILOG_REPORTS_DATABASE_URL": "postgresql://u:hush@standby/d",
            ]
        )
        #expect(result.status == 0, "\(result.errors)")
        func line(_ key: String) -> String {
            result.output.split(separator: "\n").first { $0.hasPrefix(key + " ") }.map(String.init) ?? ""
        }
        #expect(line("http.port").contains("7003  ") && line("http.port").contains("option"))
        #expect(
            line("limits.json_depth").contains("NOTILOG_LIMITS_JSON_DEPTH") && line("limits.json_depth").contains(" 9 ")
        )
        #expect(line("http.host").contains("127.0.0.9") && line("http.host").contains(file.lastPathComponent))
        #expect(line("limits.event_bytes").contains("default"))
        #expect(line("database.read_connections").hasSuffix("connections for reports, pages and exports"))
        #expect(line("database.url").contains("(hidden)"))
        #expect(line("reports.database_url").contains("(hidden)"))
        #expect(line("reports.standby_lag_seconds").contains(" 60"))
        #expect(!result.output.contains("hush"))
        let json = try await NotilogCommand.run(
            ["serve", "--print-config", "--config", file.path, "--json"],
            environment: ["NOTILOG_DATABASE_URL": "postgresql://u:hush@h/d"]
        )
        let settings = try JSONDecoder().decode([[String: String]].self, from: Data(json.output.utf8))
        let port = try #require(settings.first { $0["setting"] == "http.port" })
        #expect(port["value"] == "7001" && port["source"] == file.path && port["variable"] == "NOTILOG_HTTP_PORT")
        #expect(settings.first { $0["setting"] == "database.url" }?["value"] == "(hidden)")
        #expect(try await NotilogCommand.run(["serve", "--json"]).status == 64)
        try Data("limits:\n  jsondepth: 8\n".utf8).write(to: file)
        let slip = try await NotilogCommand.run(["serve", "--print-config", "--config", file.path])
        #expect(slip.status == 1 && slip.output.isEmpty)
        #expect(
            slip.errors.contains("limits.jsondepth from ") && slip.errors.contains("did you mean limits.json_depth?")
        )
        let variable = try await NotilogCommand.run(
            ["serve", "--print-config"],
            environment: ["NOTILOG_HTPP_PORT": "hush", "NOTILOG_LOG_FORMAT": "text"]
        )
        #expect(variable.status == 0 && !variable.errors.contains("hush"))
        #expect(
            variable.errors.contains("WARNING NOTILOG_HTPP_PORT is not a setting: did you mean NOTILOG_HTTP_PORT?"),
            "\(variable.errors)"
        )
        let wrong = try await NotilogCommand.run(
            ["serve", "--print-config"],
            environment: ["NOTILOG_HTTP_PORT": "eighty"]
        )
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("http.port"))
    }
}
