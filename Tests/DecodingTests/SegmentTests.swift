import Decoding
import NotificationEvents
import Testing

@Suite("Segment's track calls")
struct SegmentTests {
    private func call(_ event: String, properties: String = "{}", more: String = "") -> String {
        #"{"type":"track","event":"\#(event)","messageId":"m-\#(event.count)","anonymousId":"a1","userId":"u1","#
            + #""timestamp":"2026-03-01T10:00:00.250Z","properties":\#(properties),"context":{"os":{"name":"iOS","#
            + #""version":"18.2"},"app":{"version":"4.1","build":"7"},"locale":"de-DE","timezone":"Europe/Berlin","#
            + #""device":{"id":"idfv","model":"iPhone17,1","token":"00ff"},"ip":"192.0.2.1"}\#(more)}"#
    }

    private let campaign =
        #"{"campaign":{"medium":"Push","source":"Vendor","name":"Referral","content":"words of the alert"}}"#

    @Test("have numbers as ids, which are their digits, as clients read them")
    func numbersAsText() throws {
        let properties = #"{"notification_id":7,"notilog":{"campaign_id":8,"variant":9}}"#
        let event = try translate(call("Push Notification Tapped", properties: properties), .segment)[0].accepted()
        #expect(event.notificationID == "7")
        #expect(event.json.contains(#""campaign_id":"8","variant":"9""#))
    }

    @Test("about notifications are events of one notification")
    func kinds() throws {
        let body = [
            call("Push Notification Received", properties: campaign),
            call("Push Notification Tapped", properties: campaign.dropLast() + #","action":"Accept"}"#),
            call("Push Notification Bounced", properties: campaign),
        ].joined(separator: ",")
        let events = try translate(#"{"batch":[\#(body)]}"#, .segment).map { try $0.accepted() }
        #expect(events.map(\.kind) == [.delivery, .actionResponse, .pushResult])
        #expect(events.allSatisfy { $0.notificationID == "Referral" && $0.deviceID == "a1" })
        #expect(events.allSatisfy { !$0.json.contains("words") && !$0.json.contains("192.0.2.1") })
        #expect(events[0].json.contains(#""source":"imported""#))
        #expect(
            events[1].json.contains(#""action_id":"Accept""#) && events[1].json.contains(#""campaign_id":"Referral""#)
        )
        #expect(events[2].json.contains(#""reason":"Bounced""#) && events[2].token != nil)
        #expect(
            events[1].json.contains(
                #""context":{"platform":"ios","os_version":"18.2","app_version":"4.1","locale":"de-DE","time_zone":"Europe/Berlin","device_model":"iPhone17,1"}"#
            )
        )
        #expect(events[0].occurredAt.description.hasPrefix("2026-03-01T10:00:00.25"))
    }

    @Test("take Notilog's own id and the payload's fields, where the app passed its user info on")
    func userInfo() throws {
        let info =
            #"{"notilog":{"id":"n1","campaign_id":"c1","variant":"b"},"aps":{"category":"news","alert":"words"}}"#
        let event = try translate(call("Push Notification Tapped", properties: info), .segment)[0].accepted()
        #expect(event.notificationID == "n1")
        #expect(event.json.contains(#""category_id":"news""#) && event.json.contains(#""variant":"b""#))
        #expect(event.json.contains(#""action_id":"default""#) && !event.json.contains("words"))
        let open = try translate(call("Push Notification Tapped", properties: #"{"action":"Open"}"#), .segment)[0]
        #expect(try open.accepted().json.contains(#""action_id":"default""#))
    }

    @Test("of any other name, and calls of any other type, are refused with a code of their own")
    func unknown() throws {
        let cases = [
            (call("Product Viewed"), EventError.Code.unknownEvent, "/event"),
            (call("push notification tapped"), .unknownEvent, "/event"),
            (
                call("Push Notification Tapped").replacing(#""type":"track""#, with: #""type":"identify""#),
                .unknownEvent, "/type"
            ),
            (call("x").replacing(#""event":"x","#, with: ""), .missingField, "/event"),
            (call("Push Notification Tapped").replacing("m-24", with: ""), .missingField, "/messageId"),
            (call("Push Notification Tapped", properties: "[]"), .invalidType, "/properties"),
            (call("Push Notification Tapped", properties: #"{"action":7}"#), .invalidType, "/properties/action"),
            (
                call("Push Notification Tapped").replacing("2026-03-01T10:00:00.250Z", with: "now"), .invalidValue,
                "/timestamp"
            ),
            (
                call("Push Notification Tapped").replacing(#""de-DE""#, with: #""d e""#), .invalidValue,
                "/context/locale"
            ),
            (
                #"{"type":"track","event":"Push Notification Tapped","messageId":"m","timestamp":"2026-03-01T10:00:00Z"}"#,
                .missingField, "/anonymousId"
            ),
        ]
        for (body, code, pointer) in cases {
            let alone = try translate(body, .segment)[0].error
            #expect(alone?.code == code && alone?.pointer == pointer, "\(body): \(String(describing: alone))")
            let batch = try translate(#"{"batch":[\#(call("Push Notification Received")),\#(body)]}"#, .segment)
            #expect(batch[0].item.event != nil && batch[1].error?.pointer == "/batch/1" + pointer, "\(body)")
        }
    }

    @Test("that bounced are only a provider's to tell")
    func scope() throws {
        let bounced = call("Push Notification Bounced")
        let item = try translate(bounced, .segment, policy: DecodingPolicy(scope: .write))[0]
        #expect(item.error?.code == .scope && item.error?.pointer == "/event")
        #expect(item.item.rejection?.redacted != nil, "it can be replayed with another scope")
        #expect(
            try translate(call("Push Notification Tapped"), .segment, policy: DecodingPolicy(scope: .write))[0].item
                .event
                != nil
        )
    }

    @Test("are one event however often they come, and their clock is corrected by sentAt")
    func retries() throws {
        let body = #"{"batch":[\#(call("Push Notification Tapped"))],"sentAt":"2026-03-01T11:00:00Z"}"#
        let first = try translate(body, .segment)[0].accepted()
        let again = try translate(body.replacing("11:00:00Z", with: "11:30:00Z"), .segment)[0].accepted()
        #expect(first.id == again.id && first.digest == again.digest)
        #expect(first.effectiveAt.microseconds - first.occurredAt.microseconds == 3_600_000_000)
        let header = try translate(body, .segment, sentAt: received)[0].accepted()
        #expect(header.effectiveAt == header.occurredAt, "the header's clock counts before the body's")
        let uuid = call("Push Notification Tapped").replacing("m-24", with: "0198c0de-0000-7000-8000-000000000001")
        #expect(try translate(uuid, .segment)[0].accepted().id.description == "0198c0de-0000-7000-8000-000000000001")
    }

    @Test("with half a character in a text take no neighbour with them")
    func loneSurrogates() throws {
        let cut = call("Push Notification Received", properties: #"{"campaign":{"content":"cut \ud83d","name":"c"}}"#)
        let whole = call("Push Notification Tapped", properties: #"{"campaign":{"name":"\ud83d\ude00 \\ud800"}}"#)
        let events = try translate(#"{"batch":[\#(cut),\#(whole)]}"#, .segment).map { try $0.accepted() }
        #expect(events.map(\.notificationID) == ["c", "😀 \\ud800"])
    }
}
