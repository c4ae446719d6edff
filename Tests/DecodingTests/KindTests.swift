import Decoding
import NotificationEvents
import Testing

@Suite("The rules of each kind")
struct KindTests {
    @Test("request: defaults are written out, and a provider's is a push")
    func requestDefaults() throws {
        #expect(try accept(event("request")).json == #"{"origin":"app","alerting":true}"#)
        #expect(
            try accept(event("request", #""origin":"provider""#)).json
                == #"{"trigger":{"type":"push"},"origin":"provider","alerting":true}"#
        )
        #expect(
            try accept(event("request", #""origin":"provider","push":{"push_type":"background"}"#)).json
                == #"{"trigger":{"type":"push"},"origin":"provider","alerting":false,"push":{"push_type":"background"}}"#
        )
        #expect(
            try accept(event("request", #""error":1400"#)).json.contains(#""error":"notification_invalid_no_date""#)
        )
        #expect(try accept(event("request", #""error":"something_else""#)).json.contains(#""error":"something_else""#))
    }

    @Test(
        "request: an error is UNError's case, however it is spelt",
        arguments: [
            ("notificationsNotAllowed", "notifications_not_allowed"),
            ("attachmentInvalidURL", "attachment_invalid_url"),
            ("attachmentMoveIntoDataStoreFailed", "attachment_move_into_data_store_failed"),
            ("notifications_not_allowed", "notifications_not_allowed"),
            ("NSCocoaErrorDomain 256", "NSCocoaErrorDomain 256"),
        ]
    )
    func errorNames(sent: String, kept: String) throws {
        for kind in ["request", "authorization_request"] {
            let json = try accept(event(kind, #""error":"\#(sent)""#)).json
            #expect(json.contains(#""error":"\#(kept)""#))
        }
    }

    @Test("the interruption level is a name, or Apple's raw integer", arguments: ["request", "delivery"])
    func interruptionLevel(kind: String) throws {
        for (raw, name) in ["passive", "active", "time_sensitive", "critical"].enumerated() {
            let sent = try accept(event(kind, #""interruption_level":\#(raw)"#))
            #expect(sent.json == (try accept(event(kind, #""interruption_level":"\#(name)""#)).json))
            #expect(sent.json.contains(#""interruption_level":"\#(name)""#))
        }
        for raw in ["-1", "4", "1.5"] {
            let error = try reject(event(kind, #""interruption_level":\#(raw)"#)).error
            #expect(error.pointer == "/interruption_level")
        }
    }

    @Test(
        "request: fields have limits",
        arguments: [
            (#""relevance_score":1.5"#, "/relevance_score"), (#""badge":-1"#, "/badge"), (#""badge":1.5"#, "/badge"),
            (#""sound":"ping.caf""#, "/sound"), (#""attachments":["image","pdf"]"#, "/attachments/1"),
            (#""alerting":1"#, "/alerting"), (#""interruption_level":"timeSensitive""#, "/interruption_level"),
            (#""scheduled_for":"2026-02-30T00:00:00Z""#, "/scheduled_for"),
            (#""push":{"priority":11}"#, "/push/priority"),
            (#""push":{"apns_id":"x"}"#, "/push/apns_id"), (#""push":{"environment":"dev"}"#, "/push/environment"),
            (#""push":"x""#, "/push"), (#""trigger":{"interval_seconds":-1}"#, "/trigger/interval_seconds"),
            (#""thread_id":5"#, "/thread_id"), (#""origin":"server""#, "/origin"),
        ]
    )
    func requestLimits(fields: String, pointer: String) throws {
        let error = try reject(event("request", fields)).error
        #expect(error.pointer == pointer)
        #expect(error.code == .invalidValue || error.code == .invalidType)
    }

    @Test("delivery: says whether what arrived alerts, where the callback knows")
    func deliveryAlerting() throws {
        #expect(try accept(event("delivery")).json == "{}")
        #expect(
            try accept(event("delivery", #""source":"background_wake","alerting":false"#)).json
                == #"{"source":"background_wake","alerting":false}"#
        )
    }

    @Test(
        "action_response: of a push that alerted nobody it is a wake, through whichever callback the app learnt of it",
        arguments: [
            ("did_finish_launching", "not_running"), ("did_finish_launching", "background"),
            ("did_receive_remote_notification", "inactive"), ("did_receive_remote_notification", "active"),
        ]
    )
    func silentPush(delegate: String, state: String) throws {
        func response(_ more: String) throws -> NormalisedEvent {
            try accept(
                event(
                    "action_response",
                    #""action_id":"default","delegate":"\#(delegate)","app_state":"\#(state)""# + more
                )
            )
        }
        let woken = try response(#","alerting":false"#)
        #expect(woken.kind == .delivery)
        #expect(woken.json == #"{"source":"background_wake","alerting":false}"#)
        let isTap = delegate == "did_finish_launching" || state == "inactive"
        for alerting in ["", #","alerting":true"#] {
            #expect(try response(alerting).kind == (isTap ? .actionResponse : .delivery))
        }
        #expect(
            try accept(event("action_response", #""action_id":"like","delegate":"handle_action","alerting":false"#))
                .kind
                == .actionResponse
        )
    }

    @Test("authorization_request: tells the status before the question, by name or Apple's number")
    func statusBefore() throws {
        for (sent, stored) in [(#""denied""#, "denied"), ("0", "not_determined"), ("3", "provisional")] {
            #expect(
                try accept(event("authorization_request", #""status_before":\#(sent)"#)).json
                    == #"{"status_before":"\#(stored)"}"#
            )
        }
        #expect(
            try reject(event("authorization_request", #""status_before":"maybe""#)).error.pointer == "/status_before"
        )
    }

    @Test("token: names the Live Activity that it is of")
    func activity() throws {
        let event = try accept(event("token", #""token":"00ff","type":"live_activity","activity_id":"a1""#))
        #expect(
            event.json == """
                {"state":"registered","provider":"apns","type":"live_activity","activity_id":"a1",\
                "environment":"production"}
                """
        )
        #expect(event.notificationID == nil)
        let key = IDHashKey(bytes: [UInt8](repeating: 7, count: 32))
        let hashed = try accept(
            #"{"kind":"token","occurred_at":"2026-03-01T10:00:00Z","device_id":"d1","token":"00ff","activity_id":"a1"}"#,
            policy: DecodingPolicy(scope: .write, idHashKey: key)
        )
        #expect(hashed.json.contains(key.hash("a1")) && hashed.notificationID == nil)
    }

    @Test("delivery: delivered_list needs delivered_at; an outcome tells of the service extension")
    func delivery() throws {
        let error = try reject(event("delivery", #""source":"delivered_list""#)).error
        #expect(error.code == .missingField && error.pointer == "/delivered_at")
        _ = try accept(event("delivery", #""source":"delivered_list","delivered_at":"2026-03-01T09:00:00Z""#))
        #expect(
            try accept(event("delivery", #""extension":{"outcome":"filtered"}"#)).json
                == #"{"source":"service_extension","extension":{"outcome":"filtered"}}"#
        )
    }

    @Test(
        "presentation: options are names or bits, and an empty array in the foreground",
        arguments: [
            (#""surface":"foreground""#, #"{"surface":"foreground","options":[]}"#),
            (#""surface":"expanded""#, #"{"surface":"expanded"}"#),
            (#""options":27"#, #"{"surface":"foreground","options":["badge","sound","list","banner"]}"#),
            (#""options":0"#, #"{"surface":"foreground","options":[]}"#),
            (#""options":["banner",2,"banner"]"#, #"{"surface":"foreground","options":["sound","banner"]}"#),
        ]
    )
    func presentation(fields: String, data: String) throws {
        #expect(try accept(event("presentation", fields)).json == data)
    }

    @Test("presentation: bits and names that are none are refused, and so is a surface left open")
    func presentationRefused() throws {
        #expect(try reject(event("presentation", #""options":32"#)).error.pointer == "/options")
        #expect(try reject(event("presentation", #""options":-1"#)).error.pointer == "/options")
        #expect(try reject(event("presentation", #""options":["banner","toast"]"#)).error.pointer == "/options/1")
        #expect(try reject(event("presentation")).error.code == .missingField)
    }

    @Test("action_response: action_id is needed, and the system's default is `default`")
    func defaultAction() throws {
        let missing = try reject(event("action_response")).error
        #expect(missing.code == .missingField && missing.pointer == "/action_id")
        #expect(try reject(event("action_response", #""action_id":"""#)).error.code == .missingField)
        let opened = try accept(event("action_response", #""action_id":"\#(ActionIdentifier.systemDefault)""#))
        #expect(opened.kind == .actionResponse)
        #expect(opened.json == #"{"action_id":"default"}"#)
    }

    @Test("action_response: the system's dismiss action is a dismissal, the same as one sent as such")
    func dismissAction() throws {
        let fields = #""category_id":"news","app_state":"background","text":"secret""#
        let dismissed = try accept(
            event("action_response", #""action_id":"\#(ActionIdentifier.systemDismiss)","# + fields)
        )
        #expect(dismissed.kind == .dismissal)
        #expect(dismissed.json == #"{"category_id":"news"}"#)
        let direct = try accept(event("dismissal", #""category_id":"news""#))
        #expect(dismissed.digest == direct.digest)
        #expect(dismissed.id == direct.id)
    }

    @Test(
        "action_response: did_receive_remote_notification is a tap only when inactive",
        arguments: [
            (#""app_state":"inactive","#, "action_response"), (#""app_state":"active","#, "delivery"),
            (#""app_state":"background","#, "delivery"), (#""app_state":"not_running","#, "delivery"), ("", "delivery"),
        ]
    )
    func backgroundWake(state: String, kind: String) throws {
        let event = try accept(
            event("action_response", state + #""action_id":"default","delegate":"did_receive_remote_notification""#)
        )
        #expect(event.kind.name == kind)
        if kind == "delivery" {
            #expect(event.json == #"{"source":"background_wake"}"#)
        }
    }

    @Test("action_response: what it is rewritten from is checked all the same")
    func rewrittenChecked() throws {
        let fields = #""action_id":"\#(ActionIdentifier.systemDismiss)","app_state":"asleep""#
        #expect(try reject(event("action_response", fields)).error.pointer == "/app_state")
    }

    @Test("action_response: reply text is measured and dropped unless the app keeps it")
    func replyText() throws {
        let fields = #""action_id":"reply","text_length":99,"text":"né 👋🏽\n""#
        let dropped = try accept(event("action_response", fields))
        #expect(dropped.json == #"{"action_id":"reply","text_length":6}"#)
        let kept = try accept(
            event("action_response", fields),
            policy: DecodingPolicy(scope: .write, keepReplyText: true)
        )
        #expect(kept.json == #"{"action_id":"reply","text_length":6,"text":"né 👋🏽\n"}"#)
        #expect(kept.digest == dropped.digest && kept.id == dropped.id)
        #expect(try reject(event("action_response", #""action_id":"reply","text":5"#)).error.pointer == "/text")
    }

    @Test("removal and authorization_request take their enumerations")
    func others() throws {
        #expect(try reject(event("removal", #""reason":"bored""#)).error.pointer == "/reason")
        #expect(try reject(event("removal", #""state":"shown""#)).error.pointer == "/state")
        #expect(
            try accept(event("authorization_request", #""options":263,"granted":false"#)).json
                == #"{"options":["badge","sound","alert","time_sensitive"],"granted":false}"#
        )
    }

    @Test("settings: Apple's raw integers are read as names; others are refused")
    func settings() throws {
        let sent = #""authorization_status":1,"alert":0,"sound":1,"badge":2,"alert_style":2,"show_previews":0"#
        #expect(
            try accept(event("settings", sent)).json == """
                {"authorization_status":"denied","alert":"not_supported","sound":"disabled","badge":"enabled",\
                "alert_style":"alert","show_previews":"always"}
                """
        )
        for fields in [
            #""authorization_status":5"#, #""alert":3"#, #""alert":true"#, #""alert":"on""#, #""sound":1.5"#,
        ] {
            #expect(throws: Never.self) { try reject(event("settings", fields)) }
        }
    }

    @Test(
        "a field that takes any text says so, of whatever is none",
        arguments: [
            ("action_response", #""action_id":true"#, "action_id must be a string"),
            ("action_response", #""action_id":5"#, "action_id must be a string"),
            ("authorization_request", #""error":true"#, "error must be a string, or the raw value of one of "),
            ("authorization_request", #""error":5"#, "error is not the raw value of one of "),
        ]
    )
    func openText(kind: String, fields: String, message: String) throws {
        #expect(try reject(event(kind, fields)).error.message.hasPrefix(message))
    }

    @Test("category_registration needs a device or an app version, and each category once")
    func categories() throws {
        let base = #"{"kind":"category_registration","occurred_at":"2026-03-01T10:00:00Z""#
        #expect(try reject(base + #","categories":[]}"#).error.pointer == "/device_id")
        let event = try accept(base + #","categories":[{"id":"a"}],"context":{"app_version":"1"}}"#)
        #expect(
            event.json
                == #"{"categories":[{"id":"a","options":[],"actions":[]}],"context":{"app_version":"1"}}"#
        )
        let twice = try reject(base + #","device_id":"d","categories":[{"id":"a"},{"id":"a"}]}"#).error
        #expect(twice.code == .invalidValue && twice.pointer == "/categories/1/id")
        #expect(try reject(base + #","device_id":"d"}"#).error.pointer == "/categories")
        #expect(try reject(base + #","device_id":"d","categories":[{}]}"#).error.pointer == "/categories/0/id")
        let nested = #","device_id":"d","categories":[{"id":"a","options":17,"actions":[{"id":"b","type":"slider"}]}]}"#
        #expect(try reject(base + nested).error.pointer == "/categories/0/actions/0/type")
    }
}
