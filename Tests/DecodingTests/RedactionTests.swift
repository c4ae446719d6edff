import Decoding
import NotificationEvents
import Testing

@Suite("Redaction of rejected items")
struct RedactionTests {
    private let key = IDHashKey(bytes: [UInt8](repeating: 9, count: 32))

    @Test("drops reply text, also where another field failed, and keeps its length")
    func replyText() throws {
        let item = try reject(
            event("action_response", #""action_id":"reply","text":"my secret","app_state":"asleep","note":"my secret""#)
        )
        #expect(item.error.pointer == "/app_state")
        #expect(item.text?.contains("secret") == false)
        #expect(item.text?.contains(#""text_length":9"#) == true)
        #expect(item.text?.contains(#""app_state":"asleep""#) == true)
        #expect(item.length > 0)
    }

    @Test("digests tokens, wherever a kind has them, known kind or not")
    func tokens() throws {
        let token = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
        for body in [
            event("token", #""token":"\#(token)","type":"x""#), event("tokn", #""token":"\#(token)""#),
            event("request", #""push":{"token":"\#(token)"},"badge":-1"#),
            event("token", #""provider":"fcm","token":"\#(token)","state":"x""#),
        ] {
            let item = try reject(body)
            #expect(item.text?.contains("00fc13ad") == false)
            #expect(item.text?.contains(#""token":"sha256:"#) == true)
        }
        #expect(try reject(event("token", #""token":["\#(token)"]"#)).text?.contains("00fc") == false)
    }

    @Test("drops the words of alerts, custom keys and the provider's own key")
    func payload() throws {
        let item = try reject(
            event(
                "request",
                """
                "variant":5,"payload":{"aps":{"alert":{"title":"Secret"},"badge":-7,"mutableContent":"1",\
                "sound":{"name":"Secret"}},"x":"Secret",\
                "notilog":{"id":"n7","y":"Secret"}},\
                "headers":{"authorization":"bearer Secret","apns-topic":"t"}
                """
            )
        )
        #expect(item.error.pointer == "/variant")
        #expect(
            item.text == """
                {"kind":"request","occurred_at":"2026-03-01T10:00:00Z","device_id":"d1","notification_id":"n1",\
                "variant":5,"payload":{"notilog":{"id":"n7"},"aps":{"mutable-content":"1","badge":-7,"sound":{"name":"custom"},\
                "alert":{"redacted":true}}},"headers":{"apns-topic":"t"}}
                """
        )
    }

    @Test("hashes ids where the app wants it")
    func ids() throws {
        let item = try reject(
            event("dismissal", #""request_identifier":"anna","variant":5"#),
            policy: DecodingPolicy(scope: .write, idHashKey: key)
        )
        #expect(item.text?.contains("anna") == false)
        #expect(item.text?.contains(#""d1""#) == false)
        #expect(item.text?.contains(#""device_id":"hmac-sha256:\#(key.hash("d1"))""#) == true)
    }

    @Test(
        "keeps what gives the same event on replay as it would have given at first",
        arguments: [
            event("action_response", #""action_id":"reply","text":"héllo","text_length":3"#),
            event("token", #""token":"00FC13AD","topic":"t""#),
            event("token", #""provider":"fcm","token":"aB:c","topic":"t""#),
            event("dismissal", #""request_identifier":"anna","attributes":{"b":1,"a":[true,null]},"unknown":1"#),
            event("request", #""payload":{"aps":{"alert":"x","sound":"a.caf"}},"headers":{"APNS-Collapse-ID":"c"}"#),
            event("request", #""payload":{"aps":{"alert":"x","sound":{"critical":1}},"notilog":{"id":"q"}}"#),
            event("request", #""payload":{"aps":{"content-available":1}},"headers":{"apns-push-type":"background"}"#),
            event("request", #""payload":{"aps":{"sound":{}}}"#), event("request", #""payload":{"aps":{"sound":""}}"#),
            event("request", #""payload":{"aps":{"sound":{"name":""}}}"#),
            event("request", #""payload":{"aps":{"sound":{"name":"default"}}}"#),
            event("request", #""payload":{"aps":{"sound":{"name":["x"]}}}"#),
            event("request", #""payload":{"aps":{"sound":{"volume":1}}}"#),
            event("request", #""payload":{"aps":{"sound":["x"]}}"#),
            event("request", #""payload":{"aps":{"sound":5,"badge":"many new ones"}}"#),
            event("request", #""payload":{"aps":{"badge":[]}}"#), event("request", #""payload":{"aps":{"badge":{}}}"#),
            event("request", #""payload":{"aps":{"badge":{"x":1}}}"#),
            event("request", #""payload":{"aps":{"badge":"3","relevanceScore":"0.5"},"notilog":{"id":["x"]}}"#),
            event(
                "request",
                #""headers":{"Apns-Topic":"b","apns-topic":"a","apns-priority":null,"APNS-PRIORITY":"5"}"#
            ),
            event("request", #""headers":{"apns-topic":["b"],"APNS-TOPIC":"a","apns-expiration":"1700000000"}"#),
            event("dismissal", #""context":{"locale":"zh_Hans_CN","time_zone":"America/Argentina/ComodRivadavia"}"#),
            event(
                "dismissal",
                #""attributes":{"a":[1e16,1e17,-1e20,12345678901234567.0,1e-300,0.1,-0.0,9007199254740994.0]}"#
            ),
        ],
        [false, true]
    )
    func replay(body: String, hashed: Bool) throws {
        let idKey = hashed ? key : nil
        let fixed = try accept(body, policy: DecodingPolicy(scope: .provider, idHashKey: idKey))
        // The same item failed once because it was sent with a horizon that has since been moved.
        let failed = try reject(
            body,
            policy: DecodingPolicy(scope: .provider, idHashKey: idKey, limits: DecodingLimits(retentionSeconds: 60))
        )
        #expect(failed.error.code == .tooOld)
        let replayed = try accept(
            try #require(failed.text),
            policy: DecodingPolicy(scope: .provider, idHashKey: idKey, isReplay: true)
        )
        #expect(replayed.id == fixed.id && replayed.digest == fixed.digest && replayed.data == fixed.data)
        #expect(replayed.token == fixed.token && replayed.deviceID == fixed.deviceID)
        // What is rejected again keeps its form.
        let again = try reject(
            try #require(failed.text),
            policy: DecodingPolicy(
                scope: .provider,
                idHashKey: idKey,
                limits: DecodingLimits(retentionSeconds: 60),
                isReplay: true
            )
        )
        #expect(again.text == failed.text)
    }

    @Test(
        "keeps what is refused again as long as it is wrong, though nothing of what was wrong is kept",
        arguments: [
            event("token", #""token":"not-hex-secret""#),
            event("token", #""token":"abc""#),
            event("token", #""token":"","state":"registration_failed""#),
            event("token", #""provider":"fcm","token":"""#),
            event("token", #""provider":"fcm","token":"\#(String(repeating: "secret", count: 700))""#),
            event("push_result", #""status":200,"token":{"secret":1}"#),
            event("push_result", #""status":200,"token":7"#).replacing(#""d1""#, with: "null"),
            event("push_result", #""status":200,"token":"ab""#).replacing(#""d1""#, with: "4711"),
            event("action_response", #""action_id":"reply","text":{"secret":1}"#),
            event("action_response", #""action_id":"reply","text":["secret"]"#),
            event("action_response", #""action_id":"reply","text":4711"#),
            event("request", #""payload":["secret"]"#),
            event("request", #""payload":"secret""#),
            event("request", #""headers":"secret""#),
            event("dismissal", #""context":"secret""#),
            event("dismissal", #""attributes":["secret"]"#),
            event("dismissal", #""attributes":"secret""#),
            event("dismissal", #""thread_id":{"secret":1}"#),
            event("dismissal", #""request_identifier":{"secret":1}"#),
            event("dismissal", #""request_identifier":"\#(String(repeating: "secret", count: 100))""#),
        ],
        [false, true]
    )
    func stillWrong(body: String, hashed: Bool) throws {
        let idKey = hashed ? key : nil
        let failed = try reject(body, policy: DecodingPolicy(scope: .provider, idHashKey: idKey))
        let kept = try #require(failed.text)
        // An id that is too long is kept as ids are.
        #expect(!kept.contains("secret") || (!hashed && failed.error.pointer == "/request_identifier"), "\(kept)")
        #expect(!kept.contains("4711"), "\(kept)")
        let again = try reject(kept, policy: DecodingPolicy(scope: .provider, idHashKey: idKey, isReplay: true))
        #expect(again.error.code == failed.error.code && again.error.pointer == failed.error.pointer, "\(kept)")
        #expect(again.text == kept)
    }

    @Test("keeps attributes that nest too deep, for a higher limit")
    func tooDeep() throws {
        let deep = String(repeating: "[", count: 15) + String(repeating: "]", count: 15)
        let failed = try reject(event("dismissal", #""attributes":{"a":\#(deep)}"#))
        #expect(failed.error.code == .tooDeep)
        let kept = try #require(failed.text)
        #expect(try reject(kept, policy: DecodingPolicy(scope: .provider, isReplay: true)).error.code == .tooDeep)
        let policy = DecodingPolicy(scope: .provider, limits: DecodingLimits(depth: 17), isReplay: true)
        #expect(try accept(kept, policy: policy).json == #"{"attributes":{"a":\#(deep)}}"#)
        // As deep as the parser reads, and the stack does not hold.
        let deepest = String(repeating: "[", count: 1020) + String(repeating: "]", count: 1020)
        let text = try reject(event("dismissal", #""attributes":{"a":\#(deepest)}"#)).text
        #expect(text?.contains(deepest) == true)
    }

    @Test(
        "keeps text in a field of known values only where it looks like a name, and quotes no other",
        arguments: [
            (event("settings", #""alert":"Your results, Alice""#), "alert"),
            (event("request", #""origin":"app","sound":"results.alice.caf""#), "sound"),
            (event("request", #""badge":"Your results, Alice""#), "badge"),
            (event("request", #""alerting":"Your results, Alice""#), "alerting"),
            (event("authorization_request", #""options":"Your results, Alice""#), "options"),
            (event("authorization_request", #""options":["Your results, Alice"]"#), "options"),
            (event("dismissal", #""occurrence":"Your results, Alice""#), "occurrence"),
            (event("dismissal", #""id":"Your results, Alice""#), "id"),
            (event("dismissal", #""context":{"locale":"Your results, Alice"}"#), "locale"),
        ]
    )
    func words(body: String, field: String) throws {
        let item = try reject(body)
        #expect(!item.error.message.contains("lice"), "\(item.error.message)")
        let kept = try #require(item.text)
        #expect(!kept.contains("lice") && kept.contains("removed") && kept.contains("\"\(field)\":"), "\(kept)")
        let again = try reject(kept, policy: DecodingPolicy(scope: .provider, isReplay: true))
        #expect(again.error.code == item.error.code && again.error.pointer == item.error.pointer, "\(kept)")
    }

    @Test("keeps no text of an item without a kind, which may be an alert in any of its fields")
    func unknownKind() throws {
        let words = "Your results, Alice"
        let names = [
            "alert", "sound", "badge", "options", "state", "error", "reason", "name", "title", "thread_id", "kind",
        ]
        let fields = names.map { #""\#($0)":"\#(words)""# }.joined(separator: ",")
        let rest = #""context":{"os_version":"18.2 (22C152)"},"attributes":{"own":"text of its own"}"#
        for kind in [#""Request""#, "null", #""\#(words)""#] {
            let item = try reject(#"{"device_id":"w",\#(fields),"kind":\#(kind),\#(rest)}"#)
            let kept = try #require(item.text)
            #expect(!kept.contains("Alice") && !item.error.message.contains("Alice"), "\(kept)")
            #expect(kept.contains("22C152") && kept.contains("text of its own"))
        }
        let named = try reject(event("Request", #""alert":{"title":"Alice"},"state":"registered""#))
        #expect(named.text?.contains("Alice") == false && named.text?.contains(#""state":"registered""#) == true)
        #expect(named.error.message.hasSuffix(#""Request""#))
    }

    @Test("keeps of the name of a sound only that it is custom")
    func sounds() throws {
        for sound in [#""secretsong.caf""#, #"{"name":"secretsong.caf","volume":1}"#] {
            let item = try reject(event("request", #""variant":5,"payload":{"aps":{"sound":\#(sound)}}"#))
            #expect(item.text?.contains("secretsong") == false && item.text?.contains(#""custom""#) == true)
        }
    }

    @Test("removes a device token in a field for something else, and does not quote it")
    func misplacedToken() throws {
        let token = "00FC13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
        for (body, pointer) in [
            (event("token", #""token":"ab","environment":"\#(token)""#), "/environment"),
            (event("dismissal", #""context":{"platform":"<\#(token)>"}"#), "/context/platform"),
            (event("settings", #""authorization_status":"\#(token)""#), "/authorization_status"),
            (event("dismissal").replacing("2026-03-01T10:00:00Z", with: token), "/occurred_at"),
            (event(token), "/kind"),
        ] {
            let item = try reject(body)
            #expect(item.error.pointer == pointer)
            #expect(item.error.message.contains("(64 hexadecimal digits)"), "\(item.error.message)")
            #expect(!item.error.message.lowercased().contains("00fc13ad"))
            let kept = try #require(item.text)
            #expect(!kept.lowercased().contains("00fc13ad"), "\(kept)")
            #expect(kept.contains(#""removed""#), "\(kept)")
            let again = try reject(kept, policy: DecodingPolicy(scope: .provider, isReplay: true))
            #expect(again.error.pointer == pointer)
        }
        // Where any text is accepted it is what the app says: a commit, a hash of its own.
        let own = try reject(event("dismissal", #""thread_id":"\#(token)","variant":5"#))
        #expect(own.text?.contains(token) == true)
    }

    @Test("a digest or a hash is taken as such only on replay")
    func onlyReplay() throws {
        let digest = "sha256:" + String(repeating: "ab", count: 32)
        #expect(try reject(event("token", #""token":"\#(digest)""#)).error.code == .invalidValue)
        let device = "hmac-sha256:" + String(repeating: "ab", count: 32)
        let sent = event("dismissal").replacing("\"d1\"", with: "\"\(device)\"")
        #expect(try accept(sent, policy: DecodingPolicy(scope: .write, idHashKey: key)).deviceID == key.hash(device))
    }
}
