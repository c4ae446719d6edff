import Decoding
import Hashing
import NotificationEvents
import Testing

@Suite("Tokens and ids")
struct TokenTests {
    private func sha256(_ text: String) -> [UInt8] {
        SHA256.digest(of: Array(text.utf8))
    }

    @Test("an APNs token is kept as the SHA-256 of its lower-case hexadecimal digits")
    func apns() throws {
        let lower = try accept(event("token", #""token":"00fc13ad""#))
        let upper = try accept(event("token", #""token":"00FC13AD""#))
        #expect(lower.token == sha256("00fc13ad"))
        #expect(upper.token == lower.token)
        #expect(upper.digest == lower.digest)
        #expect(!lower.json.contains("00fc"))
        #expect(lower.json == #"{"state":"registered","provider":"apns","type":"alert","environment":"production"}"#)
    }

    @Test("an FCM token is kept as the SHA-256 of its text")
    func fcm() throws {
        #expect(try accept(event("token", #""provider":"fcm","token":"aB:C_d""#)).token == sha256("aB:C_d"))
        #expect(try accept(event("token", #""provider":"fcm","token":"ABCD""#)).token == sha256("ABCD"))
    }

    @Test("a token that is none is refused, and not quoted")
    func refused() throws {
        for token in ["xyzzy", "abc", ""] {
            let error = try reject(event("token", #""token":"\#(token)""#)).error
            #expect(error.pointer == "/token")
            #expect(token.isEmpty || !error.message.contains(token))
        }
    }

    @Test("a token is needed unless the registration failed")
    func needed() throws {
        #expect(try reject(event("token")).error.pointer == "/token")
        #expect(try reject(event("token", #""state":"unregistered""#)).error.code == .missingField)
        let failed = try accept(event("token", #""state":"registration_failed","error":"no_network""#))
        #expect(failed.token == nil)
        #expect(failed.json.contains(#""error":"no_network""#))
    }

    @Test("a push_result needs a token or a device")
    func pushResult() throws {
        let base = #"{"kind":"push_result","occurred_at":"2026-03-01T10:00:00Z","status":410,"reason":"Anything Goes""#
        #expect(try reject(base + "}").error.code == .missingField)
        #expect(try accept(base + #","device_id":"d"}"#).token == nil)
        let event = try accept(base + #","token":"ab","timestamp":1772353889000}"#)
        #expect(event.token == sha256("ab"))
        #expect(
            event.json == """
                {"provider":"apns","status":410,"reason":"Anything Goes","timestamp":1772353889000,"type":"alert",\
                "environment":"production"}
                """
        )
    }

    @Test("the token of a request's push is digested too")
    func push() throws {
        let event = try accept(event("request", #""origin":"provider","push":{"token":"ABCD","topic":"t"}"#))
        #expect(event.token == sha256("abcd"))
        #expect(event.json.contains(#""push":{"topic":"t"}"#))
    }

    @Test("ids are kept as keyed hashes where the app says so")
    func hashedIDs() throws {
        let key = IDHashKey(bytes: [UInt8](repeating: 7, count: 32))
        let policy = DecodingPolicy(scope: .write, idHashKey: key)
        let event = try accept(event("dismissal", #""request_identifier":"anna""#), policy: policy)
        #expect(event.deviceID == key.hash("d1"))
        #expect(event.notificationID == key.hash("n1"))
        #expect(event.json == #"{"request_identifier":"\#(key.hash("anna"))"}"#)
        let code = SHA256.authenticationCode(of: Array("d1".utf8), key: [UInt8](repeating: 7, count: 32))
        #expect(event.deviceID == String(hexadecimal: code))
    }
}

@Suite("Scopes")
struct ScopeTests {
    @Test("a write key may not speak for the provider")
    func write() throws {
        let policy = DecodingPolicy(scope: .write)
        for body in [
            event("push_result", #""status":200"#), event("request", #""origin":"provider""#),
            event("request", #""payload":{"aps":{"alert":"x"}}"#),
        ] {
            let item = try reject(body, policy: policy)
            #expect(item.error.code == .scope)
            #expect(item.error.pointer == "/kind")
            _ = try accept(body, policy: DecodingPolicy(scope: .provider))
            _ = try accept(body, policy: DecodingPolicy(scope: .admin))
        }
        _ = try accept(event("request", #""origin":"app""#), policy: policy)
    }

    @Test(
        "a request with a push object is a push, whatever else is missing",
        arguments: [
            (#""push":{"token":"00ff"}"#, true), (#""push":{}"#, true), (#""push":{"topic":null,"colour":1}"#, true),
            (#""push":null"#, false), (#""badge":1"#, false),
        ]
    )
    func pushObject(_ fields: String, _ isPush: Bool) throws {
        #expect(try accept(event("request", fields)).json.contains(#""push":{}"#) == isPush)
    }
}
