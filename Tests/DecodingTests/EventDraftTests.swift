import NotificationEvents
import Testing

@testable import Decoding

@Suite("Rules turn one draft into the next")
struct EventDraftTests {
    @Test("defaults fill what is absent, by what is there, and nothing else")
    func defaults() throws {
        try ItemInMemory(event("presentation", #""options":["badge"]"#)).use { item in
            var draft = try item.draft()
            let before = draft
            draft.fillDefaults()
            #expect(try draft.json("surface") == #""foreground""#)
            #expect(try draft.json("options") == #"["badge"]"#)
            // A draft is a value.
            #expect(try before.json("surface") == nil)
        }
    }

    @Test(
        "conditions see what was sent, given and declared as default",
        arguments: [
            (#""push":{"push_type":"alert"}"#, "push/push_type", "alert", true),
            (#""push":{"push_type":"alert"}"#, "push/push_type", "voip", false),
            (#""alerting":false"#, "alerting", "false", true), ("", "alerting", "true", true),
            ("", "origin", "app", true), (#""payload":{"aps":{}}"#, "origin", "provider", true),
        ]
    )
    func conditions(fields: String, path: String, value: String, holds: Bool) throws {
        try ItemInMemory(event("request", fields)).use { item in
            var draft = try item.draft()
            draft.fillDefaults()
            #expect(draft.holds(CompiledCondition(.equals(path, value), in: draft.kind.object)) == holds)
        }
    }

    @Test("an event becomes the kind that it means, with the fields that both have")
    func rewrite() throws {
        let text = event("action_response", #""action_id":"default","delegate":"did_receive_remote_notification""#)
        try ItemInMemory(text).use { item in
            let draft = try item.draft()
            let rewritten = try #require(draft.rewritten(in: .shared))
            #expect(rewritten.kind.kind == .delivery)
            #expect(try rewritten.json("source") == #""background_wake""#)
            #expect(try rewritten.json("device_id") == #""d1""#)
            #expect(rewritten.rewritten(in: .shared) == nil)
        }
        try ItemInMemory(event("action_response", #""action_id":"like""#)).use { item in
            let draft = try item.draft()
            #expect(draft.rewritten(in: .shared) == nil)
        }
    }

    @Test("a revision gives another draft, and leaves the first as it is")
    func revision() throws {
        try ItemInMemory(event("request", #""push":{"push_type":"voip"},"alerting":true"#)).use { item in
            let draft = try item.draft()
            #expect(try #require(draft.revised()).json("alerting") == "false")
            #expect(try draft.json("alerting") == "true")
        }
        try ItemInMemory(event("request", #""push":{"push_type":"alert"}"#)).use { item in
            let draft = try item.draft()
            #expect(draft.revised() == nil)
        }
    }

    @Test("reply text is measured in the place of what the sender counted")
    func replyText() throws {
        try ItemInMemory(event("action_response", #""action_id":"a","text":"hé😀","text_length":99"#)).use { item in
            var draft = try item.draft()
            try draft.measureReplyText()
            #expect(try draft.json("text_length") == "3")
        }
    }

    @Test("what only a provider knows needs a provider's key")
    func scope() throws {
        try ItemInMemory(event("request", #""origin":"provider""#)).use { item in
            let draft = try item.draft()
            try draft.checkScope(.provider)
            #expect(throws: FieldFailure.self) { try draft.checkScope(.write) }
        }
    }

    @Test("push fields come from payload and headers, and a failure of one is found where it was taken from")
    func push() throws {
        let text = #"""
            {"kind":"request","occurred_at":"2026-03-01T10:00:00Z","device_id":"d1",
             "payload":{"aps":{"badge":2,"sound":5},"notilog":{"id":"n7"}},"headers":{"APNS-Priority":"5"}}
            """#
        try ItemInMemory(text).use { item in
            var draft = try item.draft()
            var writer = item.writer()
            try draft.takePushFields(&writer)
            #expect(try draft.json("notification_id") == #""n7""#)
            #expect(try draft.json("badge") == "2")
            #expect(try draft.json("sound") == nil)
            let priority = try #require(FieldReference("push/priority", in: draft.kind.object))
            #expect(draft.isPresent(priority))
            #expect(draft.warnings.names == ["payload/aps/sound"])
            let failure = FieldFailure(.invalidValue, "", path: ["notification_id"])
            #expect(draft.located(failure).path == ["payload", "notilog", "id"])
        }
    }
}
