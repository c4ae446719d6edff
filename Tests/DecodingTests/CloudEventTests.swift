import Decoding
import NotificationEvents
import Testing

@Suite("CloudEvents")
struct CloudEventTests {
    private let structured = BodyFormat.cloudEvent
    private let batch = BodyFormat.cloudEventBatch

    private func cloudEvent(
        id: String = #""0198c0de-0000-7000-8000-000000000001""#,
        type: String = "notilog.dismissal",
        data: String = #"{"notification_id":"n1"}"#,
        more: String = ""
    ) -> String {
        """
        {"specversion":"1.0","id":\(id),"source":"/apps/demo","type":"\(type)","time":"2026-03-01T10:00:00Z",\
        "subject":"d1","datacontenttype":"application/json","data":\(data)\(more)}
        """
    }

    @Test("say what the same event says by itself")
    func same() throws {
        let plain = try accept(event("dismissal"))
        let cloud = try accept(cloudEvent(), as: structured)
        #expect(cloud.digest == plain.digest)
        #expect(cloud.deviceID == "d1" && cloud.occurredAt == plain.occurredAt)
        #expect(cloud.id.description == "0198c0de-0000-7000-8000-000000000001")
        #expect(try decode("[\(cloudEvent()),\(cloudEvent())]", as: batch).allSatisfy { $0.event != nil })
    }

    @Test("have nanoseconds, as other languages' libraries write them, which are cut to microseconds")
    func nanoseconds() throws {
        let sent = cloudEvent().replacing("10:00:00Z", with: "10:00:00.123456789Z")
        let event = try accept(sent, as: structured)
        #expect(event.occurredAt == (try accept(sent.replacing("789Z", with: "Z"), as: structured)).occurredAt)
        let plain = DecodingTests.event("dismissal").replacing("10:00:00Z", with: "10:00:00.123456789Z")
        #expect(try reject(plain).error.message.contains("at most 6 digits"))
    }

    @Test("with an id that is no UUID get one of version 5, from source and id")
    func ids() throws {
        let first = try accept(cloudEvent(id: #""17""#), as: structured)
        #expect(first.id.bytes[6] >> 4 == 5)
        #expect(try accept(cloudEvent(id: #""17""#, data: #"{"notification_id":"n2"}"#), as: structured).id == first.id)
        #expect(try accept(cloudEvent(id: #""18""#), as: structured).id != first.id)
        #expect(first.id.description == "b97aceb0-e900-587e-8608-6aac1efe1ff7")
    }

    @Test("with their data in Base64 say what they say with data")
    func encoded() throws {
        let plain = try accept(cloudEvent(), as: structured)
        let data = #""data_base64":"eyJub3RpZmljYXRpb25faWQiOiJuMSJ9""#
        let sent = cloudEvent().replacing(#""data":{"notification_id":"n1"}"#, with: data)
        let untyped = sent.replacing(#""datacontenttype":"application/json","#, with: "")
        let typed = sent.replacing("application/json", with: "application/vnd.own+json; charset=utf-8")
        for body in [sent, untyped, typed, sent.replacing("}", with: #","data":null}"#)] {
            let event = try accept(body, as: structured)
            #expect(event.id == plain.id && event.digest == plain.digest && event.data == plain.data)
        }
        let items = try decode("[\(sent),\(cloudEvent()),\(sent)]", as: batch)
        #expect(items.compactMap(\.event?.digest) == [plain.digest, plain.digest, plain.digest])
        #expect(items.flatMap(\.warnings).isEmpty)
    }

    @Test(
        "with data in Base64 that cannot be read are rejected, and not kept as if they had none",
        arguments: [
            // Beside data, of another type, no Base64, no JSON, no object, without a field that it needs.
            #""data_base64":"eyJub3RpZmljYXRpb25faWQiOiJuMSJ9","data":{"notification_id":"n1"}"#,
            #""data_base64":"eyJub3RpZmljYXRpb25faWQiOiJuMSJ9","datacontenttype":"application/xml""#,
            #""data_base64":"eyJub3RpZmljYXRpb25faWQiOiJuMSJ""#, #""data_base64":"ey?=""#, #""data_base64":{}"#,
            #""data_base64":"e30sIngiOjF9""#, #""data_base64":"""#, #""data_base64":"W10=""#, #""data_base64":"e30=""#,
        ]
    )
    func encodedWrong(data: String) throws {
        let body = cloudEvent().replacing(#""data":{"notification_id":"n1"}"#, with: data)
        let item = try reject(body, as: structured)
        #expect(item.error.pointer == "/data_base64" && item.length == body.utf8.count, "\(item.error)")
        #expect(item.redacted == nil || data.contains("e30=") || data.contains("W10="))
        if let kept = item.text {
            let again = try reject(kept, policy: DecodingPolicy(scope: .provider, isReplay: true))
            #expect(again.error.code != .unknownKind, "\(kept)")
        }
        #expect(try reject("[\(body)]", as: batch).error.pointer == "/0/data_base64")
    }

    @Test("with data in Base64 that are too large are not replayed without their data")
    func encodedLarge() throws {
        let data =
            #""data_base64":"eyJub3RpZmljYXRpb25faWQiOiJuMSJ9","padding":"\#(String(repeating: "x", count: 40_000))""#
        let item = try reject(cloudEvent().replacing(#""data":{"notification_id":"n1"}"#, with: data), as: structured)
        #expect(item.error.code == .tooLarge && item.redacted == nil)
    }

    @Test("are pointed into as they were sent")
    func pointers() throws {
        let cases: [(String, String)] = [
            (cloudEvent(type: "notilog.tap"), "/type"), (cloudEvent(type: "com.example.dismissal"), "/type"),
            (cloudEvent().replacing("2026-03-01", with: "2026-99-01"), "/time"),
            (cloudEvent().replacing(#""time":"2026-03-01T10:00:00Z","#, with: ""), "/time"),
            (cloudEvent().replacing(#""subject":"d1","#, with: ""), "/subject"),
            (cloudEvent().replacing(#""d1""#, with: "7"), "/subject"),
            (cloudEvent(data: "{}"), "/data/notification_id"),
            (cloudEvent(data: #"{"notification_id":"n","context":{"platform":"x"}}"#), "/data/context/platform"),
            (cloudEvent(data: "[]"), "/data"), (cloudEvent(id: "7"), "/id"), (cloudEvent(id: #""""#), "/id"),
            (cloudEvent().replacing("1.0", with: "0.3"), "/specversion"),
            (cloudEvent().replacing("/apps/demo", with: ""), "/source"),
            (cloudEvent(type: "notilog.delivery", data: #"{"notification_id":"n","source":"x"}"#), "/data/source"),
        ]
        for (body, pointer) in cases {
            #expect(try reject(body, as: structured).error.pointer == pointer)
            #expect(try reject("[\(body)]", as: batch).error.pointer == "/0" + pointer)
        }
    }

    @Test("name fields of their data that say something else than the attributes, which count")
    func contradictions() throws {
        let same =
            #"{"notification_id":"n1","kind":"dismissal","device_id":"d1","occurred_at":"2026-03-01T11:00:00+01:00","#
            + #""id":"0198C0DE-0000-7000-8000-000000000001"}"#
        let other =
            #"{"notification_id":"n1","kind":"removal","device_id":"d2","occurred_at":"2026-03-01T11:00:00Z","id":"17"}"#
        let plain = try accept(cloudEvent(), as: structured)
        for (data, named) in [
            (same, []), (other, ["data/kind", "data/occurred_at", "data/device_id", "data/id"]),
            (#"{"notification_id":"n1","device_id":7}"#, ["data/device_id"]),
        ] {
            let item = try decode(cloudEvent(data: data), as: structured)[0]
            #expect(item.event?.digest == plain.digest && item.event?.id == plain.id)
            #expect(item.warnings == named)
        }
        // Its id is made of the source and this text.
        #expect(
            try decode(cloudEvent(id: #""17""#, data: #"{"notification_id":"n1","id":"17"}"#), as: structured)[0]
                .warnings == []
        )
    }

    @Test("of other extensions keep the event and name the extension")
    func extensions() throws {
        let item = try decode(cloudEvent(more: #","traceparent":"00-1","dataschema":"x""#), as: structured)[0]
        #expect(item.event != nil)
        #expect(item.warnings == ["traceparent"])
    }

    @Test("that are rejected are kept as the event itself")
    func redacted() throws {
        let item = try reject(
            cloudEvent(
                type: "notilog.action_response",
                data: #"{"notification_id":"n1","text":"secret","app_state":"x"}"#
            ),
            as: structured
        )
        #expect(
            item.text == """
                {"kind":"action_response","id":"0198c0de-0000-7000-8000-000000000001",\
                "occurred_at":"2026-03-01T10:00:00Z","device_id":"d1","notification_id":"n1","text_length":6,\
                "app_state":"x"}
                """
        )
        #expect(item.id?.description == "0198c0de-0000-7000-8000-000000000001")
        #expect(item.kind == "action_response")
    }

    @Test(
        "that are at fault themselves are refused on replay too",
        arguments: [
            (#""specversion":"1.0""#, #""specversion":"0.3""#), (#""source":"/apps/demo""#, #""source":"""#),
        ]
    )
    func refusedEnvelope(sent: String, wrong: String) throws {
        let whole = cloudEvent(type: "notilog.app_open", data: "{}")
        #expect(whole.contains(sent))
        let item = try reject(whole.replacing(sent, with: wrong), as: structured)
        _ = try reject(try #require(item.text), policy: DecodingPolicy(scope: .provider, isReplay: true))
    }
}
