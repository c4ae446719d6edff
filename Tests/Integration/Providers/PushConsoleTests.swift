import Foundation
import NotificationEvents
import PlainHTTP
import Postgres
import Testing

/// The Push Notifications Console's counts beside Notilog's own.
@Suite("Providers: Push Notifications Console", .serialized)
struct PushConsoleTests {
    private static func day(_ secondsAgo: Int) -> String { String(Sample.time(secondsAgo).prefix(10)) }

    private static func export(delivered: Int, on day: String) -> String {
        """
        \u{FEFF}Push Type,Status,Date (UTC),Count\r
        alert,Received by APNs,\(day),10\r
        alert,Delivered to Device,\(day) 00:00:00,\(delivered)\r
        alert,"Delivered to Device (From Storage)",\(day)T00:00:00Z,2\r
        background,Discarded - Token Unregistered,\(day),1\r
        alert,Stored - Device Offline,\(day),"1,000"\r

        """
    }

    @Test("an export stands in the funnel; taken in again it changes nothing, and a later one counts instead")
    func funnel() async throws {
        try await ServiceFixture.run { service in
            let item =
                #"{"occurred_at":"\#(Sample.time(60))","device_id":"d1","token":"00ff","payload":{"aps":{"alert":"x"},"#
                + #""notilog":{"id":"n1"}},"headers":{},"response":{"status":200}}"#
            let told = try await service.post("/v1/providers/apns", item, key: service.app.provider)
            let position = try #require(try told.events.position)
            let before = try await service.report("funnel", after: position)
            #expect(before.allSatisfy { $0["console"] is NSNull && $0["console_difference"] is NSNull })

            let file = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString).csv")
            defer { try? FileManager.default.removeItem(at: file) }
            func take(_ text: String, _ more: [String] = []) async throws -> CommandResult {
                try Data(text.utf8).write(to: file)
                return try await NotilogCommand.run(
                    ["import", "apns-csv", file.path, "--app", "first"] + more,
                    environment: ["NOTILOG_DATABASE_URL": service.database.url]
                )
            }
            let day = Self.day(86_400)
            let first = try await take(Self.export(delivered: 5, on: day))
            #expect(first.status == 0 && first.output == "new 5, changed 0, known before 0\n", "\(first.errors)")
            #expect(try await take(Self.export(delivered: 5, on: day)).output == "new 0, changed 0, known before 5\n")
            #expect(try await take(Self.export(delivered: 7, on: day)).output == "new 0, changed 1, known before 4\n")

            let rows = try await service.report("funnel", after: position)
            #expect(rows.map { $0["notifications"] as? Int } == before.map { $0["notifications"] as? Int })
            #expect(rows.map { ($0["console"] as? Int) } == [nil, 10, nil, 9, nil, nil])
            #expect(rows.map { ($0["console_difference"] as? Int) } == [nil, 9, nil, 9, nil, nil])
            #expect(
                rows[3]["console_by"] as? [String: Int] == [
                    "Delivered to Device": 7, "Delivered to Device (From Storage)": 2,
                    "Discarded - Token Unregistered": 1, "Stored - Device Offline": 1000,
                ]
            )
            let filtered = try await service.report("funnel?category=news", after: position)
            #expect(filtered.allSatisfy { $0["console"] is NSNull }, "the console knows no category")
            let later = try await service.report("funnel?from=\(Self.day(0))", after: position)
            #expect(later.allSatisfy { $0["console"] is NSNull }, "no export speaks of that time")

            // Another bundle id's counts stand beside these.
            #expect(try await take(Self.export(delivered: 1, on: day), ["--topic", "b"]).output.hasPrefix("new 5"))
            #expect(try await service.report("funnel", after: position)[1]["console"] as? Int == 20)
        }
    }

    @Test("counts of a day are by the hour or by the day, as the later export has them")
    func hoursAndDays() async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            let connection = try await database.connect()
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString).csv")
            defer { try? FileManager.default.removeItem(at: file) }
            func take(_ counts: KeyValuePairs<String, Int>, _ more: [String] = []) async throws -> String {
                let lines = counts.map { "alert,Received by APNs,\($0.key),\($0.value)\n" }
                try Data(("Push Type,Status,Date (UTC),Count\n" + lines.joined()).utf8).write(to: file)
                let done = try await NotilogCommand.run(
                    ["import", "apns-csv", file.path, "--app", "first"] + more,
                    environment: ["NOTILOG_DATABASE_URL": database.url]
                )
                #expect(done.status == 0, "\(done.errors)")
                return done.output
            }
            func total(_ topic: String = "") async throws -> Int64 {
                try await connection.value(
                    "SELECT coalesce(sum(count), 0)::bigint FROM notilog.push_console WHERE topic = $1",
                    [.text(topic)]
                )
            }
            let hours: KeyValuePairs = ["2026-03-01 00:00:00": 4, "2026-03-01 05:00:00": 4, "2026-03-01 23:00:00": 4]
            #expect(try await take(hours).hasPrefix("new 3, changed 0, known before 0\n"))
            _ = try await take(hours, ["--topic", "b"])
            let day = try await take(["2026-03-01": 12, "2026-03-02": 7])
            #expect(day == "new 1, changed 1, known before 0, replaced 2 of the same days\n")
            #expect(try await total() == 19)
            #expect(try await total("b") == 12, "another bundle id's hours stay")

            let later = try await take(["2026-03-02 05:00:00": 3, "2026-03-02 06:00:00": 3, "2026-03-03 00:00:00": 3])
            #expect(later.contains("new 3") && later.contains("replaced 1"), "\(later)")
            #expect(try await total() == 21, "the first day, and three hours")
            // As exports of the last hours come, one after the other: none takes away what the one before it ended with.
            #expect(try await take(["2026-03-03 01:00:00": 3]).hasPrefix("new 1, changed 0, known before 0\n"))
            #expect(try await total() == 24)
            await connection.close()
        }
    }

    @Test("the command names a file that it cannot read")
    func missingFile() async throws {
        try await TestDatabase.withDatabase { database in
            let environment = ["NOTILOG_DATABASE_URL": database.url]
            let missing = try await NotilogCommand.run(
                ["import", "apns-csv", "/nowhere.csv", "--app", "x"],
                environment: environment
            )
            #expect(missing.status == 1 && missing.errors.contains("/nowhere.csv cannot be read"))
        }
    }

    @Test("readers see their own apps' counts, and the service's login may take them in")
    func rights() async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString).csv")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(Self.export(delivered: 5, on: Self.day(86_400)).utf8).write(to: file)
            try await TestLogin.with(["notilog_writer"], in: database) { login in
                let done = try await NotilogCommand.run(
                    ["import", "apns-csv", file.path, "--app", "first", "--json"],
                    environment: ["NOTILOG_DATABASE_URL": login.database.url]
                )
                #expect(done.status == 0 && done.output.contains("\"added\" : 5"), "\(done.errors)")
            }
            try await TestLogin.with(["notilog_reader"], in: database) { login in
                let reader = try await login.database.connect()
                let query = "SELECT count(*) FROM notilog.push_console"
                #expect(try await reader.query(query, cached: false).only().get(0, as: Int64.self) == 0)
                let granted = try await NotilogCommand.run(
                    ["apps", "grant", "first", "--to", login.name],
                    environment: ["NOTILOG_DATABASE_URL": database.url]
                )
                #expect(granted.status == 0, "\(granted.errors)")
                #expect(try await reader.query(query, cached: false).only().get(0, as: Int64.self) == 5)
                let console = "SELECT console FROM report.funnel('first') WHERE stage = 'accepted'"
                #expect(try await reader.query(console, cached: false).only().get(0, as: Int64.self) == 10)
                await reader.close()
            }
        }
    }
}
