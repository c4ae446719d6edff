import Foundation
import Testing

@testable import NotilogClient

@Suite("Mappings")
struct MappingTests {
    @Test("each row of the table", arguments: MappingRow.all)
    func row(row: MappingRow) throws {
        let encoded = try EncodedEvent(row.event, deviceID: "d", context: .sample, now: MappingRow.now)
        #expect(encoded.omitted.isEmpty)
        var found = try #require(JSONSerialization.jsonObject(with: encoded.json) as? [String: Any])
        #expect(found["kind"] as? String == row.kind)
        #expect(found["occurred_at"] as? String == "2026-01-01T00:01:00.000000Z")
        for name in ["kind", "id", "occurred_at", "device_id", "context"] { found[name] = nil }
        let expected = try #require(JSONSerialization.jsonObject(with: Data(row.fields.utf8)) as? NSDictionary)
        #expect(found as NSDictionary == expected)
    }

    @Test("the documentation's table has these rows and no others")
    func documented() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = root.appendingPathComponent("Sources/NotilogClient/NotilogClient.docc/Mappings.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
            String($0.split(separator: "`")[1])
        }
        #expect(rows.sorted() == MappingRow.all.map(\.name).sorted())
    }

    @Test("a mark is stamped over the one that is there, and read back from every form of userInfo")
    func marks() throws {
        let before: [AnyHashable: Any] = ["mine": 1, "notilog": ["id": "old", "campaign": "spring"]]
        let first = Notilog.Mark(variant: "b").stamped(on: before)
        let second = Notilog.Mark().stamped(on: first)
        let (one, two) = (try #require(Notilog.Mark(userInfo: first)), try #require(Notilog.Mark(userInfo: second)))
        #expect(one.id != "old" && one.id != two.id)
        #expect(first["mine"] as? Int == 1)
        #expect([one, two].allSatisfy { $0.campaignID == "spring" && $0.variant == "b" })
        #expect(UUID(uuidString: one.id ?? "").map { $0.uuid.6 >> 4 } == 7)
        #expect(Notilog.Mark(userInfo: ["notilog": ["id": 17]])?.id == "17")
        #expect(Notilog.Mark(userInfo: ["notilog": "?"]) == nil)
        #expect(Notilog.Mark(userInfo: ["notilog": ["id": ""]])?.id == nil)
        #expect(PropertyListSerialization.propertyList(first, isValidFor: .binary))
    }

    @Test("a payload gives what a notification has")
    func payload() {
        let content = Notilog.Content(payload: [
            "aps": [
                "alert": ["title": "t"], "category": "news", "thread-id": "today", "badge": 2,
                "sound": ["critical": 1, "name": "x.caf"], "interruption-level": "time-sensitive",
                "relevance-score": 0.25,
            ],
            "notilog": ["id": "n"],
        ])
        #expect(content.categoryID == "news" && content.threadID == "today" && content.badge == 2)
        #expect(content.sound == .critical && content.levelName == "time_sensitive" && content.hasText)
        #expect(content.relevanceScore == 0.25 && content.mark?.id == "n" && content.fingerprint != nil)
        let other: [([AnyHashable: Any], Notilog.Content.Sound?)] = [
            (["aps": ["sound": "default"]], .standard), (["aps": ["sound": "x.caf"]], .custom),
            (["aps": ["sound": ""]], nil), (["aps": ["sound": ["name": "x.caf"]]], .custom), (["aps": [:]], nil),
            ([:], nil),
        ]
        for (payload, sound) in other { #expect(Notilog.Content(payload: payload).sound == sound) }
        let silent: [[AnyHashable: Any]] = [
            ["aps": ["content-available": 1]], ["aps": ["content-available": 1, "alert": "", "sound": ""]],
            ["aps": ["alert": [String: Any]()]], [:],
        ]
        for payload in silent { #expect(!Notilog.Content(payload: payload).isAlerting) }
    }

    @Test("an interruption level is the same from the payload of a push and from Apple's raw value")
    func interruptionLevels() {
        for (raw, name) in ["passive", "active", "time-sensitive", "critical"].enumerated() {
            let content = Notilog.Content(payload: ["aps": ["interruption-level": name]])
            #expect(content.interruptionLevel == raw)
            #expect(content.levelName == name.replacingOccurrences(of: "-", with: "_"))
        }
        var content = Notilog.Content(payload: ["aps": ["interruption-level": "time_sensitive"]])
        #expect(content.interruptionLevel == nil && content.levelName == nil)
        content.interruptionLevel = 4
        #expect(content.levelName == nil)
    }

    @Test("callbacks of one tap are one notification, those of another tap another")
    func taps() {
        var taps = TapIdentity()
        let payload: [AnyHashable: Any] = ["aps": ["alert": "x"]]
        func push(_ identifier: String = "", _ payload: [AnyHashable: Any]) -> Notilog.Delivered {
            Notilog.Delivered(
                Notilog.Request(identifier: identifier, content: Notilog.Content(payload: payload)),
                date: nil
            )
        }
        let start = MappingRow.now
        let first = taps.identified(push("", payload), at: start).request.content.mark?.id
        #expect(first != nil)
        #expect(taps.identified(push("", payload), at: start + 2).request.content.mark?.id == first)
        #expect(taps.identified(push("system", payload), at: start + 3).request.content.mark?.id == first)
        #expect(taps.identified(push("", ["aps": ["alert": "y"]]), at: start + 3).request.content.mark?.id != first)
        #expect(taps.identified(push("", payload), at: start + 30).request.content.mark?.id != first)
        #expect(taps.identified(push("system", ["aps": ["alert": "z"]]), at: start).request.content.mark == nil)
        #expect(taps.identified(push("", ["notilog": ["id": "n"]]), at: start).request.content.mark?.id == "n")
    }

    @Test("a sweep tells what came, what went and what was replaced")
    func sweep() {
        func notification(_ identifier: String, _ mark: String, _ age: TimeInterval, repeats: Bool = false)
            -> Notilog.Delivered
        {
            var content = Notilog.Content()
            content.mark = Notilog.Mark(id: mark)
            let trigger = Notilog.Trigger(.timeInterval, repeats: repeats)
            return Notilog.Delivered(
                Notilog.Request(identifier: identifier, content: content, trigger: trigger),
                date: MappingRow.now.addingTimeInterval(-age)
            )
        }
        let before = [
            notification("a", "1", 9), notification("b", "2", 8), notification("c", "3", 7),
            notification("d", "4", 60, repeats: true),
        ]
        let now = [notification("a", "1", 9), notification("b", "5", 1), notification("d", "4", 0, repeats: true)]
        let sweep = DeliveredSweep(before: before.map { Notilog.KnownNotification($0) }, now: now)
        #expect(sweep.arrived == [now[1], now[2]])
        #expect(sweep.left.map(\.known.identifier) == ["b", "c", "d"])
        #expect(sweep.left.map(\.reason) == [.replaced, .gone, .replaced])
        #expect(DeliveredSweep(before: sweep.known, now: now).events(at: MappingRow.now).isEmpty)
    }
}
