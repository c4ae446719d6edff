import Decoding
import NotificationEvents
import Testing

@Suite("Times")
struct TimeTests {
    private func occurred(_ time: String) -> String {
        #"{"kind":"open_settings","device_id":"d","occurred_at":"\#(time)"}"#
    }

    @Test(
        "effective_at moves by the gap between the clocks, where that is over 60 s either way",
        arguments: [
            ("2026-03-01T12:00:00Z", 0), ("2026-03-01T11:59:00Z", 0), ("2026-03-01T12:01:00Z", 0),
            ("2026-03-01T11:58:59Z", 61), ("2026-03-01T12:01:01Z", -61), ("2026-03-01T10:00:00Z", 7200),
        ]
    )
    func skew(sentAt: String, seconds: Int64) throws {
        let sent = try #require(Timestamp.parse(sentAt)?.timestamp)
        let event = try accept(occurred("2026-03-01T09:00:00Z"), sentAt: sent)
        #expect(event.effectiveAt.microseconds - event.occurredAt.microseconds == seconds * 1_000_000)
        #expect(event.sentAt == sent)
        #expect(event.receivedAt == received)
        #expect(!event.timeClamped)
    }

    @Test("what lies more than 24 h ahead is set to the time it was received")
    func clamp() throws {
        let edge = try accept(occurred("2026-03-02T12:00:00Z"))
        #expect(!edge.timeClamped && edge.effectiveAt == edge.occurredAt)
        let ahead = try accept(occurred("2026-03-02T12:00:00.000001Z"))
        #expect(ahead.timeClamped && ahead.effectiveAt == received)
        #expect(ahead.occurredAt.description == "2026-03-02T12:00:00.000001Z")
        // The clock of the sender explains it.
        let explained = try accept(
            occurred("2027-03-01T11:00:00Z"),
            sentAt: Timestamp.parse("2027-03-01T12:00:00Z")?.timestamp
        )
        #expect(!explained.timeClamped)
        #expect(explained.effectiveAt.description == "2026-03-01T11:00:00.000000Z")
    }

    @Test("what happened before the retention horizon is too old, by either time")
    func tooOld() throws {
        _ = try accept(occurred("2025-01-25T12:00:00Z"))
        let old = try reject(occurred("2025-01-25T11:59:59.999999Z"))
        #expect(old.error.code == .tooOld && old.error.pointer == "/occurred_at")
        let message = "occurred_at is older than the 400 days that events are kept"
        #expect(old.error.message == message)
        let moved = try reject(
            occurred("2026-02-01T00:00:00Z"),
            sentAt: Timestamp.parse("2030-01-01T00:00:00Z")?.timestamp
        )
        // The event's own time is not at fault.
        #expect(moved.error.code == .tooOld && moved.error.pointer == "/occurred_at")
        #expect(moved.error.message == message + ", as corrected by the time of sending (Notilog-Sent-At or sentAt)")
        // An event from 1970 stays too old, though the sender's clock would explain it.
        let epoch = try reject(occurred("1970-01-01T00:00:10Z"), sentAt: Timestamp(seconds: 20))
        #expect(epoch.error.code == .tooOld && epoch.error.message == message)
    }
}
