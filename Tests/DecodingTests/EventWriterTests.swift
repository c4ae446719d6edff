import NotificationEvents
import Testing

@testable import Decoding

@Suite("The writer of an event")
struct EventWriterTests {
    @Test("writes data in the order of the kind, and the rest as columns")
    func fields() throws {
        let trigger = #"{"repeats":true,"type":"push","shape":1}"#
        let text = event("dismissal", #""variant":"b","trigger":\#(trigger),"category_id":"c""#)
        try ItemInMemory(text).use { item in
            var writer = item.writer()
            let columns = try writer.write(item.draft())
            #expect(
                String(decoding: writer.out.bytes, as: UTF8.self)
                    == #"{"category_id":"c","trigger":{"type":"push","repeats":true},"variant":"b""#
            )
            #expect(columns.deviceID == "d1" && columns.notificationID == "n1" && columns.token == nil)
            #expect(columns.occurredAt?.timestamp == Timestamp.parse("2026-03-01T10:00:00Z")?.timestamp)
            #expect(writer.warnings.names == ["trigger/shape"])
        }
    }

    @Test("writes the same draft twice as the same bytes")
    func twice() throws {
        try ItemInMemory(EventKind.categoryRegistration.sample).use { item in
            let draft = try item.draft()
            var writer = item.writer()
            _ = try writer.write(draft)
            let first = Array(writer.out.bytes)
            writer.out.truncate(to: 0)
            let columns = try writer.write(draft)
            #expect(Array(writer.out.bytes) == first && columns.deviceID == "sample-device")
        }
    }

    @Test("refuses a value with the path to it")
    func failure() throws {
        let text = event("category_registration", #""categories":[{"id":"a"},{"id":"b","actions":[{"id":""}]}]"#)
        try ItemInMemory(text).use { item in
            let draft = try item.draft()
            var writer = item.writer()
            let failure = #expect(throws: FieldFailure.self) { try writer.write(draft) }
            #expect(failure?.path == ["categories", "1", "actions", "0", "id"])
        }
    }
}

@Suite("The times of an event")
struct EventTimesTests {
    private func times(_ occurredAt: Int64, sentAt: Int64? = nil) throws -> EventTimes {
        try EventTimes(
            occurredAt: Timestamp(seconds: occurredAt),
            receivedAt: Timestamp(seconds: 1_000_000),
            sentAt: sentAt.map { Timestamp(seconds: $0) },
            retentionSeconds: 500_000
        )
    }

    @Test("follow the sender's clock, put right where it is more than a minute off")
    func skew() throws {
        #expect(try times(999_000, sentAt: 1_000_060).effectiveAt == Timestamp(seconds: 999_000))
        #expect(try times(999_000, sentAt: 1_000_061).effectiveAt == Timestamp(seconds: 998_939))
    }

    @Test("are set to the receipt where they lie more than a day ahead")
    func lead() throws {
        #expect(try !times(1_086_400).isClamped)
        let ahead = try times(1_086_401)
        #expect(ahead.isClamped && ahead.effectiveAt == Timestamp(seconds: 1_000_000))
    }

    @Test("may not lie before the retention horizon, by either clock")
    func horizon() throws {
        #expect(try !times(500_000).isClamped)
        #expect(throws: FieldFailure.self) { try times(499_999) }
        #expect(throws: FieldFailure.self) { try times(500_100, sentAt: 1_000_200) }
    }
}
