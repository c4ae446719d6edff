import Folds
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
                try await expect(index, bound, bounds, store)
                try await expect(index + 1, bound + 1, bounds, store)
            }
            try await expect(0, 0, bounds, store)
            try await expect(0, -Self.hour, bounds, store)
        }
    }

    /// The rollup has it in this bucket, and so has a report that counts row by row.
    private func expect(_ bucket: Int, _ latency: Int64, _ bounds: [Int64], _ store: LawStore) async throws {
        #expect(Int(Latency.bucket(latency, bounds)) == bucket)
        let ofRows: Int = try await store.connection.query(
            "SELECT projection.latency_bucket($1, $2, $3)",
            [.timestamptz(RandomEvents.start), .timestamptz(RandomEvents.start + latency), .int8s(bounds)]
        ).only().get(0)
        #expect(ofRows == bucket)
    }
}
