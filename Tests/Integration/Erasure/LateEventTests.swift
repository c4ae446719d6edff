import EventLog
import Foundation
import PlainHTTP
import Postgres
import Testing

/// What an offline client, or its provider, sends after the erasure is refused and counted, and nothing of it is kept.
@Suite("Erasure: late events")
struct LateEventTests {
    @Test("late events are refused one by one, counted, and not quarantined; their neighbours are stored")
    func refusedAndCounted() async throws {
        try await ServiceFixture.run { service in
            let subject = ErasureSubject("late")
            let body = "[" + subject.events().joined(separator: ",") + "]"
            _ = try await service.client.post(body, key: service.app.provider)
            _ = try await service.erase(subject.device)

            let late = [
                Sample.action(device: subject.device, notification: "n-1"), Sample.action(device: "another"),
                Sample.action(device: subject.device, notification: "n-2"),
                Sample.action(device: subject.device, notification: "n-3", at: "not a time"),
            ]
            let answer = try await service.client.post(
                late.joined(separator: "\n"),
                key: service.app.write,
                type: "application/x-ndjson"
            )
            #expect(answer.status == 200)
            let events = try answer.events
            #expect(events.accepted == 1 && events.rejected == 3)
            #expect(events.results.compactMap(\.error?.code) == ["erased", "erased", "invalid_value"])
            #expect(events.results[0].error?.pointer == "/0/device_id")
            #expect(!(events.results[0].error?.message.contains(subject.device) ?? true))

            // The very same events again, as a client that never saw the answer would send them.
            #expect(try await service.client.post(body, key: service.app.provider).events.accepted == 0)
            // What its provider still says of its token.
            #expect(
                try await service.client.post(body, key: service.app.provider).events.results.last?.error?.code
                    == "erased"
            )

            #expect(try await service.number("SELECT count(*) FROM log.quarantine") == 0)
            #expect(
                try await StoreSearch.places(of: [subject.device, "n-1", "n-2", "n-3"], in: service.database) == []
            )
            #expect(
                try await service.eventually(
                    "SELECT coalesce(sum(events), 0)::bigint FROM log.tally WHERE outcome = 'erased'",
                    is: Int64(2 + 2 * subject.events().count)
                )
            )
        }
    }

    @Test("a token that another device registers after the erasure is that device's")
    func tokenOfAnotherDevice() async throws {
        try await ServiceFixture.run { service in
            let subject = ErasureSubject("first-owner")
            _ = try await service.client.post(
                "[" + subject.events().joined(separator: ",") + "]",
                key: service.app.provider
            )
            _ = try await service.erase(subject.device)
            let result =
                #"{"kind":"push_result","token":"\#(subject.token)","status":200,"occurred_at":"\#(Sample.time(2))"}"#
            #expect(try await service.client.post(result, key: service.app.provider).events.rejected == 1)
            let token =
                #"{"kind":"token","device_id":"next-owner","token":"\#(subject.token)","occurred_at":"\#(Sample.time(1))"}"#
            #expect(try await service.client.post(token, key: service.app.write).events.accepted == 1)
            #expect(try await service.client.post(result, key: service.app.provider).events.accepted == 1)
        }
    }

    @Test("an erasure that broke off half way refuses already, and the service finishes it")
    func brokenOff() async throws {
        try await ServiceFixture.run { service in
            _ = try await service.client.post(Sample.action(device: "device-half-done"), key: service.app.write)
            let connection = try await service.database.connect()
            try await connection.query("SELECT log.erasure_begin($1, 'device-half-done')", [.app(service.app.id)])
            await connection.close()
            let late = try await service.client.post(
                Sample.action(device: "device-half-done", notification: "n2"),
                key: service.app.write
            )
            #expect(try late.events.results[0].error?.code == "erased")
            #expect(
                try await service.number("SELECT count(*) FROM log.event WHERE device_id = 'device-half-done'") == 1
            )

            await service.service.kill()
            let again = try await ServiceProcess.start(database: service.database.url)
            let finished = try await service.eventually("SELECT count(*) FROM log.erasure_pending", is: 0)
            await again.stop()
            #expect(finished)
            #expect(try await StoreSearch.places(of: ["device-half-done"], in: service.database) == [])
        }
    }
}
