import NotificationEvents
import Testing

@testable import Decoding

/// What would be dropped anyway does not take its event with it, and nothing that cannot be stored gets into one.
@Suite("Items with parts that cannot be stored")
struct MendedItemTests {
    /// A request of a provider.
    private static func push(_ payload: String, more: String = "") -> String {
        event("request", #""origin":"provider","payload":\#(payload)\#(more)"#)
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    /// Each with the path to the part at fault, and what is sound in its place.
    private static let droppable: [(item: String, path: String, sound: String)] = [
        (
            push(#"{"aps":{"alert":{"title":"a","body":"b \ud83d"}}}"#), "payload/aps/alert/body",
            push(#"{"aps":{"alert":"x"}}"#)
        ),
        (push(#"{"aps":{"alert":"a\u0000b"}}"#), "payload/aps/alert", push(#"{"aps":{"alert":"x"}}"#)),
        (push(#"{"aps":{"sound":"\udc00.caf"}}"#), "payload/aps/sound", push(#"{"aps":{"sound":"x.caf"}}"#)),
        (push(#"{"aps":{"badge":1e999}}"#), "payload/aps/badge", push(#"{"aps":{"badge":[]}}"#)),
        (push(#"{"aps":{},"own":{"a":["\ud83d\u0041"]}}"#), "payload/own/a/0", push(#"{"aps":{}}"#)),
        (push(#"{"aps":{},"own":{"a":-1e999}}"#), "payload/own/a", push(#"{"aps":{}}"#)),
        (
            push(#"{"aps":{},"own":\#(nested(15))}"#), "payload/own" + String(repeating: "/0", count: 14),
            push(#"{"aps":{}}"#)
        ),
        (
            push(#"{"aps":{},"own":\#(nested(3000))}"#), "payload/own" + String(repeating: "/0", count: 14),
            push(#"{"aps":{}}"#)
        ),
        (push("{}", more: #","headers":{"x":"\u0000"}"#), "headers/x", push("{}", more: #","headers":{}"#)),
        (event("dismissal", #""foo":{"bar":"\ud83d"}"#), "foo/bar", event("dismissal")),
        (event("dismissal", #""\ud83d":1"#), "\u{FFFD}", event("dismissal")),
        (
            event("dismissal", #""context":{"carrier":"\ud83d"}"#), "context/carrier",
            event("dismissal", #""context":{}"#)
        ),
        (event("dismissal", #""variant":"\ud800","variant":"b""#), "variant", event("dismissal", #""variant":"b""#)),
        (
            event("action_response", #""action_id":"r","text":"ok \ud83d""#), "text",
            event("action_response", #""action_id":"r","text":"ok !""#)
        ),
    ]

    @Test("cost what other items cost, however many of their parts are at fault")
    func work() throws {
        let own = (0..<14).map { "\"\(String(repeating: "k", count: 120))\($0)\":{" }.joined()
        func edits(_ part: String) -> Duration {
            let item =
                "{\(own)\"a\":[" + Array(repeating: part, count: 100_000).joined(separator: ",") + "]"
                + String(repeating: "}", count: 15)
            return ContinuousClock().measure {
                _ = Array(item.utf8).withUnsafeBytes { JSONGrammar.edits(of: $0, depth: 16) }
            }
        }
        func least(_ part: String) -> Duration { (0..<3).map { _ in edits(part) }.min() ?? .zero }
        #expect(least("[]") < least("12") * 12)
    }

    @Test("are events without the parts that are dropped anyway, which are named", arguments: droppable.indices)
    func dropped(index: Int) throws {
        let (item, path, sound) = Self.droppable[index]
        let expected = try accept(sound)
        for (body, format) in [(item, BodyFormat.json), ("[\(item)]", .json), (item, .ndjson)] {
            let outcome = try #require(try decode(body, as: format).first)
            let event = try #require(outcome.event, "\(outcome.rejection?.error.description ?? "")")
            #expect(event.id == expected.id && event.digest == expected.digest && event.data == expected.data)
            #expect(outcome.warnings.contains(path), "\(outcome.warnings)")
            #expect(!event.json.contains("\u{FFFD}") && !event.json.contains("\u{FFFC}"))
        }
    }

    @Test(
        "a name at fault is put down to its object, never to the member before it",
        arguments: [
            (event("dismissal", #""\ud800":1"#), ["\u{FFFD}"]),
            (event("dismissal", #""foo":{"bar":1,"\ud800":2,"baz":3}"#), ["foo"]),
            (event("dismissal", #""foo":[{"bar":1,"\u0000":2}]"#), ["foo", "foo/0"]),
        ]
    )
    func names(item: String, warnings: [String]) throws {
        for (body, format) in [(item, BodyFormat.json), ("[\(item)]", .json), (item, .ndjson)] {
            let outcome = try #require(try decode(body, as: format).first)
            #expect(outcome.event != nil && outcome.warnings == warnings, "\(outcome.warnings)")
        }
        let rejected = try reject(event("dismissal", #""attributes":{"a":1,"\u0000":2}"#))
        #expect(rejected.error.pointer == "/attributes", "\(rejected.error)")
    }

    @Test("a CloudEvent too")
    func cloudEvent() throws {
        let item =
            #"{"specversion":"1.0","id":"1","source":"/a","type":"notilog.dismissal","time":"2026-03-01T10:00:00Z","#
            + #""subject":"d1","own":"\u0000","data":{"notification_id":"n1","foo":"\ud83d"}}"#
        let outcome = try #require(try decode(item, as: .cloudEvent).first)
        #expect(outcome.event != nil && outcome.warnings == ["own", "foo", "data/foo"], "\(outcome.warnings)")
    }

    @Test(
        "are rejected where the event depends on such a part",
        arguments: [
            (event("dismissal", #""thread_id":"a\ud83d""#), "/thread_id"),
            (event("dismissal", #""attributes":{"a":["\u0000"]}"#), "/attributes/a/0"),
            (event("dismissal", #""attributes":{"a":1e999}"#), "/attributes/a"),
            (
                push(#"{"aps":{"badge":1},"notilog":{"id":"\ud83d"}}"#).replacing(
                    #","notification_id":"n1""#,
                    with: ""
                ), "/payload/notilog/id"
            ),
            (push(#"{"aps":{"thread-id":"\ud83d"}}"#), "/payload/aps/thread-id"),
            (push(#"{"aps":{"content-available":1e999}}"#), "/payload/aps/content-available"),
            (event("request", #""badge":1e999"#), "/badge"),
            (event("dismissal", #""attributes":{"a":\#(nested(15))}"#), ""),
        ]
    )
    func depends(item: String, pointer: String) throws {
        let rejected = try reject(item)
        #expect(rejected.error.pointer == pointer, "\(rejected.error)")
        let neighbours = try decode("[\(event("dismissal")),\(item),\(event("dismissal"))]")
        #expect(neighbours.map { $0.event != nil } == [true, false, true])
        #expect(neighbours[1].rejection?.error.pointer == "/1" + pointer)
    }

    @Test("reply text that is kept rejects its event; that is measured, it does not")
    func replyText() throws {
        let item = event("action_response", #""action_id":"r","text":"ok \ud83d""#)
        #expect(try accept(item).json.contains(#""text_length":4"#))
        let kept = try reject(item, policy: DecodingPolicy(scope: .write, keepReplyText: true))
        #expect(kept.error.pointer == "/text" && kept.redacted == nil)
    }

    @Test("an item that is rejected for something else is kept without them")
    func otherwiseWrong() throws {
        let item = Self.push(#"{"aps":{"alert":"\ud83d"}}"#, more: #","variant":5"#)
        let rejected = try reject(item)
        #expect(rejected.error.pointer == "/variant" && rejected.length == item.utf8.count)
        #expect(rejected.text?.contains(#""alert":{"redacted":true}"#) == true)
        #expect(try decode("[0,\(item)]")[1].rejection?.error.pointer == "/1/variant")
    }

    @Test("an item counts as it was sent, however much of it is left out")
    func size() throws {
        let filler = String(repeating: "[1],", count: 9000)
        let item = Self.push(
            #"{"aps":{},"own":\#(String(repeating: "[", count: 15))\#(filler)[]\#(String(repeating: "]", count: 15))}"#
        )
        #expect(try reject(item).error.code == .tooLarge)
    }

    @Test("no more than a thousand parts of an item are looked at")
    func many() throws {
        func own(_ count: Int) -> String {
            Self.push(#"{"aps":{},"own":[\#(Array(repeating: "1e999", count: count).joined(separator: ","))]}"#)
        }
        #expect(try accept(own(1000)).kind == .request)
        #expect(try reject(own(1001)).error.pointer == "/payload/own/0")
        let edits = try Array(own(5000).utf8).withUnsafeBytes { bytes in
            #expect(JSONGrammar.edits(of: bytes, depth: 16) == nil)
            return try #require(JSONGrammar.items(bytes, split: false)?.first?.defect)
        }
        #expect(edits.path == ["payload", "own", "0"])
    }

    @Test(
        "a whole number of more than 64 bits is the double next to it, as the same number with an exponent is",
        arguments: [
            ("100000000000000000000", "1e20"), ("123456789012345678901", "1.2345678901234568e+20"),
            ("-9223372036854775809", "-9.223372036854776e+18"), ("18446744073709551616", "1.8446744073709552e+19"),
            ("1" + String(repeating: "0", count: 308), "1e308"),
        ]
    )
    func largeIntegers(number: String, double: String) throws {
        func item(_ number: String) -> String { event("dismissal", #""attributes":{"a":[\#(number)]}"#) }
        let expected = try accept(item(double))
        for (body, format) in [(item(number), BodyFormat.json), ("[\(item(number))]", .json), (item(number), .ndjson)] {
            let outcome = try #require(try decode(body, as: format).first)
            #expect(outcome.event?.digest == expected.digest && outcome.event?.data == expected.data)
            #expect(outcome.warnings.isEmpty)
        }
        #expect(try reject(item(number + String(repeating: "0", count: 308))).error.message.contains("too large"))
        // What is wrong otherwise is kept, and gives the same event.
        let late = DecodingPolicy(scope: .provider, limits: DecodingLimits(retentionSeconds: 60))
        let kept = try #require(try reject(item(number), policy: late).text)
        #expect(try accept(kept, policy: DecodingPolicy(scope: .provider, isReplay: true)).digest == expected.digest)
    }

    @Test("pushes to APNs too", arguments: [#""\ud83d""#, "1e999", "123456789012345678901", nested(15), nested(2000)])
    func providers(own: String) throws {
        let payload = #"{"aps":{"alert":{"title":"secret"},"badge":3},"notilog":{"id":"n1"},"own":{"a":OWN}}"#
        let sound = try translate(apnsItem(payload: payload.replacing("OWN", with: "1")), .apns)
        let item = apnsItem(payload: payload.replacing("OWN", with: own))
        for (body, prefix) in [(item, ""), ("[\(item)]", "/0")] {
            let events = try translate(body, .apns)
            #expect(events.map(\.kind) == ["request", "push_result"] && events[0].pointer == prefix)
            #expect(try events.map { try $0.accepted().digest } == sound.map { try $0.accepted().digest })
            #expect(
                events[0].item.warnings.isEmpty == (own.first == "1" && own != "1e999"),
                "\(events[0].item.warnings)"
            )
        }
        let topic = apnsItem(headers: #"{"apns-topic":"\ud83d"}"#)
        #expect(try translate(topic, .apns).map { $0.error?.pointer } == ["/headers/apns-topic"])
    }
}

extension DecodedItem {
    fileprivate var event: NormalisedEvent? { item.event }
}
