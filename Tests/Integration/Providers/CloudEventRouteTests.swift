import Foundation
import PlainHTTP
import Testing

/// CloudEvents 1.0 over HTTP, in each of its modes.
@Suite("CloudEvents over HTTP", .serialized)
struct CloudEventRouteTests {
    // One moment for all, so that a repeat is one.
    private static let at = Sample.time(60)

    private static func event(_ id: String) -> String {
        #"{"specversion":"1.0","type":"notilog.dismissal","source":"/apps/demo","id":"\#(id)","subject":"dé","#
            + #""time":"\#(at)","data":{"notification_id":"n1"}}"#
    }

    private static func headers(_ id: String, version: String = "1.0") -> [(String, String)] {
        [
            ("Content-Type", "application/json"), ("ce-specversion", version), ("ce-type", "notilog.dismissal"),
            ("ce-source", "/apps/demo"), ("ce-id", id), ("ce-subject", "d%C3%A9"), ("ce-time", at),
        ]
    }

    @Test("structured, in a batch and in binary mode are the same events")
    func modes() async throws {
        try await ServiceFixture.run { service in
            let key = service.app.write
            let single = try await service.client.post(Self.event("1"), key: key, type: "application/cloudevents+json")
            #expect(try single.events.accepted == 1, "\(single.text)")
            let batch = try await service.client.post(
                "[\(Self.event("1")),\(Self.event("2")),7]",
                key: key,
                type: "application/cloudevents-batch+json"
            )
            #expect(try batch.events.accepted == 1 && batch.events.duplicate == 1 && batch.events.rejected == 1)
            let binary = try await service.post(
                "/v1/events",
                #"{"notification_id":"n1"}"#,
                key: key,
                headers: Self.headers("3")
            )
            #expect(try binary.events.accepted == 1, "\(binary.text)")
            let stored = try await service.text(
                "SELECT string_agg(DISTINCT device_id || kind || notification_id, ',') FROM log.event"
            )
            #expect(stored == "dédismissaln1")
            let known = try await service.post(
                "/v1/events",
                #"{"notification_id":"other"}"#,
                key: key,
                headers: Self.headers("2")
            )
            #expect(try known.events.results.first?.error?.code == "id_conflict", "one id, whatever the mode")
        }
    }

    @Test("in binary mode that are not in order are refused as the others are")
    func refusals() async throws {
        try await ServiceFixture.run { service in
            let key = service.app.write
            for body in ["", "{", "{},\"id\":\"x\"", "7}"] {
                let answer = try await service.post("/v1/events", body, key: key, headers: Self.headers("1"))
                #expect(answer.status == 400, "\(body): \(answer.text)")
            }
            for (body, version, pointer) in [
                ("{}", "1.0", "/data/notification_id"), ("[]", "1.0", "/data"), ("{}", "0.3", "/specversion"),
            ] {
                let answer = try await service.post(
                    "/v1/events",
                    body,
                    key: key,
                    headers: Self.headers("1", version: version)
                )
                #expect(
                    try answer.status == 422 && answer.events.results.first?.error?.pointer == pointer,
                    "\(answer.text)"
                )
            }
        }
    }
}
