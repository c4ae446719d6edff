import Foundation
import PlainHTTP
import Testing

/// An app's calls as Segment's libraries send them, with nothing changed but the URL.
@Suite("Segment's libraries", .serialized)
struct SegmentRouteTests {
    private static func call(_ event: String, _ id: String, device: String = "a1", more: String = "") -> String {
        #"{"type":"track","event":"\#(event)","messageId":"\#(id)","anonymousId":"\#(device)","#
            + #""timestamp":"\#(Sample.time(60))","properties":{"campaign":{"name":"spring","content":"words"}\#(more)}}"#
    }

    @Test("their paths, batches and basic authentication are taken, up to the report")
    func switched() async throws {
        try await ServiceFixture.run { service in
            let basic = Data("\(service.app.write):".utf8).base64EncodedString()
            let headers = [("Authorization", "Basic \(basic)"), ("Content-Type", "application/json; charset=utf-8")]
            var position: Int64 = 0
            for (index, path) in ["", "/b", "/batch", "/t", "/track"].enumerated() {
                let device = "a\(index)"
                let calls = [
                    Self.call("Push Notification Received", "r-\(index)", device: device),
                    Self.call("Push Notification Tapped", "t-\(index)", device: device, more: #","action":"Accept""#),
                ]
                let body = #"{"batch":[\#(calls.joined(separator: ","))],"sentAt":"\#(Sample.time(0))","writeKey":"x"}"#
                let answer = try await service.post("/v1/compat/segment\(path)", body, headers: headers)
                #expect(try answer.status == 200 && answer.events.accepted == 2, "\(path): \(answer.text)")
                position = try #require(try answer.events.position)
                let again = try await service.post("/v1/compat/segment\(path)", body, headers: headers)
                #expect(try again.events.duplicate == 2)
                let single = try await service.post("/v1/compat/segment\(path)", calls[0], headers: headers)
                #expect(try single.events.duplicate == 1)
            }
            let rows = try await service.report("engagement?by=campaign", after: position)
            let row = try #require(rows.first)
            #expect(rows.count == 1 && row["campaign"] as? String == "spring")
            #expect(row["reached"] as? Int == 5 && row["acted"] as? Int == 5)
            #expect(
                try await service.number("SELECT count(*) FROM log.upcast_event WHERE data_text LIKE '%words%'") == 0
            )
            #expect(!service.service.log.contains(service.app.write))
        }
    }

    @Test("what is not about notifications is refused by itself, and keys count as elsewhere")
    func refusals() async throws {
        try await ServiceFixture.run { service in
            let path = "/v1/compat/segment"
            let (key, read) = (service.app.write, service.app.read)
            let mixed = try await service.post(
                path,
                #"{"batch":[\#(Self.call("Push Notification Tapped", "1")),\#(Self.call("Order Completed", "2"))]}"#,
                key: key
            )
            #expect(mixed.status == 200)
            #expect(try mixed.events.accepted == 1 && mixed.events.rejected == 1)
            #expect(try mixed.events.results.first?.error?.code == "unknown_event")
            #expect(try mixed.events.results.first?.error?.pointer == "/batch/1/event")
            #expect(try await service.number("SELECT count(*) FROM log.quarantine WHERE item IS NOT NULL") == 0)
            let bounced = try await service.post(path, Self.call("Push Notification Bounced", "3"), key: key)
            #expect(try bounced.status == 422 && bounced.events.results.first?.error?.code == "scope")
            let told = try await service.post(
                path,
                Self.call("Push Notification Bounced", "3"),
                key: service.app.provider
            )
            #expect(told.status == 200, "\(told.text)")

            #expect(try await service.post(path, "{}", key: read).status == 403)
            for value in ["Basic", "Basic !!", "Basic bm9uc2Vuc2U6", "Digest x"] {
                let headers = [("Authorization", value), ("Content-Type", "application/json")]
                #expect(try await service.post(path, "{}", headers: headers).status == 401)
            }
            #expect(try await service.post(path + "/identify", "{}", key: key).status == 404)
            for body in ["", "{", #"{"batch":7}"#, #"{"batch":"#] {
                #expect(try await service.post(path, body, key: key).status == 400, "\(body)")
            }
            #expect(
                try await service.post(path, "{}", key: key, headers: [("Content-Type", "text/plain")]).status == 415
            )
            #expect(try await service.post(path, #"{"batch":[]}"#, key: key).status == 200)
        }
    }
}
