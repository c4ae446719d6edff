import Decoding
import NotificationEvents
import Testing

@Suite("What every event carries")
struct EnvelopeTests {
    @Test("kind is needed, text, and known")
    func kind() throws {
        #expect(try reject(#"{"occurred_at":"2026-03-01T10:00:00Z"}"#).error.code == .missingField)
        #expect(try reject(#"{"kind":7}"#).error.code == .invalidType)
        let unknown = try reject(#"[{"kind":"tap"}]"#)
        #expect(unknown.error.code == .unknownKind)
        #expect(unknown.error.pointer == "/0/kind")
        #expect(unknown.error.message.contains("action_response"))
        #expect(unknown.kind == nil)
    }

    @Test("occurred_at is needed, RFC 3339 with an offset, and stored as sent")
    func occurredAt() throws {
        let missing = try reject(#"{"kind":"open_settings","device_id":"d"}"#).error
        #expect(missing.code == .missingField && missing.pointer == "/occurred_at")
        let bad = try reject(
            #"[{"kind":"open_settings"},{"kind":"open_settings","device_id":"d","occurred_at":"yesterday"}]"#
        )
        #expect(bad.error.pointer.hasPrefix("/0"))
        let second = try #require(
            try decode(#"[{},{"kind":"open_settings","device_id":"d","occurred_at":"yesterday"}]"#)[1].rejection
        )
        #expect(second.error.code == .invalidValue)
        #expect(second.error.pointer == "/1/occurred_at")
        #expect(second.error.message.hasPrefix("occurred_at is not an RFC 3339 time"))
        #expect(second.error.message.hasSuffix(": \"yesterday\""))
        let number = try reject(#"{"kind":"open_settings","device_id":"d","occurred_at":1}"#).error
        #expect(number.code == .invalidType)
        let event = try accept(#"{"kind":"open_settings","device_id":"d","occurred_at":"2026-03-01T12:30:00.5+05:30"}"#)
        #expect(event.occurredAt.description == "2026-03-01T07:00:00.500000Z")
        #expect(event.utcOffsetMinutes == 330)
        #expect(event.effectiveAt == event.occurredAt)
    }

    @Test("device_id has 1 to 128 bytes, and may be absent where its kind says so")
    func deviceID() throws {
        let open = #"{"kind":"open_settings","occurred_at":"2026-03-01T10:00:00Z"}"#
        #expect(try reject(open).error.pointer == "/device_id")
        let long = String(repeating: "é", count: 64)
        #expect(try accept(event("dismissal").replacing("\"d1\"", with: "\"\(long)\"")).deviceID == long)
        let longer = try reject(event("dismissal").replacing("\"d1\"", with: "\"\(long)x\""))
        #expect(longer.error.code == .invalidValue)
        #expect(!longer.error.message.contains("é"))
        #expect(try reject(event("dismissal").replacing("\"d1\"", with: "\"\"")).error.code == .invalidValue)
        let result = try accept(
            #"{"kind":"push_result","occurred_at":"2026-03-01T10:00:00Z","token":"ab","status":200}"#
        )
        #expect(result.deviceID == "")
    }

    @Test("id is a UUID in either case; any other is refused")
    func id() throws {
        let sent = #""id":"0198C0DE-0000-7000-8000-00000000000A""#
        #expect(try accept(event("dismissal", sent)).id.description == "0198c0de-0000-7000-8000-00000000000a")
        let bad = try reject(event("dismissal", #""id":"1""#)).error
        #expect(bad.code == .invalidValue && bad.pointer == "/id")
    }

    @Test("a notification is named by notification_id, else by request_identifier")
    func notification() throws {
        let base = #"{"kind":"dismissal","occurred_at":"2026-03-01T10:00:00Z","device_id":"d""#
        let neither = try reject(base + "}").error
        #expect(neither.code == .missingField && neither.pointer == "/notification_id")
        #expect(neither.message.contains("request_identifier"))
        let requested = try accept(base + #","request_identifier":"r"}"#)
        #expect(requested.notificationID == "r")
        #expect(requested.json == #"{"request_identifier":"r"}"#)
        let both = try accept(base + #","request_identifier":"r","notification_id":"n"}"#)
        #expect(both.notificationID == "n")
        #expect(both.json == #"{"request_identifier":"r"}"#)
    }

    @Test("occurrence goes into its column, delivered_at into data")
    func times() throws {
        let event = try accept(
            event("dismissal", #""occurrence":"2026-03-01T09:00:00Z","delivered_at":"2026-03-01T10:00:00+01:00""#)
        )
        #expect(event.occurrence?.description == "2026-03-01T09:00:00.000000Z")
        #expect(event.json == #"{"delivered_at":"2026-03-01T09:00:00.000000Z"}"#)
        // A request has no delivered_at: there it is a field like any unknown one.
        let item = try decode(DecodingTests.event("request", #""delivered_at":"2026-03-01T09:00:00Z""#))[0]
        #expect(item.warnings == ["delivered_at"])
    }

    @Test("null counts as absent, and so do empty categories, threads and objects")
    func absent() throws {
        let fields = #""category_id":"","thread_id":"","campaign_id":null,"context":{},"attributes":{},"trigger":null"#
        #expect(try accept(event("dismissal", fields)).json == "{}")
    }

    @Test("a time zone may be newer than the list of this system: its name is kept")
    func unknownZone() throws {
        let kept = try accept(event("dismissal", #""context":{"time_zone":"Mars/Olympus"}"#))
        #expect(kept.json == #"{"context":{"time_zone":"Mars/Olympus"}}"#)
    }

    @Test("context is checked, and unknown fields in it are dropped by name")
    func context() throws {
        let fields =
            #""context":{"platform":"ipados","locale":"zh-Hans_CN","time_zone":"America/Argentina/Ushuaia","carrier":"x"}"#
        let item = try decode(event("dismissal", fields))[0]
        #expect(
            item.event?.json
                == #"{"context":{"platform":"ipados","locale":"zh-Hans-CN","time_zone":"America/Argentina/Ushuaia"}}"#
        )
        #expect(item.warnings == ["context/carrier"])
        let bad = [
            #""context":{"platform":"symbian"}"#: "/context/platform",
            #""context":{"time_zone":"Berlin; DROP"}"#: "/context/time_zone",
            #""context":{"locale":"de DE"}"#: "/context/locale",
            #""context":{"time_zone":"Europe Berlin"}"#: "/context/time_zone",
            #""context":{"time_zone":"Europe//Berlin"}"#: "/context/time_zone",
            #""context":{"time_zone":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"}"#:
                "/context/time_zone",
            #""context":{"locale":"en--US"}"#: "/context/locale",
            #""context":{"locale":"en-US-"}"#: "/context/locale",
            #""context":{"locale":"en-u-ca-gregorian"}"#: "/context/locale",
            #""context":{"locale":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"}"#:
                "/context/locale",
            #""context":[]"#: "/context",
        ]
        for (fields, pointer) in bad {
            #expect(try reject(event("dismissal", fields)).error.pointer == pointer)
        }
    }

    @Test(
        "a locale has subtags of up to eight characters",
        arguments: ["de", "zh_Hans_CN", "en-US-u-ca-gregory", "es-419", "en_US_POSIX"]
    )
    func locale(locale: String) throws {
        let event = try accept(event("dismissal", #""context":{"locale":"\#(locale)"}"#))
        #expect(event.json.contains(#""locale":"\#(locale.replacing("_", with: "-"))""#))
    }

    @Test("attributes are the sender's own, with sorted keys, up to 4 KiB")
    func attributes() throws {
        let sent = #""attributes":{"b":[1,2.50,{"z":null,"a":true}],"a":"\u00e9\n\"","é":1e2,"a":1.0}"#
        #expect(
            try accept(event("dismissal", sent)).json
                == #"{"attributes":{"a":1,"b":[1,2.5,{"a":true,"z":null}],"é":100}}"#
        )
        let full = String(repeating: "x", count: 4096 - 8)
        #expect(try accept(event("dismissal", #""attributes":{"k":"\#(full)"}"#)).data.count == 4096 + 15)
        let over = try reject(event("dismissal", #""attributes":{"k":"\#(full)x"}"#)).error
        #expect(over.code == .tooLarge && over.pointer == "/attributes")
        #expect(try reject(event("dismissal", #""attributes":[1]"#)).error.code == .invalidType)
    }

    @Test(
        "numbers count as PostgreSQL writes them out",
        arguments: [("1e-300", 13), ("1e300", 13), ("0.0001", 500), ("1e15", 200)]
    )
    func numbersWrittenOut(number: String, most: Int) throws {
        func sent(_ count: Int) -> String {
            event(
                "dismissal",
                #""attributes":{"k":[\#(Array(repeating: number, count: count).joined(separator: ","))]}"#
            )
        }
        _ = try accept(sent(most))
        if number.contains("300") { #expect(try reject(sent(most + 1)).error.code == .tooLarge) }
    }

    @Test("an unknown field is dropped and named")
    func unknown() throws {
        let item = try decode(event("dismissal", #""colour":"red","notification_Id":1,"a/b":{"x":1}"#))[0]
        #expect(item.warnings == ["colour", "notification_Id", "a/b"])
        #expect(item.event?.json == "{}")
    }

    @Test("unknown fields are named once each, and not all of very many")
    func manyUnknown() throws {
        let sent = (0..<2000).map { #""":1,"x\#($0 / 2)":0"# }.joined(separator: ",")
        let item = try decode(event("delivery", #""trigger":{"type":"push","date_components":{\#(sent)}}"#))[0]
        let named = ["trigger/date_components/"] + (0..<31).map { "trigger/date_components/x\($0)" }
        #expect(item.warnings == named + ["…"])
        let long = String(repeating: "y", count: 5000)
        let cut = try decode(event("dismissal", "\"\(long)\":1"))[0]
        #expect(cut.warnings == [String(long.prefix(128))])
    }

    @Test("trigger takes no coordinates")
    func trigger() throws {
        let sent =
            #""trigger":{"type":"location","region_event":"enter","latitude":52.5,"date_components":{"hour":7,"x":1}}"#
        let item = try decode(event("delivery", sent))[0]
        #expect(
            item.event?.json
                == #"{"trigger":{"type":"location","date_components":{"hour":7},"region_event":"enter"}}"#
        )
        #expect(item.warnings == ["trigger/latitude", "trigger/date_components/x"])
        let bad = try reject(event("delivery", #""trigger":{"type":"alarm"}"#)).error
        #expect(bad.code == .invalidValue && bad.pointer == "/trigger/type")
        #expect(bad.message.contains("time_interval"))
    }

    @Test("of a field that is there twice the last counts")
    func twice() throws {
        #expect(try accept(event("dismissal", #""variant":"a","variant":"b""#)).json == #"{"variant":"b"}"#)
    }
}
