import EventLog
import Foundation
import NotificationEvents
import Testing

struct TimelineCursorTests {
    private let id = EventID(high: 1, low: 2)

    @Test func aTimelineCursorIsReadAsItWasWritten() {
        for time in [Timestamp.earliest, Timestamp(microseconds: 0), .latest] {
            let cursor = TimelineCursor(effectiveAt: time, id: id, incarnation: UUID(), position: 184_467)
            #expect(TimelineCursor(cursor.text) == cursor)
        }
        for text in ["", ".", "zz", "0.0", "zzzzzzzzzzzzzzzz.\(id)", "0.\(id)", "0.\(id).x.1", "0.\(id).\(id).-1"] {
            #expect(TimelineCursor(text) == nil)
        }
    }
}
