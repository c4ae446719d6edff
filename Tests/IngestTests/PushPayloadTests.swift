import Foundation
import Ingest
import NotificationEvents
import Testing

@Suite("Payloads and headers of pushes")
struct PushPayloadTests {
    private func push(_ payload: String, headers: String? = nil, more: String = "") -> String {
        #"{"kind":"request","occurred_at":"2026-03-01T10:00:00Z","device_id":"d1","notification_id":"n1""# + more
            + #","payload":\#(payload)"# + (headers.map { #","headers":\#($0)"# } ?? "") + "}"
    }

    private func data(_ fields: String, alerting: Bool = true, before: String = "") -> String {
        #"{\#(before)"trigger":{"type":"push"},"origin":"provider","alerting":\#(alerting)"#
            + (fields.isEmpty ? "" : ",") + fields + "}"
    }

    @Test("give their known fields; custom keys and the words of the alert are dropped")
    func fields() throws {
        let event = try accept(
            #"""
            {"kind":"request","occurred_at":"2026-03-01T10:00:00Z","device_id":"d1",
             "payload":{"aps":{"alert":{"title":"Secret"},"category":"news","thread-id":"t","interruption-level":"time-sensitive",
               "relevance-score":0.25,"mutable-content":1,"content-available":1,"badge":4,"sound":"default"},
               "notilog":{"id":"n7","campaign":"spring","variant":"b"},"custom":"Secret"},
             "headers":{"apns-collapse-id":"c1","APNS-ID":"EABEAE54-14A8-11E5-B60B-1697F925EC7B","apns-push-type":"alert",
               "apns-priority":"10","apns-expiration":0,"apns-topic":"com.example","authorization":"bearer Secret"}}
            """#
        )
        #expect(event.notificationID == "n7")
        #expect(
            event.json == """
                {"request_identifier":"c1","category_id":"news","thread_id":"t","trigger":{"type":"push"},\
                "interruption_level":"time_sensitive","campaign_id":"spring","variant":"b","origin":"provider",\
                "alerting":true,"relevance_score":0.25,"mutable_content":true,"content_available":true,"badge":4,\
                "sound":"default","push":{"apns_id":"eabeae54-14a8-11e5-b60b-1697f925ec7b","push_type":"alert",\
                "priority":10,"expiration":0,"topic":"com.example"}}
                """
        )
    }

    @Test("of the shared fixtures are taken as they stand")
    func fixtures() throws {
        struct Fixture {
            var note: String
            var body: String
        }
        let url = fixture("payloads")
        let fixtures = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [[String: Any]])
        let expected: [String: String] = [
            "plain alert with badge": data(#""badge":1,"sound":"default""#),
            "with a category": data(#""badge":1,"sound":"default""#, before: #""category_id":"news","#),
            "changed on the device, no image": data(#""mutable_content":true,"badge":1,"sound":"default""#),
            "image fetched by the service extension": data(#""mutable_content":true,"badge":1,"sound":"default""#),
            "decrypted by the service extension; alert is a string": data(#""mutable_content":true"#),
            "attachment under a key of the sender's own": data(#""mutable_content":true"#),
            "update of one already shown": data("", before: #""request_identifier":"com.hangge.testNotification","#),
            "custom sound file": data(#""sound":"custom""#),
            "silent: sound empty": data(#""sound":"none""#),
            "background push": data(
                #""content_available":true,"push":{"push_type":"background","priority":5}"#,
                alerting: false
            ),
        ]
        #expect(fixtures.count == expected.count)
        for fixture in fixtures {
            let note = try #require(fixture["note"] as? String)
            let payload = try #require(fixture["payload"])
            let text = String(decoding: try JSONSerialization.data(withJSONObject: payload), as: UTF8.self)
            let headers = try fixture["headers"].map {
                String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
            }
            let event = try accept(push(text, headers: headers))
            #expect(event.json == expected[note], "\(note)")
            for word in ["hangge.com\"", "航歌", "文明", "example.com", "myencrypted", "iosPush"] {
                #expect(!event.json.contains(word))
            }
        }
    }

    @Test(
        "alert where they have an alert, a sound or a badge, and are no background push",
        arguments: [
            (#"{"aps":{"alert":"x"}}"#, nil, true), (#"{"aps":{"alert":""}}"#, nil, false),
            (#"{"aps":{"alert":{}}}"#, nil, false), (#"{"aps":{"sound":"x"}}"#, nil, true),
            (#"{"aps":{"sound":""}}"#, nil, false), (#"{"aps":{"badge":0}}"#, nil, true),
            (#"{"aps":{"content-available":1}}"#, nil, false), (#"{"x":1}"#, nil, false),
            (#"{"aps":{"alert":"x"}}"#, #"{"apns-push-type":"background"}"#, false),
        ]
    )
    func alerting(payload: String, headers: String?, alerting: Bool) throws {
        #expect(try accept(push(payload, headers: headers)).json.contains(#""alerting":\#(alerting)"#))
        #expect(
            try accept(push(payload, headers: headers, more: #","alerting":true"#)).json.contains(#""alerting":true"#)
        )
    }

    @Test("give way to what the event itself says")
    func precedence() throws {
        let event = try accept(
            push(
                #"{"aps":{"category":"a","badge":1},"notilog":{"id":"x"}}"#,
                headers: #"{"apns-topic":"t","apns-priority":5}"#,
                more: #","category_id":"b","push":{"topic":"mine"}"#
            )
        )
        #expect(event.notificationID == "n1")
        #expect(event.json.contains(#""category_id":"b""#))
        #expect(event.json.contains(#""push":{"priority":5,"topic":"mine"}"#))
    }

    @Test(
        "tell sorts of sound apart",
        arguments: [
            (#"{"critical":1,"name":"x","volume":1}"#, "critical"), (#"{"name":"x"}"#, "custom"),
            (#"{"name":"default"}"#, "default"), (#""default""#, "default"), (#""x.caf""#, "custom"), (#""""#, "none"),
        ]
    )
    func sound(sent: String, stored: String) throws {
        #expect(try accept(push(#"{"aps":{"sound":\#(sent)}}"#)).json.contains(#""sound":"\#(stored)""#))
    }

    @Test("leave out a relevance score of a Live Activity")
    func relevance() throws {
        #expect(try accept(push(#"{"aps":{"alert":"x","relevance-score":75}}"#)).json == data(""))
    }

    @Test(
        "are pointed into where they are wrong",
        arguments: [
            (#"{"aps":{"category":5}}"#, "{}", "/payload/aps/category"), (#"{"aps":[]}"#, "{}", "/payload/aps"),
            (#"{"notilog":"x"}"#, "{}", "/payload/notilog"), (#""x""#, "{}", "/payload"),
            (#"{"aps":{"interruption-level":"loud"}}"#, "{}", "/payload/aps/interruption-level"),
            (#"{"aps":{"mutable-content":2}}"#, "{}", "/payload/aps/mutable-content"),
            (#"{}"#, #"{"Apns-Priority":"high"}"#, "/headers/Apns-Priority"), (#"{}"#, "[]", "/headers"),
            (#"{}"#, #"{"apns-collapse-id":7}"#, "/headers/apns-collapse-id"),
            (#"{}"#, #"{"apns-push-type":"loud"}"#, "/headers/apns-push-type"),
        ]
    )
    func pointers(payload: String, headers: String, pointer: String) throws {
        #expect(try reject(push(payload, headers: headers)).error.pointer == pointer)
    }
}

@Suite("Categories and callback orders of the shared fixtures")
struct FixtureTests {
    @Test("categories are registered as they stand")
    func categories() throws {
        let url = fixture("categories")
        let text = try String(contentsOf: url, encoding: .utf8)
        let event = try accept(event("category_registration", #""categories":\#(text)"#))
        #expect(event.json.contains(#"{"id":"comment","title":"评论","type":"text_input","options":["foreground"]}"#))
        #expect(event.json.contains(#""id":"com.usernotificationstutorial.delete""#))
        #expect(event.json.contains(#""options":["authentication_required","destructive"]"#))
        #expect(event.json.contains(#"{"id":"event-invite","options":[],"actions":["#))
    }

    @Test("each callback of a tap is a response, but for wakes that are no tap")
    func delegatePaths() throws {
        let url = fixture("delegate-paths")
        let paths = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
        for (state, versions) in paths {
            guard let versions = versions as? [String: [String]] else { continue }
            for callback in versions.values.joined() where callback != "did_register_for_remote_notifications" {
                let tapped = try accept(
                    event("action_response", #""action_id":"default","delegate":"\#(callback)","app_state":"inactive""#)
                )
                #expect(tapped.kind == .actionResponse)
                let woken = try accept(
                    event(
                        "action_response",
                        #""action_id":"default","delegate":"\#(callback)","app_state":"background""#
                    )
                )
                #expect(
                    woken.kind == (callback == "did_receive_remote_notification" ? .delivery : .actionResponse),
                    "\(state)"
                )
            }
        }
    }
}
