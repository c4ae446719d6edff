import Decoding
import NotificationEvents
import Testing

@Suite("What was sent to FCM")
struct FCMTests {
    private func item(
        _ response: String,
        message: String = #"{"token":"f:1","notification":{"title":"secret"}}"#,
        device: String = "d1",
        more: String = ""
    ) -> String {
        #"{"occurred_at":"2026-03-01T10:00:00Z","device_id":"\#(device)","message":\#(message),"response":\#(response)"#
            + more + "}"
    }

    private func refusal(_ status: Int, _ word: String, _ details: String) -> String {
        #"{"status":\#(status),"body":{"error":{"code":\#(status),"message":"m","status":"\#(word)","details":[\#(details)]}}}"#
    }

    @Test("its error is read also where nothing says that it is one, and so is APNs' answer behind it")
    func untyped() throws {
        let dead = try translate(item(refusal(404, "NOT_FOUND", #"{"errorCode":"UNREGISTERED"}"#)), .fcm)
        #expect(try dead[1].accepted().json.contains(#""reason":"UNREGISTERED""#))
        let apple = #"{"statusCode":410,"reason":"Unregistered"}"#
        let behind = try translate(item(refusal(400, "INVALID_ARGUMENT", apple)), .fcm)
        let json = try behind[1].accepted().json
        #expect(json.contains(#""reason":"INVALID_ARGUMENT""#))
        #expect(json.contains(#""attributes":{"apns_reason":"Unregistered","apns_status":410}"#))
        let other = #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"x"}"#
        let google = try translate(item(refusal(400, "INVALID_ARGUMENT", other)), .fcm)
        #expect(try !google[1].accepted().json.contains("apns_reason"))
    }

    @Test("a refusal of what nobody gave a name keeps its request, under one made of the push")
    func refusedWithoutName() throws {
        let answer = refusal(400, "INVALID_ARGUMENT", "")
        func name(_ body: String) throws -> String {
            let events = try translate(body, .fcm)
            let names = try events.map { try #require(try $0.accepted().notificationID) }
            #expect(names.count == 2 && Set(names).count == 1)
            return names[0]
        }
        let first = try name(item(answer))
        #expect(try name(item(answer)) == first, "a retry is the same push")
        #expect(EventID(first) != nil)
        let others = [
            item(answer, device: "d2"), item(answer, message: #"{"token":"f:2","notification":{"title":"secret"}}"#),
            item(answer, message: #"{"token":"f:1","notification":{"title":"other"}}"#),
            item(answer).replacing("10:00:00", with: "10:00:01"), item(answer, more: #","id":"queue-17""#),
        ]
        #expect(Set(try others.map(name) + [first]).count == others.count + 1)
        let own = item(answer, more: #","id":"queue-17""#)
        #expect(try name(own) == name(own.replacing("f:1", with: "f:2")), "the sender's own id goes first")
        #expect(try name(item(answer, more: #","notification_id":"n1""#)) == "n1")
    }

    @Test(
        "a message that is sent again is one request with two answers, where its sender names it in any way",
        arguments: [#","id":"queue-17""#, #","notification_id":"n1""#]
    )
    func sentAgain(more: String) throws {
        func events(_ response: String) throws -> [NormalisedEvent] {
            try translate(item(response, more: more), .fcm).map { try $0.accepted() }
        }
        let answers = [
            refusal(503, "UNAVAILABLE", ""), #"{"status":200,"body":{"name":"projects/p/messages/1"}}"#,
            refusal(400, "INVALID_ARGUMENT", #"{"statusCode":410,"reason":"Unregistered"}"#),
            refusal(400, "INVALID_ARGUMENT", #"{"statusCode":400,"reason":"BadDeviceToken"}"#),
        ]
        let all = try answers.map(events)
        #expect(Set(all.joined().map(\.notificationID)).count == 1)
        #expect(Set(all.map { $0[0].id }).count == 1 && Set(all.map { $0[0].digest }).count == 1)
        #expect(Set(all.map { $0[1].id }).count == answers.count)
        #expect(try answers.map(events).map { $0.map(\.id) } == all.map { $0.map(\.id) })
    }

    @Test("firebase-admin's spelling is read, and that is said; FCM's own goes first")
    func camelCase() throws {
        let accepted = #"{"status":200,"body":{"name":"projects/p/messages/1"}}"#
        let admin = try translate(
            item(
                accepted,
                message: #"""
                    {"token":"f","fcmOptions":{"analyticsLabel":"spring"},"android":{"collapseKey":"score"},
                     "apns":{"payload":{"aps":{"alert":"x","mutableContent":true,"threadId":"t"}}}}
                    """#
            ),
            .fcm
        )
        let request = try admin[0].accepted()
        #expect(request.notificationID == "score")
        for field in [#""campaign_id":"spring""#, #""mutable_content":true"#, #""thread_id":"t""#] {
            #expect(request.json.contains(field), "\(request.json)")
        }
        #expect(
            Set(admin[0].item.warnings) == [
                "message/fcmOptions", "message/fcmOptions/analyticsLabel", "message/android/collapseKey",
                "message/apns/payload/aps/mutableContent", "message/apns/payload/aps/threadId",
            ]
        )
        let both = try translate(
            item(
                accepted,
                message:
                    #"{"token":"f","android":{"collapseKey":"theirs","collapse_key":"mine"},"apns":{"fcmOptions":{"analytics_label":"c"}}}"#
            ),
            .fcm
        )
        #expect(try both[0].accepted().notificationID == "mine")
        #expect(try both[0].accepted().json.contains(#""campaign_id":"c""#))
        #expect(Set(both[0].item.warnings) == ["message/android/collapseKey", "message/apns/fcmOptions"])
    }

    @Test(
        "the notification's id is read where an app on Android finds it",
        arguments: [
            (#""data":{"notilog_id":"n1"}"#, "n1", []), (#""data":{"notilog_id":17}"#, "17", []),
            (#""android":{"collapse_key":"k","data":{"notilog_id":"n1"}}"#, "n1", []),
            (
                #""data":{"notilog_id":"n1"},"android":{"data":{"notilog_id":"n2"}}"#, "n2",
                ["message/data/notilog_id"]
            ),
            (
                #""data":{"notilog_id":"n1"},"apns":{"payload":{"notilog":{"id":"n2"}}}"#, "n2",
                ["message/data/notilog_id"]
            ),
            (#""data":{"notilog_id":"n1"},"apns":{"payload":{"notilog":{"id":"n1"}}}"#, "n1", []),
            (#""data":{"notilog_id":{}},"android":{"collapse_key":"k"}"#, "k", ["message/data/notilog_id"]),
            (#""data":{"notilog_id":""},"android":{"collapse_key":"k"}"#, "k", []),
        ] as [(String, String, [String])]
    )
    func dataID(members: String, id: String, warnings: [String]) throws {
        let accepted = #"{"status":200,"body":{"name":"projects/p/messages/1"}}"#
        let message = #"{"token":"f","notification":{"title":"secret"},\#(members)}"#
        let events = try translate(item(accepted, message: message), .fcm)
        #expect(try events.map { try $0.accepted().notificationID } == [id, id])
        #expect(events[0].item.warnings == warnings)
        let named = try translate(item(accepted, message: message, more: #","notification_id":"n0""#), .fcm)
        #expect(try named.map { try $0.accepted().notificationID } == ["n0", "n0"])
    }

    @Test(
        "alerts with a notification for any platform, or with data that has the id of one",
        arguments: [
            (#""webpush":{"notification":{"title":"W"}}"#, true), (#""webpush":{"notification":{}}"#, false),
            (#""android":{"notification":{"title":"A"}}"#, true),
            (#""webpush":{"notification":{"title":"W"}},"apns":{"payload":{"aps":{"content-available":1}}}"#, true),
            (#""data":{"notilog_id":"n1","title":"T"}"#, true), (#""android":{"data":{"notilog_id":"n1"}}"#, true),
            (#""data":{"title":"T"}"#, false), (#""android":{"priority":"high"}"#, false),
            (#""data":{"notilog_id":"n1"},"apns":{"payload":{"aps":{"content-available":1}}}"#, false),
            (#""data":{"notilog_id":"n1"},"apns":{"headers":{"apns-push-type":"background"}}"#, false),
        ]
    )
    func alerting(members: String, alerts: Bool) throws {
        func request(_ more: String = "") throws -> String {
            let accepted = #"{"status":200,"body":{"name":"projects/p/messages/1"}}"#
            let events = try translate(item(accepted, message: #"{"token":"f",\#(members)}"#, more: more), .fcm)
            #expect(events[0].item.warnings.isEmpty)
            return try events[0].accepted().json
        }
        #expect(try request().contains(#""alerting":\#(alerts)"#))
        #expect(try request(#","alerting":false"#).contains(#""alerting":false"#))
        let said = try request(#","alerting":true"#)
        #expect(said.contains(#""alerting":\#(!members.contains("apns-push-type"))"#), "the push type goes first")
    }

    @Test("data alerts with an id that the sender says apart; what it says of alerting is a boolean")
    func saidAlerting() throws {
        let message = #"{"token":"f","data":{"title":"T"}}"#
        let named = try translate(item(#"{"status":200}"#, message: message, more: #","notification_id":"n1""#), .fcm)
        #expect(try named[0].accepted().json.contains(#""alerting":true"#))
        let wrong = try translate(
            item(#"{"status":200}"#, message: message, more: #","notification_id":"n1","alerting":"yes""#),
            .fcm
        )
        #expect(wrong[0].error?.pointer == "/alerting")
        #expect(wrong[1].item.event != nil, "its answer counts all the same")
    }

    @Test("an id in the data that is longer than any id gives way to the next one")
    func longDataID() throws {
        let long = String(repeating: "x", count: 513)
        let message = #"{"token":"f","data":{"notilog_id":"\#(long)"},"android":{"collapse_key":"k"}}"#
        let events = try translate(item(#"{"status":200}"#, message: message), .fcm)
        #expect(try events.map { try $0.accepted().notificationID } == ["k", "k"])
        #expect(events[0].item.warnings == ["message/data/notilog_id"])
    }

    @Test(
        "the channel of Android is the category, where the payload for APNs has none",
        arguments: [
            (#""android":{"notification":{"channel_id":"news"}}"#, "news", []),
            (
                #""android":{"notification":{"channelId":"news"}}"#, "news",
                ["message/android/notification/channelId"]
            ),
            (
                #""android":{"notification":{"channel_id":"news"}},"apns":{"payload":{"aps":{"category":"offers"}}}"#,
                "offers", ["message/android/notification/channel_id"]
            ),
            (#""android":{"notification":{"channel_id":7}}"#, nil, ["message/android/notification/channel_id"]),
        ] as [(String, String?, [String])]
    )
    func channel(members: String, category: String?, warnings: [String]) throws {
        let accepted = #"{"status":200,"body":{"name":"projects/p/messages/1"}}"#
        let events = try translate(item(accepted, message: #"{"token":"f",\#(members)}"#), .fcm)
        let json = try events[0].accepted().json
        if let category {
            #expect(json.contains(#""category_id":"\#(category)""#), "\(json)")
        } else {
            #expect(!json.contains("category_id"), "\(json)")
        }
        #expect(events[0].item.warnings == warnings)
        #expect(try !events[1].accepted().json.contains("category_id"))
    }
}
