import Decoding
import Foundation
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
        "alert where they have an alert, a sound or a badge, and are of push type alert or of none",
        arguments: [
            (#"{"aps":{"alert":"x"}}"#, nil, true), (#"{"aps":{"alert":""}}"#, nil, false),
            (#"{"aps":{"alert":{}}}"#, nil, false), (#"{"aps":{"sound":"x"}}"#, nil, true),
            (#"{"aps":{"sound":""}}"#, nil, false), (#"{"aps":{"badge":0}}"#, nil, true),
            (#"{"aps":{"content-available":1}}"#, nil, false), (#"{"x":1}"#, nil, false),
            (#"{"aps":{"alert":"x"}}"#, #"{"apns-push-type":"alert"}"#, true),
        ]
    )
    func alerting(payload: String, headers: String?, alerting: Bool) throws {
        #expect(try accept(push(payload, headers: headers)).json.contains(#""alerting":\#(alerting)"#))
        #expect(
            try accept(push(payload, headers: headers, more: #","alerting":true"#)).json.contains(#""alerting":true"#)
        )
    }

    @Test(
        "of another push type are not alerting, whatever they hold and whichever event says otherwise",
        arguments: ProviderPayload.pushTypes.filter { $0 != "alert" }
    )
    func typesThatAlertNobody(type: String) throws {
        let headers = #"{"apns-push-type":"\#(type)"}"#
        let alone = try accept(push(#"{"aps":{"alert":"x"}}"#, headers: headers))
        let insisting = try accept(push(#"{"aps":{"alert":"x"}}"#, headers: headers, more: #","alerting":true"#))
        let bare = try accept(event("request", #""origin":"provider","push":{"push_type":"\#(type)"}"#))
        for event in [alone, insisting, bare] {
            #expect(event.json.contains(#""alerting":false"#) && !event.json.contains(#""alerting":true"#))
        }
    }

    @Test("of another push type keep the identity that they had before that rule")
    func identityOfTypes() throws {
        let headers = #"{"apns-push-type":"liveactivity"}"#
        let alone = try accept(push(#"{"aps":{"alert":"x"}}"#, headers: headers))
        let insisting = try accept(push(#"{"aps":{"alert":"x"}}"#, headers: headers, more: #","alerting":true"#))
        #expect(alone.digest == insisting.digest && alone.data == insisting.data)
        #expect(alone.id.description == "99f39df2-af79-51fb-a1f2-0a1cbad2acd5")
    }

    @Test("give way to what the event itself says")
    func precedence() throws {
        let item = try decode(
            push(
                #"{"aps":{"category":"a","badge":1},"notilog":{"id":"x"}}"#,
                headers: #"{"apns-topic":"t","apns-priority":5}"#,
                more: #","category_id":"b","push":{"topic":"mine"}"#
            )
        )[0]
        let event = try #require(item.event)
        #expect(event.notificationID == "n1")
        #expect(event.json.contains(#""category_id":"b""#))
        #expect(event.json.contains(#""push":{"priority":5,"topic":"mine"}"#))
        #expect(
            Set(item.warnings) == ["payload/aps/category", "payload/notilog/id", "headers/apns-topic"],
            "what is dropped for it is named"
        )
    }

    @Test("are not named where they say what the event itself says")
    func agreement() throws {
        let item = try decode(
            push(
                #"{"aps":{"category":"a","interruption-level":"time-sensitive"},"notilog":{"id":"n1"}}"#,
                headers: #"{"apns-topic":"t","apns-priority":"5"}"#,
                more: #","category_id":"a","interruption_level":"time_sensitive","push":{"topic":"t","priority":5}"#
            )
        )[0]
        #expect(item.event != nil && item.warnings == [])
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

    @Test("are refused where they are no objects", arguments: [(#""x""#, "{}", "/payload"), ("{}", "[]", "/headers")])
    func pointers(payload: String, headers: String, pointer: String) throws {
        #expect(try reject(push(payload, headers: headers)).error.pointer == pointer)
    }

    private func taken(_ payload: String, headers: String = "{}") throws -> (json: String, warnings: [String]) {
        let item = try #require(try decode(push(payload, headers: headers)).first)
        return (try #require(item.event, "\(String(describing: item.rejection?.error))").json, item.warnings)
    }

    @Test(
        "were sent all the same where a bit of them is wrong: it is left out and named",
        arguments: [
            (#"{"aps":{"category":5}}"#, "{}", "payload/aps/category"), (#"{"aps":[]}"#, "{}", "payload/aps"),
            (#"{"notilog":"x"}"#, "{}", "payload/notilog"),
            (#"{"aps":{"interruption-level":"loud"}}"#, "{}", "payload/aps/interruption-level"),
            (#"{"aps":{"mutable-content":2}}"#, "{}", "payload/aps/mutable-content"),
            (#"{"aps":{"content-available":"yes"}}"#, "{}", "payload/aps/content-available"),
            (#"{"aps":{"sound":5}}"#, "{}", "payload/aps/sound"), (#"{"aps":{"badge":-1}}"#, "{}", "payload/aps/badge"),
            (#"{"aps":{"badge":"many"}}"#, "{}", "payload/aps/badge"),
            (#"{"aps":{"thread-id":"\#(String(repeating: "t", count: 300))"}}"#, "{}", "payload/aps/thread-id"),
            (#"{"aps":{"alert":"x","relevance-score":75}}"#, "{}", "payload/aps/relevance-score"),
            (#"{}"#, #"{"Apns-Priority":"high"}"#, "headers/Apns-Priority"),
            (#"{}"#, #"{"apns-collapse-id":7.5}"#, "headers/apns-collapse-id"),
            (#"{}"#, #"{"apns-push-type":"loud"}"#, "headers/apns-push-type"),
        ]
    )
    func wrongBits(payload: String, headers: String, name: String) throws {
        let (json, warnings) = try taken(payload, headers: headers)
        #expect(warnings == [name])
        let field = name.split(separator: "/").last?.replacing("-", with: "_") ?? ""
        #expect(!json.contains(#""\#(field)":"#), "\(json)")
    }

    @Test(
        "are named where one of them gives way to another that says something else",
        arguments: [
            (#"{"notilog":{"campaign_id":"a","campaign":"b"}}"#, "{}", ["payload/notilog/campaign"]),
            (#"{"notilog":{"campaign_id":"a","campaign":"a"}}"#, "{}", []),
            (#"{"aps":{"input-push-channel":"a"}}"#, #"{"apns-channel-id":"b"}"#, ["payload/aps/input-push-channel"]),
            (#"{"aps":{"input-push-channel":"b"}}"#, #"{"apns-channel-id":"b"}"#, []),
            ("{}", #"{"Apns-Topic":"b","x":1,"apns-topic":"a"}"#, ["headers/apns-topic"]),
            ("{}", #"{"Apns-Topic":null,"apns-topic":"a"}"#, []),
        ]
    )
    func givenWay(payload: String, headers: String, names: [String]) throws {
        #expect(try taken(payload, headers: headers).warnings == names)
    }

    @Test("of providers name a second header under another case")
    func secondHeader() throws {
        let events = try translate(apnsItem(headers: #"{"apns-topic":"a","Apns-Topic":"b"}"#), .apns)
        #expect(events[0].item.event != nil && events[0].item.warnings == ["headers/Apns-Topic"])
    }

    @Test(
        "with an id that does not count say so, where it is the only one",
        arguments: [
            (#"{"notilog":{"id":true}}"#, "{}", "payload/notilog/id is no text"),
            (
                #"{"notilog":{"id":"\#(String(repeating: "n", count: 513))"}}"#, "{}",
                "payload/notilog/id has 513 bytes, and may have 512"
            ),
            ("{}", #"{"Apns-Collapse-ID":7.5}"#, "headers/Apns-Collapse-ID is no text"),
        ]
    )
    func unusableID(payload: String, headers: String, reason: String) throws {
        let body = push(payload, headers: headers).replacing(#""notification_id":"n1","#, with: "")
        let error = try reject(body).error
        #expect(error.code == .missingField && error.pointer == "/notification_id")
        #expect(error.message == "notification_id is required unless request_identifier is given; \(reason)")
    }

    /// Senders write ids as numbers, and clients read them so.
    @Test("have numbers as ids, campaign and variant, which are their digits")
    func numbersAsText() throws {
        let body = push(
            #"{"notilog":{"id":12345,"campaign_id":6,"variant":7}}"#,
            headers: #"{"apns-collapse-id":8}"#
        ).replacing(#""notification_id":"n1","#, with: "")
        let item = try #require(try decode(body).first)
        let event = try #require(item.event)
        #expect(event.notificationID == "12345" && item.warnings.isEmpty)
        for field in [#""request_identifier":"8""#, #""campaign_id":"6""#, #""variant":"7""#] {
            #expect(event.json.contains(field))
        }
        let same = try #require(try decode(body.replacing("12345", with: #""12345""#)).first?.event)
        #expect(same.json == event.json)
        let own = push(#"{"notilog":{"id":1}}"#).replacing(#""n1""#, with: #""1""#)
        #expect(try decode(own).first?.warnings.isEmpty == true)
        let events = try translate(apnsItem(payload: #"{"notilog":{"id":12345}}"#), .apns).map { try $0.accepted() }
        #expect(events.map(\.notificationID) == ["12345", "12345"])
    }

    @Test("whose mark cannot be read go by what else names them")
    func wrongMark() throws {
        let body = push(#"{"notilog":{"id":5.5}}"#, headers: #"{"apns-collapse-id":"c"}"#)
            .replacing(#""notification_id":"n1","#, with: "")
        let item = try #require(try decode(body).first)
        #expect(item.event?.notificationID == "c" && item.warnings == ["payload/notilog/id"])
    }

    @Test(
        "are read where numbers and booleans are texts, and that is said",
        arguments: [
            (#""content-available":"1""#, #""content_available":true"#, "content-available"),
            (#""content-available":"false""#, #""content_available":false"#, "content-available"),
            (#""mutable-content":"1""#, #""mutable_content":true"#, "mutable-content"),
            (#""mutable-content":"true""#, #""mutable_content":true"#, "mutable-content"),
            (#""badge":"1""#, #""badge":1"#, "badge"),
            (#""relevance-score":"0.5""#, #""relevance_score":0.5"#, "relevance-score"),
        ]
    )
    func texts(sent: String, stored: String, name: String) throws {
        let (json, warnings) = try taken(#"{"aps":{"alert":"x",\#(sent)}}"#)
        #expect(json.contains(stored), "\(json)")
        #expect(warnings == ["payload/aps/\(name)"])
    }

    @Test("are read in firebase-admin's spelling, and that is said; Apple's own goes first")
    func camelCase() throws {
        let (json, warnings) = try taken(
            #"""
            {"aps":{"contentAvailable":true,"mutableContent":"1","threadId":"t","interruptionLevel":"passive",
             "relevanceScore":0.5,"category":"c","thread-id":"mine"}}
            """#
        )
        #expect(
            json
                == data(
                    #""relevance_score":0.5,"mutable_content":true,"content_available":true"#,
                    alerting: false,
                    before: #""category_id":"c","thread_id":"mine","#
                ).replacing(
                    #""trigger":{"type":"push"},"#,
                    with: #""trigger":{"type":"push"},"interruption_level":"passive","#
                )
        )
        #expect(
            Set(warnings) == [
                "payload/aps/contentAvailable", "payload/aps/mutableContent", "payload/aps/threadId",
                "payload/aps/interruptionLevel", "payload/aps/relevanceScore",
            ]
        )
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
