import EventLog
import NotificationEvents
import Postgres
import Testing

/// The service and the database divide events alike: a cell refuses what is not its own.
@Suite("Cells: lanes of events")
struct EventLaneTests {
    @Test("the lane of an event is the same in the service and in the database")
    func lanes() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            var random = LawRandom(seed: 5)
            var seen: Set<Int> = []
            // Not surrogates, though they begin like one.
            let odd = ["erased-", "erased-foo", "erased-A", "erased-\u{301}x0", "Gerät 1", "erased-é", "ERASED-0", "é"]
            for number in 0..<200 {
                let device = number < odd.count ? odd[number] : number % 3 == 0 ? "" : "device-\(number)"
                let token = number % 2 == 0 ? (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &random) } : nil
                let id = EventID(version7: SampleEvents.noon, using: &random)
                var event = SampleEvents.make(id: id, device: device)
                event.token = token
                let here: Int32 = try await connection.query(
                    "SELECT log.event_lane($1, $2, $3)",
                    [.text(device), .bytea(token), .uuid(high: id.high, low: id.low)]
                ).only().get(0)
                #expect(EventLane.of(event) == Int(here))
                seen.insert(Int(here))
                guard !device.isEmpty else { continue }
                let surrogate: String = try await connection.query(
                    "SELECT log.surrogate($1)",
                    [.text(device)]
                ).only().get(0)
                #expect(EventLane.of(device: surrogate) == Int(here), "a surrogate is of its device's lane")
            }
            #expect(seen == Set(0..<8))
            await connection.close()
        }
    }
}
