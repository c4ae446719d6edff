import Decoding
import NotificationEvents
import Testing

@Suite("What came of notifications: the kinds of opens, conversions, holdouts, prompts and Live Activities")
struct OutcomeKindTests {
    @Test("app_open is no event of a notification's own, and still says which one opened the app")
    func appOpen() throws {
        let event = try accept(item("app_open", #""source":"scene","cold":true,"notification_id":"n1""#))
        #expect(event.json == #"{"source":"scene","cold":true}"#)
        #expect(event.notificationID == "n1")
        #expect(try accept(item("app_open", "")).notificationID == nil)
    }

    @Test(
        "conversion takes every currency of ISO 4217, the first and the last among them",
        arguments: ["AED", "CHF", "EUR", "JPY", "USD", "XCG", "XXX", "ZAR", "ZMW", "ZWL"]
    )
    func currencies(code: String) throws {
        let json = try accept(item("conversion", #""name":"purchase","value":1,"currency":"\#(code)""#)).json
        #expect(json.contains(#""currency":"\#(code)""#))
    }

    @Test("conversion has a name, and value and currency together or not at all")
    func conversion() throws {
        #expect(
            try accept(item("conversion", #""name":"purchase","value":-5,"currency":"JPY","order_id":"o1""#)).json
                == #"{"name":"purchase","value":-5,"currency":"JPY","order_id":"o1"}"#
        )
        #expect(try accept(item("conversion", #""name":"signup""#)).json == #"{"name":"signup"}"#)
        for (fields, code, pointer) in [
            (#""value":1,"currency":"EUR""#, EventError.Code.missingField, "/name"),
            (#""name":"","value":1,"currency":"EUR""#, .invalidValue, "/name"),
            (#""name":"a","value":1"#, .missingField, "/currency"),
            (#""name":"a","currency":"EUR""#, .missingField, "/value"),
            (#""name":"a","value":1.5,"currency":"EUR""#, .invalidType, "/value"),
            (#""name":"a","value":1,"currency":"euro""#, .invalidValue, "/currency"),
            (#""name":"a","value":1,"currency":"eur""#, .invalidValue, "/currency"),
            (#""name":"a","value":1,"currency":"EUC""#, .invalidValue, "/currency"),
            (#""name":"a","value":1,"currency":"AAA""#, .invalidValue, "/currency"),
            (#""name":"a","value":1,"currency":"ZZZ""#, .invalidValue, "/currency"),
            (#""name":"a","value":1,"currency":"EURO""#, .invalidValue, "/currency"),
        ] {
            let error = try reject(item("conversion", fields)).error
            #expect(error.pointer == pointer, "\(fields)")
            #expect(error.code == code || error.code == .invalidValue, "\(fields)")
        }
    }

    @Test("holdout is a provider's, of the variant `holdout` unless it says another")
    func holdout() throws {
        let fields = #""campaign_id":"spring","share":0.1,"scheduled_for":"2026-03-01T10:00:00+01:00""#
        #expect(
            try accept(item("holdout", fields)).json
                == #"{"campaign_id":"spring","variant":"holdout","scheduled_for":"2026-03-01T09:00:00.000000Z","share":0.1}"#
        )
        #expect(
            try reject(item("holdout", ""), policy: DecodingPolicy(scope: .provider)).error.pointer == "/campaign_id"
        )
        #expect(try reject(item("holdout", fields), policy: DecodingPolicy(scope: .write)).error.code == .scope)
        #expect(try reject(item("holdout", #""campaign_id":"a","share":1.1"#)).error.pointer == "/share")
    }

    @Test("permission_prompt and live_activity take their words alone")
    func words() throws {
        #expect(
            try accept(item("permission_prompt", #""placement":"onboarding","variant":"b","answer":"never""#)).json
                == #"{"placement":"onboarding","variant":"b","answer":"never"}"#
        )
        #expect(try reject(item("permission_prompt", #""answer":"maybe""#)).error.pointer == "/answer")
        let activity = #""activity_id":"a1","attributes_type":"Ride","state":"dismissed","started_by":"push""#
        #expect(
            try accept(item("live_activity", activity + #","updates_by":"channel","channel_id":"c1""#)).json
                == "{\(activity),\"updates_by\":\"channel\",\"channel_id\":\"c1\"}"
        )
        #expect(try reject(item("live_activity", #""state":"started""#)).error.pointer == "/activity_id")
        #expect(try reject(item("live_activity", #""activity_id":"a1","state":"active""#)).error.pointer == "/state")
    }

    @Test("a push of a Live Activity says what it is for; its content, attributes and request for a token are dropped")
    func liveActivityPush() throws {
        let accepted = try accept(
            """
            {"kind":"request","occurred_at":"2026-03-01T10:00:00Z","device_id":"d1","notification_id":"n1",\
            "activity_id":"a1","headers":{"apns-push-type":"liveactivity","apns-channel-id":"c1"},\
            "payload":{"aps":{"event":"start","attributes-type":"Ride","attributes":{"driver":"private"},\
            "content-state":{"where":"private"},"input-push-token":1,"stale-date":1772359200,\
            "dismissal-date":1772362800,"alert":{"title":"private"}}}}
            """
        )
        #expect(
            accepted.json == """
                {"trigger":{"type":"push"},"origin":"provider","alerting":false,"push":{"push_type":"liveactivity"},\
                "activity_id":"a1","attributes_type":"Ride","live_activity_event":"start","stale_date":1772359200,\
                "dismissal_date":1772362800,"channel_id":"c1"}
                """
        )
    }

    @Test("types of tokens have the fields that tell them apart, and ids are hashed where the app wants it")
    func tokens() throws {
        for type in ["push_to_start", "activity_update", "widget", "control"] {
            let fields = #""type":"\#(type)","attributes_type":"Ride","control_kind":"lock","token":"00ff""#
            #expect(try accept(item("token", fields)).json.contains(#""type":"\#(type)""#))
        }
        let key = IDHashKey(bytes: [UInt8](repeating: 7, count: 32))
        let policy = DecodingPolicy(scope: .provider, idHashKey: key)
        let order = try accept(item("conversion", #""name":"a","order_id":"o1""#), policy: policy)
        #expect(order.json == #"{"name":"a","order_id":"\#(key.hash("o1"))"}"#)
        let activity = try accept(item("live_activity", #""activity_id":"a1""#), policy: policy)
        #expect(activity.json == #"{"activity_id":"\#(key.hash("a1"))"}"#)
    }

    @Test("android and web are platforms; settings say whether Live Activities are allowed")
    func platforms() throws {
        for platform in ["android", "web"] {
            _ = try accept(item("app_open", #""context":{"platform":"\#(platform)"}"#))
        }
        #expect(
            try accept(item("settings", #""live_activities":"disabled""#)).json == #"{"live_activities":"disabled"}"#
        )
        #expect(try reject(item("settings", #""live_activities":"maybe""#)).error.pointer == "/live_activities")
    }

    private func item(_ kind: String, _ fields: String) -> String {
        let more = fields.isEmpty ? "" : "," + fields
        return #"{"kind":"\#(kind)","occurred_at":"2026-03-01T10:00:00Z","device_id":"d1"\#(more)}"#
    }
}
