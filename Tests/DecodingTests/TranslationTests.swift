import Decoding
import Foundation
import NotificationEvents
import Testing

@Suite("What was sent to APNs and FCM")
struct TranslationTests {
    @Test("becomes a request and a push_result of one notification")
    func apns() throws {
        let events = try translate(apnsItem(), .apns)
        #expect(events.map(\.kind) == ["request", "push_result"])
        let (request, result) = (try events[0].accepted(), try events[1].accepted())
        #expect(request.kind == .request && result.kind == .pushResult)
        #expect(request.notificationID == "n1" && result.notificationID == "n1" && result.deviceID == "d1")
        #expect(request.token == result.token && request.token?.count == 32)
        #expect(
            request.json == """
                {"trigger":{"type":"push"},"origin":"provider","alerting":true,"badge":3,"push":{"push_type":"alert",\
                "priority":10,"topic":"com.example.app"}}
                """
        )
        #expect(
            result.json == """
                {"provider":"apns","status":200,"apns_id":"eabeae54-14a8-11e5-b60b-1697f925ec7b",\
                "topic":"com.example.app","type":"alert","environment":"production"}
                """
        )
        #expect(try translate(apnsItem(), .apns)[0].accepted().id == request.id, "a retry is the same event")
    }

    @Test("is known by a notification_id that is a number, and refused with one that is neither that nor text")
    func notificationID() throws {
        #expect(
            try translate(apnsItem(more: #","notification_id":12345"#), .apns)[0].accepted().notificationID == "12345"
        )
        for id in ["{}", "true", "1.5", "\"\""] {
            let error = try #require(try translate(apnsItem(more: #","notification_id":\#(id)"#), .apns)[0].error)
            #expect(error.code == .invalidValue && error.pointer == "/notification_id")
        }
        #expect(try translate(apnsItem(more: #","notification_id":null"#), .apns)[0].accepted().notificationID == "n1")
    }

    @Test("is kept by its own length and digest where it is rejected, however deep it nests")
    func ownDigest() throws {
        let nested = String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
        let deep = apnsItem(more: #","own":{"text":"\#(String(repeating: "x", count: 40_000))","a":\#(nested)}"#)
        let items = try translate("[\(apnsItem()),\(deep)]", .apns)
        let rejection = try #require(items[2].item.rejection)
        #expect(rejection.error.code == .tooDeep)
        #expect(rejection.length == deep.utf8.count)
        #expect(try #require(translate(deep, .apns)[0].item.rejection).digest == rejection.digest)
    }

    @Test("is the same whether the token stands by itself or in the path, and the body is JSON or its text")
    func forms() throws {
        let plain = try translate(
            apnsItem(response: #"{"status":410,"body":{"reason":"Unregistered","timestamp":1772353889000}}"#),
            .apns
        )
        let raw = apnsItem(
            headers: #"""
                {":path":"/3/device/00FF",":authority":"api.push.apple.com","Apns-Topic":"com.example.app",
                "apns-push-type":"alert","apns-priority":10,"authorization":"bearer secret"}
                """#,
            response:
                #"{"headers":{":status":"410"},"body":"{\"reason\":\"Unregistered\",\"timestamp\":1772353889000}"}"#
        ).replacing(#""token":"00ff","#, with: "")
        let other = try translate(raw, .apns)
        #expect(try other[1].accepted().digest == plain[1].accepted().digest)
        #expect(try other[0].accepted().token == plain[0].accepted().token)
        #expect(try !other[0].accepted().json.contains("secret"))
    }

    @Test("is the same with the status under HTTP/2's name, a time as text, and nanoseconds")
    func otherLibraries() throws {
        let plain = try translate(
            apnsItem(response: #"{"status":410,"body":{"reason":"Unregistered","timestamp":1772353889000}}"#)
                .replacing("10:00:00Z", with: "10:00:00.123456Z"),
            .apns
        ).map { try $0.accepted() }
        let other = try translate(
            apnsItem(response: #"{":status":"410","body":{"reason":"Unregistered","timestamp":"1772353889000"}}"#)
                .replacing("10:00:00Z", with: "10:00:00.123456789Z"),
            .apns
        ).map { try $0.accepted() }
        #expect(other.map(\.digest) == plain.map(\.digest) && other.map(\.id) == plain.map(\.id))
    }

    @Test("says which Live Activity it updates, by itself or in the payload", arguments: ["", "activity-1"])
    func activity(own: String) throws {
        let inside = own.isEmpty ? #","notilog":{"activity_id":"activity-1"}"# : ""
        let events = try translate(
            apnsItem(
                headers: #"{"apns-push-type":"liveactivity"}"#,
                payload: #"{"aps":{"event":"update"}\#(inside)}"#,
                more: own.isEmpty ? "" : #","activity_id":"\#(own)""#
            ),
            .apns
        )
        #expect(events[0].item.warnings.isEmpty)
        #expect(try events[0].accepted().json.contains(#""activity_id":"activity-1""#))
    }

    @Test("without a device is an answer alone; without an answer a request alone")
    func halves() throws {
        let nobody = try translate(apnsItem().replacing(#""device_id":"d1","#, with: ""), .apns)
        #expect(nobody.map(\.kind) == ["push_result"])
        #expect(try nobody[0].accepted().notificationID == nil && nobody[0].accepted().deviceID.isEmpty)
        let unanswered = try translate(apnsItem(response: "null"), .apns)
        #expect(unanswered.map(\.kind) == ["request"])
        #expect(try translate(#"{"occurred_at":"2026-03-01T10:00:00Z"}"#, .apns)[0].error?.pointer == "/response")
    }

    @Test("goes by its collapse id, else by APNs' own id, where nobody named it")
    func names() throws {
        let bare = #"{"aps":{"alert":"x"}}"#
        let collapsed = try translate(
            apnsItem(headers: #"{"apns-collapse-id":"score"}"#, payload: bare),
            .apns
        )
        #expect(try collapsed.map { try $0.accepted().notificationID } == ["score", "score"])
        let nameless = try translate(apnsItem(headers: "{}", payload: bare), .apns)
        let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
        #expect(try nameless.map { try $0.accepted().notificationID } == [id, id])
        let unknown = try translate(apnsItem(payload: bare, response: #"{"status":500}"#), .apns)
        #expect(unknown[0].error?.code == .missingField && unknown[0].error?.pointer == "/notification_id")
        #expect(unknown[1].item.event != nil, "its answer counts all the same")
    }

    @Test("keeps what APNs refused: a header that it found bad is left out and told of")
    func badHeaders() throws {
        let bad = #"{"apns-priority":"99","apns-push-type":"shout","apns-id":"no uuid","apns-expiration":"soon"}"#
        let events = try translate(
            apnsItem(headers: bad, response: #"{"status":400,"body":{"reason":"BadPriority"}}"#),
            .apns
        )
        #expect(try events[1].accepted().json.contains(#""reason":"BadPriority""#))
        guard case .accepted(_, let warnings) = events[0].item else {
            Issue.record("the request is not kept: \(String(describing: events[0].error))")
            return
        }
        #expect(
            Set(warnings)
                == ["headers/apns-priority", "headers/apns-push-type", "headers/apns-id", "headers/apns-expiration"]
        )
    }

    @Test("is pointed into as it was sent")
    func pointers() throws {
        let cases: [(String, Int, String)] = [
            (apnsItem(payload: #""x""#), 0, "/payload"),
            (apnsItem(response: #"{"status":99}"#), 0, "/response/status"),
            (apnsItem(response: "{}"), 0, "/response/status"), (apnsItem(response: "[]"), 0, "/response"),
            (apnsItem(response: #"{"status":400,"body":7}"#), 0, "/response/body"),
            (apnsItem(response: #"{"status":400,"body":{"reason":7}}"#), 1, "/response/body/reason"),
            (apnsItem(response: #"{"status":410,"body":{"timestamp":"now"}}"#), 1, "/response/body/timestamp"),
            (apnsItem(response: #"{"status":200,"occurred_at":"now"}"#), 1, "/response/occurred_at"),
            (apnsItem(more: #","id":7"#), 0, "/id"), (apnsItem(more: #","environment":"prod""#), 1, "/environment"),
            (apnsItem().replacing("00ff", with: "xyz"), 1, "/token"),
            (apnsItem().replacing("2026-03-01", with: "today"), 0, "/occurred_at"),
            (apnsItem().replacing(#""d1""#, with: "7"), 0, "/device_id"), (apnsItem(headers: "7"), 0, "/headers"),
            ("7", 0, ""),
        ]
        for (body, index, pointer) in cases {
            let alone = try translate(body, .apns)
            #expect(alone.count > index && alone[index].error?.pointer == pointer, "\(body) \(alone)")
            let second = try translate("[\(apnsItem()),\(body)]", .apns)
            #expect(second[2 + index].error?.pointer == "/1" + pointer, "\(body)")
            #expect(second[0].item.event != nil && second[1].item.event != nil && second[2 + index].index == 1)
        }
    }

    @Test("goes by the sender's own id, where it has one")
    func ownIDs() throws {
        let first = try translate(apnsItem(more: #","id":"queue-17""#), .apns)
        let again = try translate(
            apnsItem(response: #"{"status":200}"#, more: #","id":"queue-17""#),
            .apns
        )
        #expect(try first[0].accepted().id == again[0].accepted().id)
        #expect(try first[0].accepted().id != first[1].accepted().id)
        #expect(try first[1].accepted().id.bytes[6] >> 4 == 5)
    }

    @Test(
        "and was sent again is one request, and each of its answers an event; a report of it again is the same",
        arguments: ["", #","id":"queue-17""#, #","id":"queue-17","notification_id":"n2""#]
    )
    func sentAgain(more: String) throws {
        func events(_ response: String) throws -> [NormalisedEvent] {
            try translate(apnsItem(response: response, more: more), .apns).map { try $0.accepted() }
        }
        let answers = [
            #"{"status":503,"headers":{"apns-id":"EABEAE54-14A8-11E5-B60B-1697F925EC7A"},"body":{"reason":"Shutdown"}}"#,
            #"{"status":503,"headers":{"apns-id":"EABEAE54-14A8-11E5-B60B-1697F925EC7B"},"body":{"reason":"Shutdown"}}"#,
            #"{"status":503,"body":{"reason":"Shutdown"}}"#, #"{"status":503,"body":{"reason":"InternalServerError"}}"#,
            #"{"status":503,"body":{"reason":"Shutdown"},"occurred_at":"2026-03-01T10:00:05Z"}"#,
            #"{"status":410,"body":{"reason":"Unregistered","timestamp":1772353889000}}"#,
            #"{"status":410,"body":{"reason":"Unregistered","timestamp":1772353889001}}"#, #"{"status":200}"#,
        ]
        let all = try answers.map(events)
        #expect(Set(all.map { $0[0].id }).count == 1 && Set(all.map { $0[0].digest }).count == 1)
        #expect(Set(all.map { $0[1].id }).count == answers.count)
        #expect(try answers.map(events).map { $0.map(\.id) } == all.map { $0.map(\.id) })
        let finer = try events(answers[4].replacing("10:00:05Z", with: "10:00:05.000000999Z"))
        #expect(finer[1].id == all[4][1].id, "a time is cut to microseconds")
    }

    @Test("and was sent again without a name keeps the one that its sender's id gives it, or its own apns-id")
    func nameSentAgain() throws {
        func names(_ headers: String, _ answerID: String, _ more: String) throws -> [String?] {
            let response = #"{"status":200,"headers":{"apns-id":"\#(answerID)"}}"#
            let item = apnsItem(headers: headers, payload: #"{"aps":{"alert":"x"}}"#, response: response, more: more)
            return try translate(item, .apns).map { try $0.accepted().notificationID }
        }
        let ids = ["eabeae54-14a8-11e5-b60b-1697f925ec7a", "eabeae54-14a8-11e5-b60b-1697f925ec7b"]
        let own = try ids.map { try names("{}", $0, #","id":"queue-17""#) }
        #expect(Set(own.joined()).count == 1 && own[0].count == 2)
        #expect(try names("{}", ids[0], #","id":"queue-18""#)[0] != own[0][0])
        let sent = try names(#"{"apns-id":"\#(ids[0])"}"#, ids[0], #","id":"queue-17""#)
        #expect(sent == [ids[0], ids[0]])
        // The answer to that, reported by itself.
        let answer =
            #"{"occurred_at":"2026-03-01T10:00:00Z","device_id":"d1","token":"00ff","id":"queue-17","#
            + #""response":{"status":200,"headers":{"apns-id":"\#(ids[0])"}}}"#
        #expect(try translate(answer, .apns).map { try $0.accepted().notificationID } == [ids[0]])
    }

    @Test("of FCM keeps its word for the error, and what APNs said behind it")
    func fcm() throws {
        func item(_ response: String, _ message: String = #"{"token":"f:1","notification":{"title":"secret"}}"#)
            -> String
        {
            #"{"occurred_at":"2026-03-01T10:00:00Z","device_id":"d1","notification_id":"n1","message":\#(message),"#
                + #""response":\#(response)}"#
        }
        func error(_ status: String, _ details: String) -> String {
            #"{"status":404,"body":{"error":{"code":404,"message":"m","status":"\#(status)","details":[\#(details)]}}}"#
        }
        let unregistered = try translate(
            item(
                error(
                    "NOT_FOUND",
                    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}"#
                )
            ),
            .fcm
        )
        #expect(unregistered.map(\.kind) == ["request", "push_result"])
        let result = try unregistered[1].accepted()
        #expect(result.json.hasPrefix(#"{"provider":"fcm","status":404,"reason":"UNREGISTERED""#))
        #expect(try unregistered[0].accepted().token == result.token)
        #expect(try !unregistered[0].accepted().json.contains("secret"))
        #expect(try unregistered[0].accepted().json.contains(#""alerting":true"#))
        let canonical = try translate(item(error("PERMISSION_DENIED", "")), .fcm)
        #expect(try canonical[1].accepted().json.contains(#""reason":"PERMISSION_DENIED""#))
        let apple = try translate(
            item(
                error(
                    "UNAUTHENTICATED",
                    #"{"@type":"x/google.firebase.fcm.v1.FcmError","errorCode":"THIRD_PARTY_AUTH_ERROR"},"#
                        + #"{"@type":"x/google.firebase.fcm.v1.ApnsError","statusCode":403,"reason":"InvalidProviderToken"}"#
                )
            ),
            .fcm
        )
        #expect(try apple[1].accepted().json.contains(#""reason":"THIRD_PARTY_AUTH_ERROR""#))
        #expect(
            try apple[1].accepted().json.contains(
                #""attributes":{"apns_reason":"InvalidProviderToken","apns_status":403}"#
            )
        )
        let named = try translate(
            item(#"{"status":200,"body":{"name":"projects/p/messages/1"}}"#, #"{"token":"f","data":{"k":"v"}}"#)
                .replacing(#""notification_id":"n1","#, with: ""),
            .fcm
        )
        #expect(
            try named.map { try $0.accepted().notificationID } == ["projects/p/messages/1", "projects/p/messages/1"]
        )
        #expect(try named[0].accepted().json.contains(#""alerting":false"#))
        let deep = try translate(
            item(#"{"status":200}"#, #"{"token":"f","apns":{"payload":{"aps":{"badge":-1}}}}"#),
            .fcm
        )
        #expect(deep[0].item.warnings == ["message/apns/payload/aps/badge"])
        let dry = try translate(item(#"{"status":200}"#).dropLast() + #","validate_only":true}"#, .fcm)
        #expect(dry.count == 1 && dry[0].error?.pointer == "/validate_only")
    }

    @Test("alone is refused where it holds what nothing can store, or is too deep or too large")
    func hostile() throws {
        let good = apnsItem()
        let bad = [
            apnsItem(payload: #"{"aps":{"category":"\u0000"}}"#), apnsItem(payload: #"{"aps":{"category":"\ud800"}}"#),
            apnsItem(payload: #"{"aps":{"content-available":1e999999}}"#),
            apnsItem(headers: #"{"apns-topic":"\ud800"}"#),
            apnsItem(payload: String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000)),
            apnsItem(payload: #"{"x":"\#(String(repeating: "y", count: 40_000))"}"#),
        ]
        for body in bad {
            let events = try translate("[\(good),\(body),\(good)]", .apns)
            #expect(events.count == 5 && events[2].index == 1 && events[2].error != nil, "\(body.prefix(200))")
            #expect(events[2].item.rejection?.redacted == nil)
            #expect([0, 1, 3, 4].allSatisfy { events[$0].item.event != nil })
        }
        for body in ["", "{", "nonsense", "[1,", "\u{FEFF}"] {
            #expect(throws: BodyError.self, "\(body)") { try translate(body, .apns) }
        }
    }

    private static let seeds = [
        apnsItem(), "[\(apnsItem()),\(apnsItem())]",
        #"{"occurred_at":"2026-03-01T10:00:00Z","device_id":"d","message":{"token":"t","apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"sound":"x"}}}},"response":{"status":404,"body":{"error":{"status":"NOT_FOUND","details":[{"@type":"FcmError","errorCode":"UNREGISTERED"}]}}}}"#,
        #"{"sentAt":"2026-03-01T10:00:01Z","batch":[{"type":"track","event":"Push Notification Tapped","messageId":"m","anonymousId":"a","timestamp":"2026-03-01T10:00:00Z","properties":{"action":"Open","campaign":{"name":"c"}},"context":{"os":{"name":"iOS"}}}]}"#,
    ]

    @Test("never crashes, whatever the bytes; and what is accepted is JSON")
    func mutated() throws {
        var generator = Seeded(seed: 7)
        var accepted = 0
        let pieces = ["{", "}", "[", "]", "null", "\"\"", "\\ud800", "\\u0000", "1e999", "-1", ",", ":", "{\"a\":1}"]
        for _ in 0..<12_000 {
            var bytes = Array((Self.seeds.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.removeSubrange(at..<min(bytes.count, at + 5))
                case 2: bytes.insert(contentsOf: Array((pieces.randomElement(using: &generator) ?? "").utf8), at: at)
                default: bytes = Array(bytes.prefix(max(1, at)))
                }
            }
            let format = [SenderFormat.apns, .fcm, .segment].randomElement(using: &generator) ?? .apns
            let policy = DecodingPolicy(scope: Bool.random(using: &generator) ? .write : .provider)
            guard
                let body = try? bytes.withUnsafeBytes({
                    try decoder.translate($0, format, policy: policy, receivedAt: received)
                })
            else { continue }
            for case .accepted(let event, _) in body.events.map(\.item) {
                accepted += 1
                #expect((try? JSONSerialization.jsonObject(with: Data(event.data))) is [String: Any], "\(bytes)")
            }
        }
        #expect(accepted > 500, "\(accepted)")
    }
}
