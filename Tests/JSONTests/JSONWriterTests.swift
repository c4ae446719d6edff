import JSON
import NotificationEvents
import Testing

struct JSONWriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        body(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test func membersAndElementsAreSeparated() {
        let written = text { json in
            json.object {
                $0.field("a", 1)
                $0.field("b", nil as String?)
                $0.name("c")
                $0.array { json in
                    json.integer(1)
                    json.object { $0.field("d", true) }
                    json.array { _ in }
                }
                $0.field("e", json: #"{"x":1}"#)
            }
        }
        #expect(written == #"{"a":1,"b":null,"c":[1,{"d":true},[]],"e":{"x":1}}"#)
    }

    @Test func stringsAreEscaped() {
        #expect(text { $0.string("a\"b\\c\nd\u{1}\u{1F}é😀") } == #""a\"b\\c\nd\u0001\u001fé😀""#)
    }

    @Test func timesHaveMicroseconds() {
        let written = text { json in json.object { $0.field("at", Timestamp(microseconds: 1_250_000)) } }
        #expect(written == #"{"at":"1970-01-01T00:00:01.250000Z"}"#)
    }
}
