import Postgres
import Testing

@Suite("Latency buckets")
struct LawLatencyTests {
    private static let hour: Int64 = 3_600_000_000

    @Test("no two bounds lie further apart than a tenth, and the windows that are exact are bounds")
    func bounds() async throws {
        try await LawStore.withStore { store in
            let bounds = try await store.latencyBounds()
            for (low, high) in zip(bounds, bounds.dropFirst()) {
                #expect(low < high && Double(high) <= Double(low) * 1.1, "\(low) and \(high)")
            }
            for hours: Int64 in [1, 6, 24, 72, 168, 720] {
                #expect(bounds.contains(hours * Self.hour), "\(hours) h")
            }
            #expect(bounds.last == 400 * 24 * Self.hour)
        }
    }

    @Test("a bucket holds its upper bound and not its lower one; what came before it was shown is at once")
    func edges() async throws {
        try await LawStore.withStore { store in
            let bounds = try await store.latencyBounds()
            for (index, bound) in bounds.enumerated() {
                #expect(try await bucket(bound, store) == index)
                #expect(try await bucket(bound + 1, store) == index + 1)
            }
            #expect(try await bucket(0, store) == 0)
            #expect(try await bucket(-Self.hour, store) == 0)
        }
    }

    private func bucket(_ latency: Int64, _ store: LawStore) async throws -> Int {
        try await store.connection.query(
            "SELECT projection.latency_bucket($1, $2)",
            [.timestamptz(RandomEvents.start), .timestamptz(RandomEvents.start + latency)]
        ).only().get(0)
    }
}
