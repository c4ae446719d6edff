import Foundation
import NotificationEvents
import Testing

@testable import Decoding

@Suite("Bodies")
struct BodyTests {
    private func refuse(_ body: String, as format: BodyFormat = .json, limits: DecodingLimits = DecodingLimits())
        -> BodyError?
    {
        do throws(BodyError) {
            _ = try decoder.decode(
                Array(body.utf8),
                format: format,
                policy: DecodingPolicy(scope: .write, limits: limits),
                receivedAt: received
            ).map(\.item)
            return nil
        } catch {
            return error
        }
    }

    @Test("one event, or an array of events, each standing alone")
    func json() throws {
        #expect(try decode(event("dismissal")).count == 1)
        let items = try decode("[\(event("dismissal")), {\"kind\":1}, 5, [], \(event("dismissal"))]")
        #expect(items.map { $0.event != nil } == [true, false, false, false, true])
        #expect(
            items[2].rejection?.error
                == EventError(code: .invalidType, pointer: "/2", message: "the item must be a JSON object, one event")
        )
        #expect(items[2].rejection?.redacted == nil)
        #expect(try decode("[]").isEmpty)
        #expect(try decode("\u{FEFF}" + event("dismissal"))[0].event != nil)
        #expect(try reject("5").error.pointer == "")
    }

    @Test(
        "no JSON, not UTF-8 or cut short is a bad body",
        arguments: [
            "", " ", "{", "[{}", "nope", "[{},]", "{}{}", #"{"a":"\x"}"#, "[1e]", "{\"a\":\"\u{1}\"}", "[01]",
            #"["\ud8"]"#, "\"a",
        ]
    )
    func bad(body: String) {
        let error = refuse(body)
        #expect(error?.reason == .invalidJSON && error?.code == "invalid_json")
        #expect(refuse(body, as: .cloudEventBatch)?.reason == .invalidJSON)
    }

    @Test("invalid UTF-8 is a bad body; in NDJSON a bad line")
    func utf8() throws {
        let bytes = Array(#"{"kind":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(throws: BodyError.self) {
            try decoder.decode(
                bytes,
                format: .json,
                policy: DecodingPolicy(scope: .write),
                receivedAt: received
            ).map(\.item)
        }
        let items = try decoder.decode(
            bytes + [0x0A] + Array(event("dismissal").utf8),
            format: .ndjson,
            policy: DecodingPolicy(scope: .write),
            receivedAt: received
        ).map(\.item)
        #expect(items[0].rejection?.error.code == .invalidJSON)
        #expect(items[0].rejection?.redacted == nil)
        #expect(items[1].event != nil)
    }

    @Test("NDJSON: a bad line alone is rejected, blank lines are none")
    func ndjson() throws {
        let body = "\n\(event("dismissal"))\r\n  \n{\"kind\":\n[]\n\(event("dismissal"))"
        let items = try decode(body, as: .ndjson)
        #expect(items.map { $0.event != nil } == [true, false, false, true])
        #expect(items[1].rejection?.error.code == .invalidJSON)
        #expect(items[1].rejection?.error.pointer == "/1")
        #expect(items[1].rejection?.length == 8)
        #expect(items[2].rejection?.error.code == .invalidType)
        #expect(try decode("", as: .ndjson).isEmpty)
        let named = try decode("\n{\"kind\":\"open_settings\",\"device_id\":\"d\"}", as: .ndjson)
        #expect(named[0].rejection?.error.pointer == "/0/occurred_at")
    }

    @Test("what nothing can store costs its own item alone, and is pointed at")
    func unstorable() throws {
        let bad: [(String, String)] = [
            (#""attributes":{"a":[0,1e400000]}"#, "/1/attributes/a/1"),
            (#""variant":"\u0000""#, "/1/variant"),
            (#""variant":"\ud800""#, "/1/variant"),
            (#""variant":"\udc00x""#, "/1/variant"),
            (#""variant":"\ud800\u0041""#, "/1/variant"),
            (#""attributes":{"k\u0000":1}"#, "/1/attributes"),
            (#""attributes":{"n":1\#(String(repeating: "0", count: 400))}"#, "/1/attributes/n"),
            (#""attributes":{"a/b~c":-1e999}"#, "/1/attributes/a~1b~0c"),
        ]
        for (fields, pointer) in bad {
            let items = try decode("[\(event("dismissal")),\(event("dismissal", fields)),\(event("dismissal"))]")
            #expect(items.map { $0.event != nil } == [true, false, true])
            let rejected = try #require(items[1].rejection)
            #expect(rejected.error.code == .invalidValue)
            #expect(rejected.error.pointer == pointer)
            #expect(rejected.redacted == nil)
            #expect(rejected.length == event("dismissal", fields).utf8.count)
            let lines = "\(event("dismissal"))\n\(event("dismissal", fields))\n\(event("dismissal"))"
            let itemsOfLines = try decode(lines, as: .ndjson)
            #expect(itemsOfLines.map { $0.rejection?.error } == items.map { $0.rejection?.error })
        }
        // A backslash that is escaped begins no escape.
        #expect(try accept(event("dismissal", #""variant":"\\u0000\\ud800""#)).json == #"{"variant":"\\u0000\\ud800"}"#)
        #expect(try accept(event("dismissal", #""variant":"\ud83d\ude00""#)).json == #"{"variant":"😀"}"#)
    }

    @Test("other types are unsupported")
    func types() {
        for type in ["", "text/plain", "application/xml", "application/json; charset=latin1"] {
            #expect(BodyFormat(contentType: type) == nil)
        }
        #expect(BodyFormat(contentType: "APPLICATION/JSON") == .json)
        #expect(BodyFormat(contentType: "application/json;charset=\"utf-8\"") == .json)
        #expect(BodyFormat(contentType: "application/x-ndjson ; charset=UTF-8") == .ndjson)
    }

    @Test("limits: body, events, event, depth")
    func limits() throws {
        let one = event("dismissal")
        #expect(refuse(one, limits: DecodingLimits(bodyBytes: one.utf8.count)) == nil)
        #expect(refuse(one, limits: DecodingLimits(bodyBytes: one.utf8.count - 1))?.reason == .tooLarge)
        #expect(refuse("[\(one),\(one)]", limits: DecodingLimits(events: 2)) == nil)
        #expect(refuse("[\(one),\(one),1]", limits: DecodingLimits(events: 2))?.code == "too_many_events")
        #expect(
            refuse("\(one)\n\(one)\n\n1", as: .ndjson, limits: DecodingLimits(events: 2))?.reason == .tooManyEvents
        )
        #expect(refuse("[1e999,{},{}]", limits: DecodingLimits(events: 2))?.reason == .tooManyEvents)

        let padding = String(repeating: " ", count: 32 << 10)
        let large = try decode("[{\(padding)},\(padding)\(one)]")
        #expect(large[0].rejection?.error.code == .tooLarge)
        #expect(large[0].rejection?.length == (32 << 10) + 2)
        #expect(large[1].event != nil)
        let field = try reject(event("dismissal", #""junk":"\#(padding)""#))
        #expect(field.error.code == .tooLarge)
        #expect(field.kind == "dismissal")
        #expect(field.text == one)
        // Of fields that are known nothing is cut off, up to the size of a body.
        let own = event("dismissal", #""attributes":{"own":"\#(padding)"}"#)
        #expect(try reject(own).error.code == .tooLarge)
        #expect(try reject(own).text == own)
    }

    @Test("of a body with too many items none is listed")
    func tooManyAreNotListed() throws {
        let body = InputBuffer()
        let bytes = Array(("[" + String(repeating: "1,", count: 100_000) + "1]").utf8)
        bytes.withUnsafeBytes { body.fill($0) }
        let parser = try #require(JSONParser())
        let tape = try parser.parse(body.base, count: body.count)
        #expect(parser.items(body.base, count: body.count, split: true, limit: 10_000) == nil)
        #expect(parser.capacity < 10_000)
        #expect(TapeValue(tape: tape, index: JSONTape.root).elements.prefix(2).map(\.plainText) == ["1", "1"])
        let calls = #"{"batch":["# + String(repeating: "1,", count: 20_000) + "1]}"
        #expect { try translate(calls, .segment) } throws: { ($0 as? BodyError)?.reason == .tooManyEvents }
    }

    @Test("what nests deeper than 16 is rejected alone, however deep it is")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            event(
                "dismissal",
                #""attributes":{"a":\#(String(repeating: "[", count: depth))\#(String(repeating: "]", count: depth))}"#
            )
        }
        for depth in [14, 15, 500, 3000] {
            let items = try decode("[\(event("dismissal")),\(nested(depth)),\(event("dismissal"))]")
            #expect(items[0].event != nil && items[2].event != nil)
            #expect((items[1].event != nil) == (depth == 14))
            let lines = try decode("\(nested(depth))\n\(event("dismissal"))", as: .ndjson)
            #expect((lines[0].event != nil) == (depth == 14))
            if depth > 14 {
                #expect(items[1].rejection?.error.code == .tooDeep)
                #expect(lines[0].rejection?.error.code == .tooDeep)
            }
        }
        // Deeper than any place in it is kept, brackets still have to match.
        let (opening, closing) = (#"{"a":[1,"#, "]}")
        let mixed = event("dismissal", #""attributes":\#(String(repeating: opening, count: 300))0"#).dropLast()
        let whole = mixed + String(repeating: closing, count: 300) + "}"
        let around = try decode("[\(event("dismissal")),\(whole),\(event("dismissal"))]")
        #expect(around.map { $0.event != nil } == [true, false, true])
        #expect(around[1].rejection?.error.code == .tooDeep)
        #expect(refuse("[\(mixed)]}]}}]\(String(repeating: closing, count: 297))}]")?.reason == .invalidJSON)
        let open = String(repeating: "[", count: 100_000)
        #expect(refuse(open)?.reason == .invalidJSON)
        #expect(
            try decode("[" + open + String(repeating: "]", count: 100_000) + "]")[0].rejection?.error.code == .tooDeep
        )
    }
}
