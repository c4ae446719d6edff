import Foundation
import NotificationEvents
import Testing

@testable import NotilogClient

@Suite("An event")
struct EventTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600.25)

    private func encode(
        _ event: Notilog.Event,
        _ context: Notilog.Context = .sample
    ) throws -> (fields: [String: Any], encoded: EncodedEvent) {
        let encoded = try EncodedEvent(event, deviceID: "d", context: context, now: now)
        let fields = try JSONSerialization.jsonObject(with: encoded.json) as? [String: Any]
        return (try #require(fields), encoded)
    }

    @Test("carries id, time with offset, device and context")
    func envelope() throws {
        let context = Notilog.Context(
            platform: "ipados",
            osVersion: "18.2",
            appVersion: "4.1",
            locale: Notilog.Context.languageTag("pt_BR@rg=ptzzzz"),
            zone: try #require(TimeZone(identifier: "Asia/Kathmandu")),
            deviceModel: "iPad16,3"
        )
        let (fields, encoded) = try encode(Notilog.Event("open_settings", at: now), context)
        #expect(fields["kind"] as? String == "open_settings")
        #expect(fields["device_id"] as? String == "d")
        #expect(fields["occurred_at"] as? String == "2026-01-01T05:45:00.250000+05:45")
        #expect(fields["id"] as? String == encoded.id.uuidString.lowercased())
        #expect(encoded.id.uuid.6 >> 4 == 7)
        let expected = [
            "platform": "ipados", "os_version": "18.2", "app_version": "4.1", "locale": "pt-BR",
            "time_zone": "Asia/Kathmandu", "device_model": "iPad16,3", "sdk_version": Notilog.version,
        ]
        #expect(fields["context"] as? [String: String] == expected)
    }

    @Test("has the same bytes each time, or a repeat would be a conflict")
    func stable() throws {
        let id = UUID()
        let events = (0..<20).map { _ in
            Notilog.Event(
                "removal",
                at: now,
                fields: ["request_identifier": "r", "reason": "gone", "state": "delivered", "thread_id": "t"],
                id: id
            )
        }
        #expect(Set(try events.map { try encode($0).encoded.json }).count == 1)
    }

    @Test("leaves out what the service would refuse, and says so")
    func omitted() throws {
        let event = Notilog.Event(
            "request",
            at: now,
            fields: [
                "request_identifier": "r", "relevance_score": 7, "badge": -1, "sound": "loud", "unheard": "of",
                "category_id": .string(String(repeating: "x", count: 300)), "interruption_level": "active",
                "scheduled_for": "tomorrow", "attachments": ["image", "smell"],
                "trigger": ["type": "time_interval", "interval_seconds": 1e20, "repeats": true],
                "attributes": ["note": .string(String(repeating: "x", count: 5000)), "n": .number(.nan)],
            ]
        )
        let (fields, encoded) = try encode(event)
        #expect(
            encoded.omitted == [
                "attributes", "badge", "category_id", "relevance_score", "scheduled_for", "sound",
                "trigger/interval_seconds", "unheard",
            ]
        )
        #expect(fields["attachments"] as? [String] == ["image"])
        #expect((fields["trigger"] as? [String: Any])?["repeats"] as? Bool == true)
    }

    @Test("leaves out text that does not have its field's format")
    func formats() throws {
        var context = Notilog.Context.sample
        context.locale = "en_US@rg=gbzzzz"
        let trigger: Notilog.Value = ["type": "calendar", "date_components": ["time_zone": "not a zone", "hour": 9]]
        let event = Notilog.Event("removal", at: now, fields: ["request_identifier": "r", "trigger": trigger])
        let (fields, encoded) = try encode(event, context)
        #expect(encoded.omitted == ["context/locale", "trigger/date_components/time_zone"])
        #expect((fields["context"] as? [String: Any])?["platform"] as? String == "ios")
        context.locale = "pt_BR"
        #expect(try encode(event, context).encoded.omitted == ["trigger/date_components/time_zone"])
    }

    @Test(
        "of a conversion loses an amount that is no amount, and not the conversion",
        arguments: [
            Notilog.Conversion.Amount(1, "eur"), .init(1, "EURO"), .init(1, ""), .init(1_000_000_000_000_001, "EUR"),
        ]
    )
    func amount(_ amount: Notilog.Conversion.Amount) throws {
        let (fields, encoded) = try encode(.conversion(Notilog.Conversion("purchase", amount: amount), at: now))
        #expect(fields["name"] as? String == "purchase")
        #expect(fields["value"] == nil && fields["currency"] == nil)
        #expect(encoded.omitted == (amount.currency.isEmpty ? ["value"] : ["currency", "value"]))
    }

    @Test("of categories has the first of each identifier")
    func categories() throws {
        let event = Notilog.Event.categories([.init("a"), .init("b"), .init("b"), .init("c")], at: now)
        let (fields, encoded) = try encode(event)
        let categories = try #require(fields["categories"] as? [[String: Any]])
        #expect(categories.map { $0["id"] as? String } == ["a", "b", "c"])
        #expect(encoded.omitted == ["categories/2"])
    }

    @Test("leaves out what cannot be stored: NUL, and nesting without end")
    func unstorable() throws {
        let deep = (0..<20).reduce(Notilog.Value.integer(1)) { value, _ in ["a": value] }
        for attributes in [deep, ["a": "\0"], ["\0": 1]] {
            let event = Notilog.Event(
                "removal",
                at: now,
                fields: ["request_identifier": "r", "thread_id": "t\0", "attributes": attributes]
            )
            #expect(try encode(event).encoded.omitted == ["attributes", "thread_id"])
        }
    }

    @Test("without what its kind needs, or of no kind, is discarded")
    func invalid() {
        for event in [
            Notilog.Event("nothing", at: now), Notilog.Event("action_response", at: now),
            Notilog.Event("action_response", at: now, fields: ["action_id": "default"]),
            Notilog.Event("action_response", at: now, fields: ["action_id": "", "notification_id": "n"]),
            Notilog.Event("delivery", at: now, fields: ["notification_id": "n", "source": "delivered_list"]),
            Notilog.Event("presentation", at: now, fields: ["notification_id": "n"]),
            Notilog.Event("token", at: now), Notilog.Event("token", at: now, fields: ["state": "unregistered"]),
        ] {
            #expect(throws: Notilog.Receipt.Reason.self) { try encode(event) }
        }
        let large = Notilog.Event(
            "category_registration",
            at: now,
            fields: [
                "categories": .list((0..<256).map { ["id": .string("\($0)" + String(repeating: "x", count: 200))] })
            ]
        )
        #expect(throws: Notilog.Receipt.Reason.self) { try encode(large) }
    }

    @Test("leaves out a reply's text with which it would be too large, and not its length")
    func largeReply() throws {
        let notification = Notilog.Delivered(Notilog.Request(identifier: "r"), date: now)
        for (text, isSent) in [
            (String(repeating: "é", count: 10_000), true), (String(repeating: "é", count: 20_000), false),
        ] {
            let response = Notilog.Response(notification, actionIdentifier: "comment", text: text)
            let event = Notilog.Event.response(response, by: .didReceiveResponse, sendsText: true, at: now)
            let (fields, encoded) = try encode(event)
            #expect(fields["text"] as? String == (isSent ? text : nil))
            #expect(fields["text_length"] as? Int == text.unicodeScalars.count)
            #expect(encoded.omitted == (isSent ? [] : ["text"]))
        }
    }

    @Test("has a device id of at most 128 bytes, cut between characters")
    func longDeviceID() async throws {
        try await withFolder { folder in
            var options = Notilog.Options()
            options.folder = folder
            options.sendsAutomatically = false
            for (given, kept) in [
                (String(repeating: "x", count: 127) + "é", String(repeating: "x", count: 127)),
                (String(repeating: "é", count: 65), String(repeating: "é", count: 64)),
                (String(repeating: "x", count: 126) + "🎉", String(repeating: "x", count: 126)), ("short é", "short é"),
            ] {
                let notilog = Notilog(url: folder, writeKey: "key", deviceID: given, options: options)
                #expect(notilog.deviceID == kept)
                #expect(notilog.track(.sample).isQueued)
            }
        }
    }

    @Test("keeps any text whole")
    func text() throws {
        let words = "\"\\/\n\r\t\u{1}\u{7F}é評論🎉\u{2028}"
        let event = Notilog.Event("open_settings", at: now, fields: ["attributes": ["a": .string(words)]])
        #expect((try encode(event).fields["attributes"] as? [String: String])?["a"] == words)
    }

    @Test("may carry every field of every kind's sample")
    func samples() throws {
        for kind in EventKind.all where kind.providerOnly == nil || kind.name == "request" {
            let sample = try JSONSerialization.jsonObject(with: Data(kind.sample.utf8)) as? [String: Any]
            var fields = try #require(sample).mapValues { Notilog.Value(json: $0) }
            let wanted = Set(fields.keys).union(["context"])
            for name in ["kind", "id", "occurred_at"] { fields[name] = nil }
            let (found, encoded) = try encode(Notilog.Event(kind.name, at: now, fields: fields))
            #expect(encoded.omitted.isEmpty, "\(kind.name): \(encoded.omitted)")
            #expect(Set(found.keys) == wanted)
        }
    }
}

extension Notilog.Value {
    /// A value as JSONSerialization gives it.
    init(json: Any) {
        switch json {
        case let text as String: self = .string(text)
        case let list as [Any]: self = .list(list.map { Notilog.Value(json: $0) })
        case let object as [String: Any]: self = .object(object.mapValues { Notilog.Value(json: $0) })
        case let number as NSNumber:
            if String(cString: number.objCType) == "c" {
                self = .bool(number.boolValue)
            } else if let whole = Int64(exactly: number.doubleValue) {
                self = .integer(whole)
            } else {
                self = .number(number.doubleValue)
            }
        default: self = .string("")
        }
    }
}
