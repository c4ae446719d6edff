import Decoding
import NotificationEvents
import Testing

@Suite("One decoder, many tasks")
struct ConcurrencyTests {
    @Test("gives each body its own events")
    func concurrent() async throws {
        let decoder = EventDecoder(keeping: 2)
        try await withThrowingTaskGroup { group in
            for task in 0..<16 {
                group.addTask {
                    for round in 0..<50 {
                        let body =
                            "["
                            + (0..<20).map {
                                event("dismissal", #""variant":"\#(task)-\#(round)-\#($0)""#)
                            }.joined(separator: ",") + "]"
                        let items = try decoder.decode(
                            Array(body.utf8),
                            format: .json,
                            policy: DecodingPolicy(scope: .write),
                            receivedAt: received
                        ).map(\.item)
                        for (index, item) in items.enumerated() {
                            #expect(item.event?.json == #"{"variant":"\#(task)-\#(round)-\#(index)"}"#)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
