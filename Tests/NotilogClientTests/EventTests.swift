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

    @Test("without what its kind needs, or of no kind, is discarded")
    func invalid() {
        for event in [
            Notilog.Event("nothing", at: now), Notilog.Event("action_response", at: now),
            Notilog.Event("action_response", at: now, fields: ["action_id": "default"]),
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
