import NotificationEvents
import Testing

@testable import Decoding

@Suite("A parsed item")
struct ParsedItemTests {
    @Test("finds kind, id and values; the last of two members counts, null is absent, unknown names are warned of")
    func fields() throws {
        let text = """
            {"kind":"dismissal","id":"0198C0DE-0000-7000-8000-00000000000A","device_id":"a","device_id":"b",\
            "variant":"x","variant":null,"colour":1}
            """
        try ItemInMemory(text).use { item in
            #expect(try item.parsed.kind(in: .shared).kind == .dismissal)
            #expect(item.parsed.id == EventID("0198c0de-0000-7000-8000-00000000000a"))
            let draft = try item.draft()
            #expect(try draft.json("device_id") == #""b""#)
            #expect(try draft.json("variant") == nil)
            #expect(draft.warnings.names == ["colour"])
        }
    }

    @Test("reads a CloudEvent's envelope in the place of fields")
    func envelope() throws {
        let text = """
            {"specversion":"1.0","id":"7","source":"s","type":"notilog.dismissal","subject":"d","trace":"t",\
            "data":{"device_id":"other","notification_id":"n","occurred_at":"2026-03-01T10:00:00Z"}}
            """
        try ItemInMemory(text, isCloudEvent: true).use { item in
            let draft = try item.draft()
            #expect(draft.envelopeID != nil && draft.envelopeID == item.parsed.id)
            #expect(try draft.json("device_id") == #""d""#)
            #expect(try draft.json("notification_id") == #""n""#)
            #expect(try draft.json("occurred_at") == #""2026-03-01T10:00:00Z""#)
            #expect(draft.warnings.names == ["trace", "data/device_id"])
        }
    }

    @Test(
        "says where a field is",
        arguments: [
            ("device_id", "subject"), ("occurred_at", "data/occurred_at"), ("kind", "type"), ("id", "id"),
            ("variant", "data/variant"),
        ]
    )
    func located(field: String, place: String) throws {
        let text = #"{"specversion":"1.0","id":"7","source":"s","type":"notilog.dismissal","subject":"d","data":{}}"#
        try ItemInMemory(text, isCloudEvent: true).use { item in
            let failure = FieldFailure(.invalidValue, "", path: [field])
            let kind = try item.parsed.kind(in: .shared)
            #expect(item.parsed.located(failure, kind: kind).path.joined(separator: "/") == place)
        }
    }

    @Test("of what is no object, and of no known kind, fails", arguments: ["[]", "1", "{}", #"{"kind":"nope"}"#])
    func noKind(text: String) throws {
        try ItemInMemory(text).use { item in
            #expect(throws: FieldFailure.self) { try item.parsed.kind(in: .shared) }
            #expect(item.parsed.id == nil)
        }
    }
}
