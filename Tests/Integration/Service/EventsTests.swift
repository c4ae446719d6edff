import Foundation
import PlainHTTP
import Testing

/// Each row of the answer table of `POST /v1/events`, over HTTP, against the service as a process.
@Suite(.serialized)
struct EventsTests {
    @Test func acceptedIsStoredBeforeTheAnswer() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.client.post(Sample.action(), key: service.app.write)
            let reply = try answer.events
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect((reply.accepted, reply.duplicate, reply.rejected) == (1, 0, 0))
            #expect(reply.results.isEmpty)
            let position = try #require(reply.position)
            #expect(try await service.number("SELECT count(*) FROM log.event WHERE position = \(position)") == 1)
        }
    }

    @Test func eachItemStandsAlone() async throws {
        try await ServiceFixture.run { service in
            let first = Sample.action(device: "a")
            let stored = try await service.client.post(first, key: service.app.write).events.position
            let body = "[\(first),\(Sample.action(device: "b")),{\"kind\":\"nothing\"},7,\(Sample.action(device: "c"))]"
            let answer = try await service.client.post(body, key: service.app.write)
            let reply = try answer.events
            #expect(answer.status == 200)
            #expect((reply.accepted, reply.duplicate, reply.rejected) == (2, 1, 2))
            #expect(reply.results.map(\.index) == [0, 2, 3])
            #expect(reply.results.map(\.status) == ["duplicate", "rejected", "rejected"])
            #expect(reply.results[0].position == stored)
            #expect(reply.results[1].error?.code == "unknown_kind")
            #expect(reply.results[1].error?.pointer == "/2/kind")
            #expect(try await service.number("SELECT count(*) FROM log.event") == 3)
        }
    }

    @Test func everyItemRejectedIs422AndInQuarantine() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.client.post(
                #"[{"kind":"nothing"},{"kind":"token","token":"00ff","device_id":"d","occurred_at":"yesterday"}]"#,
                key: service.app.write
            )
            #expect(answer.status == 422)
            #expect(try answer.events.rejected == 2)
            #expect(try answer.events.position == nil)
            #expect(try await service.number("SELECT count(*) FROM log.event") == 0)
            #expect(
                try await service.number("SELECT count(*) FROM log.quarantine WHERE app_id = \(service.app.id)") == 2
            )
            let item = try #require(
                try await service.text("SELECT item::text FROM log.quarantine WHERE item->>'kind' = 'token'")
            )
            #expect(item.contains("sha256:"))
            #expect(!item.contains("00ff\""))
            #expect(
                try await service.text("SELECT pointer FROM log.quarantine WHERE item->>'kind' = 'token'")
                    == "/occurred_at"
            )
        }
    }

    @Test func aRepeatGivesTheFirstPosition() async throws {
        try await ServiceFixture.run { service in
            let event = Sample.action(id: "018f3f5e-0000-7000-8000-000000000001")
            let first = try await service.client.post(event, key: service.app.write).events
            let again = try await service.client.post(event, key: service.app.write)
            #expect(again.status == 200)
            let reply = try again.events
            #expect((reply.accepted, reply.duplicate) == (0, 1))
            #expect(reply.position == nil)
            #expect(reply.results.first?.position == first.position)
            #expect(try await service.number("SELECT count(*) FROM log.event") == 1)
            #expect(
                try await service.eventually(
                    "SELECT coalesce(sum(events), 0)::bigint FROM log.tally WHERE outcome = 'duplicate'",
                    is: 1
                )
            )
        }
    }

    @Test func theSameIDWithOtherContentIsAConflict() async throws {
        try await ServiceFixture.run { service in
            let id = "018f3f5e-0000-7000-8000-000000000002"
            let at = Sample.time(60)
            _ = try await service.client.post(Sample.action(action: "one", id: id, at: at), key: service.app.write)
            let answer = try await service.client.post(
                Sample.action(action: "two", id: id, at: at),
                key: service.app.write
            )
            #expect(answer.status == 422)
            let item = try #require(try answer.events.results.first)
            #expect(item.error?.code == "id_conflict")
            #expect(item.error?.pointer == "/id")
            #expect(item.id == id)
            let other = Sample.action(action: "three", id: id, at: at)
            let array = try await service.client.post("[\(Sample.action()),\(other)]", key: service.app.write).events
            #expect(array.results.map(\.error?.pointer) == ["/1/id"])
            #expect(
                try await service.text("SELECT string_agg(DISTINCT pointer, ',') FROM log.quarantine") == "/id"
            )
            #expect(try await service.text("SELECT data->>'action_id' FROM log.upcast_event") == "one")
            #expect(
                try await service.text(
                    "SELECT string_agg(item->>'action_id', ',' ORDER BY item->>'action_id') FROM log.quarantine WHERE code = 'id_conflict'"
                )
                    == "three,two"
            )
            #expect(try await service.text("SELECT DISTINCT item->>'notification_id' FROM log.quarantine") == "n1")
        }
    }

    @Test(arguments: [
        "{\"kind\":", "", "kind=request", "[1,2", "{\"a\":1}{\"b\":2}", "{\"kind\":\"\u{1}\"}",
    ])
    func aBodyThatIsNoJSONIs400(_ body: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.client.post(body, key: service.app.write)
            #expect(answer.status == 400)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(try answer.problem.code == "invalid_json")
            #expect(try await service.number("SELECT count(*) FROM log.quarantine") == 0)
            #expect(
                try await service.eventually(
                    "SELECT coalesce(sum(events), 0)::bigint FROM log.tally WHERE outcome = 'invalid_json'",
                    is: 1
                )
            )
        }
    }

    @Test func aBodyThatIsNotUTF8Is400() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.client.post(
                bytes: Array("{\"kind\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8),
                key: service.app.write
            )
            #expect(answer.status == 400)
        }
    }

    @Test func aLineThatIsNoJSONIsRejectedAlone() async throws {
        try await ServiceFixture.run { service in
            let body = "\(Sample.action(device: "a"))\n{\"kind\":\n\n\(Sample.action(device: "b"))\n"
            let answer = try await service.client.post(body, key: service.app.write, type: "application/x-ndjson")
            #expect(answer.status == 200)
            let reply = try answer.events
            #expect((reply.accepted, reply.rejected) == (2, 1))
            #expect(reply.results.first?.error?.code == "invalid_json")
            #expect(
                try await service.number("SELECT count(*) FROM log.quarantine WHERE item IS NULL AND length > 0") == 1
            )
        }
    }

    @Test func keysAreAskedFor() async throws {
        try await ServiceFixture.run { service in
            let wrong = String(service.app.write.dropLast()) + (service.app.write.hasSuffix("0") ? "1" : "0")
            for key in [nil, "nonsense", wrong] {
                let answer = try await service.client.post(Sample.action(), key: key)
                #expect(answer.status == 401)
                #expect(answer.headers["www-authenticate"] == "Bearer")
                #expect(answer.headers["request-id"] != nil)
                #expect(try answer.problem.code == "unauthorized")
            }
            let answer = try await service.client.post(Sample.action(), key: service.app.read)
            #expect(answer.status == 403)
            #expect(try answer.problem.code == "scope")
            #expect(try await service.number("SELECT count(*) FROM log.event") == 0)
        }
    }

    @Test func whatTheScopeMayNotSendIsRejected() async throws {
        try await ServiceFixture.run { service in
            let result =
                #"{"kind":"push_result","device_id":"d","token":"00ff","provider":"apns","status":200,"#
                + #""notification_id":"n","occurred_at":"\#(Sample.time(0))"}"#
            let refused = try await service.client.post(result, key: service.app.write)
            #expect(refused.status == 422)
            #expect(try refused.events.results.first?.error?.code == "scope")
            #expect(try await service.number("SELECT count(*) FROM log.quarantine WHERE code = 'scope'") == 1)
            #expect(try await service.client.post(result, key: service.app.provider).status == 200)
            #expect(try await service.client.post(result, key: service.app.admin).events.duplicate == 1)
        }
    }

    @Test func whatIsTooLargeIs413() async throws {
        try await ServiceFixture.run(["limits.body_bytes": "20000", "limits.events_per_request": "3"]) { service in
            let large = try await service.client.post(
                "[" + String(repeating: " ", count: 20_000) + "]",
                key: service.app.write
            )
            #expect(large.status == 413)
            let many = try await service.client.post(
                "[" + Array(repeating: Sample.action(), count: 4).joined(separator: ",") + "]",
                key: service.app.write
            )
            #expect(many.status == 413)
            #expect(try many.problem.code == "too_many_events")
            let bomb = try Gzip.compress(Array(repeating: UInt8(ascii: " "), count: 1 << 20))
            #expect(bomb.count < 20_000)
            let blown = try await service.client.post(
                bytes: bomb,
                key: service.app.write,
                headers: [("Content-Encoding", "gzip")]
            )
            #expect(blown.status == 413)
            #expect(try await service.number("SELECT count(*) FROM log.event") == 0)
            // The connection goes on, and so does the service.
            #expect(try await service.client.post(Sample.action(), key: service.app.write).status == 200)
        }
    }

    @Test func theWrongTypeIs415() async throws {
        try await ServiceFixture.run { service in
            for type in [nil, "text/plain", "application/json; charset=utf-16"] {
                let answer = try await service.client.post(Sample.action(), key: service.app.write, type: type)
                #expect(answer.status == 415)
            }
            let answer = try await service.client.post(
                Sample.action(),
                key: service.app.write,
                headers: [("Content-Encoding", "br")]
            )
            #expect(answer.status == 415)
            #expect(try answer.problem.code == "unsupported_encoding")
        }
    }

    @Test("a body that is refused counts as one event")
    func refusedTooFast() async throws {
        try await ServiceFixture.run(["ingest.events_per_second_per_key": "1"]) { service in
            var statuses: [Int] = []
            while statuses.count < 30, statuses.last != 429 {
                statuses.append(try await service.client.post("no JSON", key: service.app.write).status)
            }
            #expect(statuses.last == 429 && statuses.dropLast().allSatisfy { $0 == 400 }, "\(statuses)")
        }
    }

    @Test func tooFastIs429() async throws {
        try await ServiceFixture.run(["ingest.events_per_second_per_key": "2"]) { service in
            let body = "[" + (0..<20).map { Sample.action(device: "d\($0)") }.joined(separator: ",") + "]"
            #expect(try await service.client.post(body, key: service.app.write).status == 200)
            let answer = try await service.client.post(Sample.action(device: "late"), key: service.app.write)
            #expect(answer.status == 429)
            #expect(try answer.problem.code == "rate_limit")
            let seconds = try #require(answer.headers["retry-after"].flatMap(Int.init))
            #expect((8...18).contains(seconds))
            // Another key has a bucket of its own.
            #expect(
                try await service.client.post(Sample.action(device: "other"), key: service.app.provider).status == 200
            )
        }
    }
}
