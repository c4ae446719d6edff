import Foundation
import PlainHTTP
import Postgres
import Testing

/// What the providers' routes have in common with every other: keys, limits, answers, quarantine.
@Suite("Providers: routes", .serialized)
struct ProviderRouteTests {
    private static func item(_ more: String = "", payload: String = #"{"aps":{"alert":"x"},"notilog":{"id":"n1"}}"#)
        -> String
    {
        #"{"occurred_at":"\#(Sample.time(60))","device_id":"d1","token":"00ff","headers":{"apns-topic":"t"},"#
            + #""payload":\#(payload),"response":{"status":200}\#(more)}"#
    }

    @Test(
        "every documented error of FCM is kept; the dead and the misdirected are distinguished",
        .timeLimit(.minutes(5))
    )
    func fcm() async throws {
        // Firebase, "ErrorCode", with the canonical codes above them; and what a registration would be answered.
        let errors = [
            (400, "INVALID_ARGUMENT", "UNSPECIFIED_ERROR"), (400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
            (404, "NOT_FOUND", "UNREGISTERED"), (403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
            (429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), (503, "UNAVAILABLE", "UNAVAILABLE"),
            (500, "INTERNAL", "INTERNAL"), (401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
            (400, "FAILED_PRECONDITION", "ERROR_OF_TOMORROW"),
        ]
        try await ServiceFixture.run { service in
            var items: [[String: Any]] = []
            var tokens: [String] = []
            for (index, (status, canonical, code)) in errors.enumerated() {
                let token = "fcm-token:\(index)"
                tokens.append(
                    #"{"kind":"token","provider":"fcm","occurred_at":"\#(Sample.time(600))","device_id":"d\#(index)","token":"\#(token)"}"#
                )
                let detail = ["@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code]
                let error: [String: Any] = ["code": status, "message": "m", "status": canonical, "details": [detail]]
                items.append([
                    "occurred_at": Sample.time(60), "device_id": "d\(index)", "notification_id": "n",
                    "message": ["token": token, "notification": ["title": "words"]],
                    "response": ["status": status, "body": ["error": error]],
                ])
            }
            let registered = try await service.client.post("[\(tokens.joined(separator: ","))]", key: service.app.write)
            #expect(try registered.events.accepted == errors.count)
            let told = try await service.post("/v1/providers/fcm", try json(items), key: service.app.provider)
            #expect(try told.events.accepted == 2 * errors.count, "\(told.text)")
            let position = try #require(try told.events.position)
            let results = try await service.report("push_results", after: position)
            #expect(Set(results.compactMap { $0["reason"] as? String }) == Set(errors.map(\.2)))
            let tokensNow = try await service.report("tokens", after: position)
            let states = tokensNow.map { "\($0["provider"] ?? "") \($0["state"] ?? "") \($0["tokens"] ?? 0)" }
            #expect(states == ["fcm active 7", "fcm misdirected 1", "fcm invalidated 1"])
            let funnel = try await service.report("funnel", after: position)
            #expect(funnel[1]["lost"] as? Int == errors.count, "each push failed")
        }
    }

    @Test("what APNs says behind FCM's answer ends a token as it would itself; the funnel shows what nobody had named")
    func behindFCM() async throws {
        let answers: [(reason: String, status: Int)] = [
            ("Unregistered", 410), ("BadDeviceToken", 400), ("PayloadTooLarge", 413),
        ]
        try await ServiceFixture.run { service in
            var items: [[String: Any]] = []
            for (index, answer) in answers.enumerated() {
                let token = #"{"kind":"token","provider":"fcm","token":"t:\#(index)","device_id":"d\#(index)","#
                let registered = token + #""occurred_at":"\#(Sample.time(600))"}"#
                #expect(try await service.client.post(registered, key: service.app.write).events.accepted == 1)
                let error: [String: Any] = [
                    "code": 400, "status": "INVALID_ARGUMENT",
                    "details": [["statusCode": answer.status, "reason": answer.reason]],
                ]
                items.append([
                    "occurred_at": Sample.time(60), "device_id": "d\(index)",
                    "message": ["token": "t:\(index)", "notification": ["title": "words"]],
                    "response": ["status": 400, "body": ["error": error]],
                ])
            }
            let told = try await service.post("/v1/providers/fcm", try json(items), key: service.app.provider)
            #expect(try told.events.accepted == 2 * answers.count, "\(told.text)")
            let again = try await service.post("/v1/providers/fcm", try json(items), key: service.app.provider)
            #expect(try again.events.duplicate == 2 * answers.count)
            let position = try #require(try told.events.position)
            let tokens = try await service.report("tokens", after: position)
            let states = tokens.map { "\($0["state"] ?? "") \($0["tokens"] ?? 0)" }
            #expect(states == ["active 1", "misdirected 1", "invalidated 1"])
            let accepted = try await service.report("funnel", after: position)[1]
            #expect(accepted["lost_by"] as? [String: Int] == ["dead_token": 1, "rejected:INVALID_ARGUMENT": 2])
        }
    }

    @Test("a data message with the id of a notification is the one that an app on Android shows")
    func dataMessage() async throws {
        try await ServiceFixture.run { service in
            let push =
                #"{"occurred_at":"\#(Sample.time(60))","device_id":"d1","message":{"token":"t","data":{"notilog_id":"n1","#
                + #""title":"words"}},"response":{"status":200,"body":{"name":"projects/p/messages/1"}}}"#
            let told = try await service.post("/v1/providers/fcm", push, key: service.app.provider)
            #expect(try told.events.accepted == 2, "\(told.text)")
            let shown =
                #"{"kind":"delivery","occurred_at":"\#(Sample.time(50))","device_id":"d1","notification_id":"n1","#
                + #""source":"service_extension","alerting":true}"#
            let opened = Sample.action(at: Sample.time(40))
            let heard = try await service.client.post("[\(shown),\(opened)]", key: service.app.write)
            let position = try #require(try heard.events.position)
            let rows = try await service.report("engagement?by=none", after: position)
            #expect(rows.count == 1)
            for stage in ["requested", "reached", "reached_seen", "delivered", "opened"] {
                #expect(rows.first?[stage] as? Int == 1, "\(stage)")
            }
            #expect(rows.first?["failed"] as? Int == 0)
        }
    }

    @Test(
        "a push that is sent again is one notification, and each of its answers is stored",
        arguments: ["apns", "fcm"]
    )
    func sentAgain(_ name: String) async throws {
        let (push, answers) =
            name == "apns"
            ? (
                #""token":"00ff","headers":{"apns-topic":"t"},"payload":{"aps":{"alert":"x"}}"#,
                [
                    #"{"status":503,"headers":{"apns-id":"\#(UUID())"},"body":{"reason":"ServiceUnavailable"}}"#,
                    #"{"status":200,"headers":{"apns-id":"\#(UUID())"}}"#,
                ]
            )
            : (
                #""message":{"token":"t","notification":{"title":"x"}}"#,
                [
                    #"{"status":503,"body":{"error":{"code":503,"status":"UNAVAILABLE"}}}"#,
                    #"{"status":200,"body":{"name":"projects/p/messages/1"}}"#,
                ]
            )
        let at = Sample.time(60)
        // One is known by its sender's id alone, the other has an id of its own.
        let senders = [#""device_id":"d1","id":"queue-17""#, #""device_id":"d2","notification_id":"n1""#]
        let bodies = answers.map { answer in
            let items = senders.map { #"{"occurred_at":"\#(at)",\#($0),\#(push),"response":\#(answer)}"# }
            return "[\(items.joined(separator: ","))]"
        }
        try await ServiceFixture.run { service in
            let (path, key) = ("/v1/providers/\(name)", service.app.provider)
            let refused = try await service.post(path, bodies[0], key: key)
            #expect(try refused.events.accepted == 4, "\(refused.text)")
            let accepted = try await service.post(path, bodies[1], key: key)
            #expect(try accepted.events.accepted == 2 && accepted.events.duplicate == 2, "\(accepted.text)")
            for body in bodies {
                #expect(try await service.post(path, body, key: key).events.duplicate == 4)
            }
            let position = try #require(try accepted.events.position)
            let rows = try await service.report("engagement?by=none", after: position)
            #expect(rows.count == 1)
            for (column, count) in [("requested", 2), ("failed", 0), ("reached", 2), ("updates", 0)] {
                #expect(rows.first?[column] as? Int == count, "\(column)")
            }
            #expect(try await service.number("SELECT count(*) FROM log.event WHERE kind = 'push_result'") == 4)
        }
    }

    @Test("items answer one by one, with pointers into the body")
    func answers() async throws {
        try await ServiceFixture.run { service in
            let bad = Self.item(#","attributes":7"#, payload: #"{"notilog":{"id":"n2"}}"#)
            let answer = try await service.post(
                "/v1/providers/apns?results=all",
                "[\(Self.item()),\(bad),7]",
                key: service.app.provider
            )
            #expect(answer.status == 200)
            let events = try answer.events
            #expect(events.accepted == 3 && events.rejected == 2, "\(answer.text)")
            #expect(events.results.map(\.index) == [0, 0, 1, 1, 2])
            #expect(answer.text.contains(#"{"index":1,"kind":"request","#))
            #expect(events.results.dropFirst(2).first?.error?.pointer == "/1/attributes")
            #expect(events.results.last?.error?.pointer == "/2")
            // The request that was rejected can be looked at, as every other; the item that was no object left nothing.
            #expect(
                try await service.text(
                    "SELECT pointer || ' ' || (item->>'kind') FROM log.quarantine WHERE item IS NOT NULL"
                )
                    == "/attributes request"
            )
            let wrong = try await service.post("/v1/providers/apns", "[7]", key: service.app.provider)
            #expect(wrong.status == 422)
            let conflict = try await service.post(
                "/v1/providers/apns",
                "[\(Self.item(#","id":"1""#)),\(Self.item(#","id":"1""#, payload: #"{"notilog":{"id":"other"}}"#))]",
                key: service.app.provider
            )
            #expect(
                try conflict.events.results.map(\.error?.code) == ["id_conflict", "id_conflict"],
                "\(conflict.text)"
            )
            #expect(try conflict.events.results.first?.error?.pointer == "/1/id")
        }
    }

    @Test("only a provider's key is taken, and only JSON within the limits", arguments: ["apns", "fcm"])
    func refusals(_ name: String) async throws {
        try await ServiceFixture.run(["limits.body_bytes": "20000", "limits.events_per_request": "3"]) { service in
            let path = "/v1/providers/\(name)"
            for (key, status) in [
                (nil, 401), ("nonsense", 401), (service.app.write, 403), (service.app.read, 403),
                (service.app.provider, 422), (service.app.admin, 422),
            ] {
                #expect(try await service.post(path, "[{}]", key: key).status == status)
            }
            let basic = Data("\(service.app.provider):".utf8).base64EncodedString()
            let login = [("Authorization", "Basic \(basic)"), ("Content-Type", "application/json")]
            #expect(try await service.post(path, "[]", headers: login).status == 401, "keys come as Bearer here")
            let key = service.app.provider
            for body in ["", "{", "nonsense", "[1", "\u{0}"] {
                #expect(try await service.post(path, body, key: key).status == 400, "\(body)")
            }
            for type in ["text/plain", "application/x-ndjson", "application/json; charset=utf-16"] {
                let answer = try await service.post(path, "[]", key: key, headers: [("Content-Type", type)])
                #expect(answer.status == 415)
            }
            #expect(try await service.post(path, "[{},{},{},{}]", key: key).status == 413)
            #expect(try await service.post(path, String(repeating: " ", count: 20_001), key: key).status == 413)
            let deep = String(repeating: "[", count: 9000) + String(repeating: "]", count: 9000)
            #expect(try await service.post(path, "[\(deep)]", key: key).status == 422)
            #expect(try await service.post(path, "[]", key: key).status == 200)
            #expect(try await service.post(path + "?results=some", "[]", key: key).status == 400)
            let metrics = try await service.client.get("/metrics").text
            #expect(metrics.contains(#"route="\#(path)",status="4xx""#))
            #expect(try await service.number("SELECT count(*) FROM log.event") == 0)
        }
    }

    @Test("ids are hashed alike in both events, where the app hashes them")
    func hashedIDs() async throws {
        try await ServiceFixture.run(["id_hash_secret": "0123456789abcdef0123456789abcdef"]) { service in
            let connection = try await service.database.connect()
            try await connection.query("UPDATE notilog.app SET hash_ids = true", cached: false)
            try await connection.query("SELECT pg_notify('notilog_keys', '')", cached: false)
            await connection.close()
            let deadline = ContinuousClock.now + .seconds(10)
            var stored: String?
            // The service takes the switch over a moment later.
            while stored == nil, ContinuousClock.now < deadline {
                _ = try await service.post(
                    "/v1/providers/apns",
                    Self.item(#","id":"\#(UUID().uuidString)""#),
                    key: service.app.provider
                )
                stored = try await service.text(
                    """
                    SELECT count(DISTINCT (device_id, notification_id)) || ' ' || count(DISTINCT kind) FROM log.event
                    WHERE length(device_id) = 64 AND length(notification_id) = 64 HAVING count(*) > 0
                    """
                )
            }
            #expect(stored == "1 2")
        }
    }
}
