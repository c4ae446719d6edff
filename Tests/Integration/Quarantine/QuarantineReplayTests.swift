import EventLog
import Foundation
import PlainHTTP
import Postgres
import Testing

/// What is rejected is kept, and after a fix goes the way of everything else, with its own times, once.
@Suite("Quarantine: replay")
struct QuarantineReplayTests {
    private static let token = String(repeating: "ab", count: 32)

    private func replay(
        _ service: ServiceFixture,
        _ arguments: String...,
        days: Int = 400,
        eventBytes: Int = 32 << 10
    ) async throws -> String {
        let result = try await NotilogCommand.run(
            ["quarantine", "replay"] + arguments,
            environment: [
                "NOTILOG_DATABASE_URL": service.database.url, "NOTILOG_LIMITS_RETENTION_DAYS": String(days),
                "NOTILOG_LIMITS_EVENT_BYTES": String(eventBytes),
            ]
        )
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }

    @Test("a replay after a fix stores the item with the times of its first sending, and twice is once")
    func replayAfterAFix() async throws {
        try await ServiceFixture.run { service in
            let old = Sample.time(500 * 86_400)
            let answer = try await service.client.post(
                Sample.action(id: "0198c0de-0000-7000-8000-0000000000a1", at: old),
                key: service.app.write,
                headers: [("Notilog-Sent-At", Sample.time(30))]
            )
            #expect(answer.status == 422)
            #expect(try answer.events.results[0].error?.code == "too_old")

            // Nothing has changed: it stays, and is not marked.
            #expect(try await replay(service, "--app", "first").contains("still rejected, too_old: 1"))
            #expect(try await service.number("SELECT count(*) FROM log.event") == 0)
            #expect(try await service.number("SELECT count(*) FROM log.quarantine WHERE replayed_at IS NULL") == 1)

            #expect(try await replay(service, "--code", "too_old", days: 600) == "stored 1, duplicates 0\n")
            let same =
                "SELECT count(*) FROM log.event e JOIN log.quarantine q USING (received_at, sent_at) WHERE e.kind = 'action_response'"
            #expect(try await service.number(same) == 1, "received_at and sent_at are those of the first sending")
            #expect(try await service.number("SELECT count(*) FROM log.quarantine WHERE replayed_at IS NOT NULL") == 1)

            // By its id it is sent again, and is there already; by selection it is not pending any more.
            let id = try await service.number("SELECT quarantine_id FROM log.quarantine")
            #expect(try await replay(service, String(id), days: 600) == "stored 0, duplicates 1\n")
            #expect(try await replay(service, "--all", days: 600) == "stored 0, duplicates 0\n")
            #expect(try await service.number("SELECT count(*) FROM log.event") == 1)
        }
    }

    @Test("what is kept without the value that was at fault is rejected again")
    func stillInvalid() async throws {
        try await ServiceFixture.run { service in
            let at = Sample.time(5)
            for (item, code) in [
                (
                    #"{"kind":"token","device_id":"d1","token":"not-hex-at-all","occurred_at":"\#(at)"}"#,
                    "invalid_value"
                ),
                (#"{"kind":"app_open","device_id":"d1","context":"secret","occurred_at":"\#(at)"}"#, "invalid_type"),
            ] {
                let answer = try await service.client.post(item, key: service.app.write)
                #expect(try answer.events.results[0].error?.code == code)
                #expect(try await replay(service, "--code", code).contains("still rejected, \(code): 1"))
            }
            #expect(try await service.number("SELECT count(*) FROM log.event") == 0)
            let kept = try #require(try await service.text("SELECT string_agg(item::text, '') FROM log.quarantine"))
            #expect(!kept.contains("not-hex") && !kept.contains("secret"), "\(kept)")
        }
    }

    @Test("an item that was too large is kept, and stored under a higher limit")
    func tooLarge() async throws {
        try await ServiceFixture.run { service in
            let title = String(repeating: "x", count: 400)
            let categories = (0..<100).map { #"{"id":"c\#($0)","actions":[{"id":"a","title":"\#(title)"}]}"# }
            let item =
                #"{"kind":"category_registration","device_id":"d1","occurred_at":"\#(Sample.time(5))","#
                + #""categories":[\#(categories.joined(separator: ","))]}"#
            let answer = try await service.client.post(item, key: service.app.write)
            #expect(answer.status == 422)
            #expect(try answer.events.results[0].error?.code == "too_large")
            let kept = "SELECT jsonb_array_length(item->'categories')::int8 FROM log.quarantine"
            #expect(try await service.number(kept) == 100)
            #expect(try await replay(service, "--all").contains("still rejected, too_large: 1"))
            #expect(try await replay(service, "--all", eventBytes: 64 << 10) == "stored 1, duplicates 0\n")
            let stored = "SELECT jsonb_array_length(data->'categories')::int8 FROM log.event"
            #expect(try await service.number(stored) == 100)
        }
    }

    @Test("an item just below the limit as it was sent is stored, though it is longer as it is kept")
    func almostTooLarge() async throws {
        try await ServiceFixture.run { service in
            func item(_ length: Int) -> String {
                let title = String(repeating: "x", count: length)
                let categories = (0..<200).map { #"{"id":"c\#($0)","actions":[{"id":"a","title":"\#(title)"}]}"# }
                let old = Sample.time(500 * 86_400)
                return #"{"kind":"category_registration","device_id":"d1","occurred_at":"\#(old)","#
                    + #""categories":[\#(categories.joined(separator: ","))]}"#
            }
            let longest = try #require((0..<400).map(item).last { $0.utf8.count <= 32 << 10 })
            let answer = try await service.client.post(longest, key: service.app.write)
            #expect(try answer.events.results[0].error?.code == "too_old", "\(answer.text)")
            let grown = "SELECT octet_length(item::text)::int8 - length FROM log.quarantine"
            let room = Int64((32 << 10) - longest.utf8.count)
            #expect(try await service.number(grown) > room, "as it is kept it is longer than the limit")
            #expect(try await replay(service, "--all", days: 600) == "stored 1, duplicates 0\n")
        }
    }

    @Test("an item that only the log rejected is not too large for a replay, however long it is as it is kept")
    func rejectedByTheLog() async throws {
        try await ServiceFixture.run { service in
            let id = UUID().uuidString.lowercased()
            func item(_ length: Int) -> String {
                let title = String(repeating: "x", count: length)
                let categories = (0..<200).map { #"{"id":"c\#($0)","actions":[{"id":"a","title":"\#(title)"}]}"# }
                return #"{"kind":"category_registration","id":"\#(id)","device_id":"d1","#
                    + #""occurred_at":"\#(Sample.time(5))","categories":[\#(categories.joined(separator: ","))]}"#
            }
            let longest = try #require((0..<400).map(item).last { $0.utf8.count <= 32 << 10 })
            _ = try await service.client.post(item(1), key: service.app.write)
            let answer = try await service.client.post(longest, key: service.app.write)
            #expect(try answer.events.results[0].error?.code == "id_conflict", "\(answer.text)")
            let kept = try await service.number(
                "SELECT least(length, octet_length(item::text))::int8 FROM log.quarantine"
            )
            #expect(kept > 32 << 10, "as it is kept it is longer than the limit: \(kept)")
            #expect(try await replay(service, "--all").contains("still rejected, id_conflict: 1"))
        }
    }

    /// An empty table would say that nothing was rejected.
    @Test("an app or an item that does not exist is named, and nothing is replayed")
    func unknown() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.client.post(
                Sample.action(at: Sample.time(500 * 86_400)),
                key: service.app.write
            )
            #expect(answer.status == 422)
            let id = try await service.number("SELECT quarantine_id FROM log.quarantine")
            for (arguments, said) in [
                (["list", "--app", "nope"], "there is no app nope"),
                (["replay", "--app", "nope"], "there is no app nope"),
                (["replay", String(id), "999999"], "there is no item 999999"),
            ] {
                let result = try await NotilogCommand.run(
                    ["quarantine"] + arguments,
                    environment: [
                        "NOTILOG_DATABASE_URL": service.database.url, "NOTILOG_LIMITS_RETENTION_DAYS": "600",
                    ]
                )
                #expect(result.status == 1 && result.output.isEmpty, "\(arguments)")
                #expect(result.errors.contains(said), "\(arguments): \(result.errors)")
            }
            #expect(try await service.number("SELECT count(*) FROM log.quarantine WHERE replayed_at IS NULL") == 1)
        }
    }

    @Test("one app's items do not wait behind all of another's")
    func turns() async throws {
        try await ServiceFixture.run { service in
            let other = try await TestApp.make("second", in: service.database)
            func refused(_ count: Int, key: String) async throws {
                let items = (0..<count).map { Sample.action(notification: "n\($0)", at: Sample.time(500 * 86_400)) }
                let answer = try await service.client.post("[\(items.joined(separator: ","))]", key: key)
                #expect(try answer.events.rejected == count)
            }
            try await refused(1200, key: service.app.write)
            try await refused(1, key: other.write)
            #expect(try await replay(service, "--all", days: 600) == "stored 1201, duplicates 0\n")
            // Which of the first app's were stored before the second's.
            let before = """
                SELECT count(*) FROM log.event e WHERE e.position < (
                  SELECT position FROM log.event WHERE app_id = \(other.id) AND kind = 'action_response')
                """
            #expect(try await service.number(before) == 500)
        }
    }

    @Test("an app whose items cannot be replayed keeps nobody else's waiting, and is named in the end")
    func appAtFault() async throws {
        try await ServiceFixture.run { service in
            let other = try await TestApp.make("second", in: service.database)
            for key in [service.app.write, other.write] {
                _ = try await service.client.post(Sample.action(at: Sample.time(500 * 86_400)), key: key)
            }
            // Its ids are hashed from now on, and the command has no secret.
            _ = try await service.number(
                "WITH switched AS (UPDATE notilog.app SET hash_ids = true WHERE name = 'first' RETURNING 1) SELECT count(*) FROM switched"
            )
            let result = try await NotilogCommand.run(
                ["quarantine", "replay", "--all"],
                environment: [
                    "NOTILOG_DATABASE_URL": service.database.url, "NOTILOG_LIMITS_RETENTION_DAYS": "600",
                ]
            )
            #expect(result.status == 1)
            #expect(result.errors.contains("the app first keeps hashed ids only"), "\(result.errors)")
            let stored = "SELECT count(*) FROM log.event WHERE kind = 'action_response' AND app_id = "
            #expect(try await service.number(stored + other.id.description) == 1)
            #expect(try await service.number(stored + service.app.id.description) == 0)
        }
    }

    @Test("what the key's scope forbids is stored where an operator says so, its token the digest that it was")
    func scope() async throws {
        try await ServiceFixture.run { service in
            let item =
                #"{"kind":"push_result","token":"\#(Self.token)","status":200,"occurred_at":"\#(Sample.time(5))"}"#
            #expect(
                try await service.client.post(item, key: service.app.write).events.results[0].error?.code == "scope"
            )
            #expect(try await replay(service, "--all").contains("still rejected, scope: 1"))
            #expect(try await replay(service, "--all", "--scope", "provider") == "stored 1, duplicates 0\n")

            // By its id and without that scope it is refused, and counts as what it is: stored.
            let id = try await service.number("SELECT quarantine_id FROM log.quarantine")
            #expect(try await replay(service, String(id)) == "stored 0, duplicates 1\n")
            #expect(try await service.number("SELECT count(*) FROM log.quarantine WHERE replayed_at IS NOT NULL") == 1)
            let list = try await service.database.command("quarantine", "list", "--all")
            let times = list.output.matches(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T/)
            #expect(list.output.contains("REPLAYED") && times.count == 2, "received and replayed: \(list.output)")
            let reading = try await service.database.command("quarantine", "replay", "--all", "--scope", "read")
            #expect(reading.status == 64, "a key that reads sends nothing: \(reading.errors)")

            // The same event sent by the provider itself is a duplicate: it was stored with the same content.
            let again = try await service.client.post(item, key: service.app.provider).events
            #expect(again.duplicate == 1)
        }
    }

    @Test(
        "numbers are what they were, though PostgreSQL writes them out: sent again after a replay they are duplicates"
    )
    func numbers() async throws {
        try await ServiceFixture.run { service in
            let at = Sample.time(5)
            let numbers = [
                "1e16", "1e17", "-1e17", "12345678901234567.0", "1.5e19", "1e20", "1e300", "1e-300", "2.5e15", "0.1",
                "-0.0",
                "9007199254740994.0", "123456789012345678", "18446744073709551615",
            ]
            let items = numbers.map {
                #"{"kind":"push_result","device_id":"d1","status":200,"occurred_at":"\#(at)","attributes":{"a":\#($0)}}"#
            }
            let body = "[\(items.joined(separator: ","))]"
            #expect(try await service.client.post(body, key: service.app.write).events.rejected == numbers.count)
            let stored = "stored \(numbers.count), duplicates 0\n"
            #expect(try await replay(service, "--all", "--scope", "provider") == stored)
            let again = try await service.client.post(body, key: service.app.provider)
            #expect(try again.events.duplicate == numbers.count, "\(again.text)")
        }
    }

    @Test("an item whose id is taken stays, and one that never parsed is said to be lost")
    func conflictAndUnreadable() async throws {
        try await ServiceFixture.run { service in
            let id = "0198c0de-0000-7000-8000-0000000000b2"
            _ = try await service.client.post(Sample.action(id: id), key: service.app.write)
            let other = try await service.client.post(Sample.action(action: "like", id: id), key: service.app.write)
            #expect(try other.events.results[0].error?.code == "id_conflict")
            let lines = Sample.action(notification: "n2") + "\n{\"kind\":\n"
            _ = try await service.client.post(lines, key: service.app.write, type: "application/x-ndjson")

            let output = try await replay(service, "--all")
            #expect(output.contains("still rejected, id_conflict: 1"))
            #expect(output.contains("not kept, so cannot be replayed: 1"))
            #expect(try await service.text("SELECT pointer FROM log.quarantine WHERE code = 'id_conflict'") == "/id")
            #expect(try await service.number("SELECT count(*) FROM log.event") == 2)
        }
    }

    @Test("what a full page of the list names gives the next one")
    func nextPage() async throws {
        try await ServiceFixture.run { service in
            for _ in 0..<3 { _ = try await service.client.post(#"{"kind":"none"}"#, key: service.app.write) }
            let kind = "it's $HOME"
            let connection = try await service.database.connect()
            try await connection.query(
                "UPDATE log.quarantine SET item = jsonb_set(item, '{kind}', to_jsonb($1::text)), replayed_at = now()",
                [.text(kind)]
            )
            let ids = try await connection.query("SELECT quarantine_id FROM log.quarantine ORDER BY 1").map {
                try $0.get(0, as: Int64.self)
            }
            await connection.close()
            var result = try await NotilogCommand.run(
                ["quarantine", "list", "--kind", kind, "--all", "--limit", "1"],
                environment: ["NOTILOG_DATABASE_URL": service.database.url]
            )
            for id in ids {
                let rows = result.output.split(separator: "\n").dropFirst()
                #expect(rows.count == 1 && rows.first?.hasPrefix("\(id) ") == true, "\(result.output)")
                let said = "there may be more: notilog "
                let next = try #require(result.errors.split(separator: "\n").first { $0.hasPrefix(said) })
                result = try await NotilogCommand.runProgram(
                    "/usr/bin/env",
                    [
                        "NOTILOG_DATABASE_URL=\(service.database.url)", "sh", "-c",
                        "\(NotilogCommand.path) \(next.dropFirst(said.count))",
                    ]
                )
                #expect(result.status == 0, "\(result.errors)")
            }
            #expect(result.output.split(separator: "\n").count <= 1, "there were three")
        }
    }

    @Test("list and show say what is wrong; list without the item's content")
    func listAndShow() async throws {
        try await ServiceFixture.run { service in
            let bad = Sample.action(device: "secret-device", at: "yesterday")
            _ = try await service.client.post(bad, key: service.app.write)
            let environment = ["NOTILOG_DATABASE_URL": service.database.url]
            let list = try await NotilogCommand.run(
                ["quarantine", "list", "--app", "first", "--kind", "action_response", "--since", Sample.time(60)],
                environment: environment
            )
            #expect(list.output.contains("invalid_value") && list.output.contains("/occurred_at"))
            #expect(!list.output.contains("secret-device"))
            let none = try await NotilogCommand.run(
                ["quarantine", "list", "--code", "scope", "--json"],
                environment: environment
            )
            #expect(none.output.filter { !$0.isWhitespace } == "[]")
            #expect(none.errors.contains("has the code scope: its codes are invalid_value"))
            let id = String(try await service.number("SELECT quarantine_id FROM log.quarantine"))
            let show = try await NotilogCommand.run(["quarantine", "show", id], environment: environment)
            #expect(show.output.contains("secret-device"))
            let missing = try await NotilogCommand.run(["quarantine", "show", "999"], environment: environment)
            #expect(missing.status == 1 && missing.errors.contains("quarantine list"))
            let vague = try await NotilogCommand.run(["quarantine", "replay"], environment: environment)
            #expect(vague.status == 64)
        }
    }
}
