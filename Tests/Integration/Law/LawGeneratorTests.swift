import Decoding
import NotificationEvents
import Postgres
import Testing

/// A law shown by cases that never come near it would be no law.
@Suite("Law 1: its cases")
struct LawGeneratorTests {
    private static let cases = 100

    private func rows() async throws -> [LawTable: [LawRow]] {
        let decoder = EventDecoder()
        var all: [LawTable: [LawRow]] = [:]
        for focus in RandomEvents.Focus.allCases {
            for seed in 0..<UInt64(Self.cases) {
                let one = try LawCase(seed: seed, focus: focus, decoder: decoder)
                all.merge(LawModel(one.events.map(\.sent)).rows(bounds: [100_000, 3_600_000_000]), uniquingKeysWith: +)
                await Task.yield()
            }
        }
        return all
    }

    @Test("every stage is reached, and missed; every column has values, and every outcome happens")
    func coverage() async throws {
        let rows = try await rows()
        for table in LawTable.allCases where table.columnsOfTheModel != [] {
            let rows = try #require(rows[table])
            let columns = Set(rows.flatMap(\.keys))
            // Two removals that are alike in all that is counted are rare in so few events; bigger worlds hold that count.
            for column in columns where "\(table.rawValue).\(column)" != "cohort_removal_count.notifications" {
                let values = Set(rows.map { $0[column] ?? "null" })
                #expect(values.count > 1, "\(table.rawValue).\(column) is always \(values)")
            }
            if let known = table.columnsOfTheModel {
                #expect(Set(known).subtracting(columns) == [], "columns of \(table.rawValue) that never have a value")
            }
        }
        let states = Set(try #require(rows[.deviceToken]).compactMap { $0["state"] })
        #expect(states == ["active", "superseded", "moved", "invalidated", "misdirected"])
        let outcomes = Set(try #require(rows[.engagementLatency]).compactMap { $0["outcome"] })
        #expect(outcomes == ["opened", "acted", "replied", "dismissed"])
    }

    @Test("every table of every projection is held to the law")
    func tables() async throws {
        // Beside what keeps books of batches; what lanes beyond the first know of categories shows in their notifications.
        let tables = try await LawStore.withStore { store in
            try await store.connection.query(
                """
                SELECT coalesce(array_agg(c.relname::text), '{}') FROM pg_class c
                WHERE c.relnamespace = 'projection'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
                  AND c.relname NOT IN ('checkpoint', 'version', 'version_lane', 'holding', 'set_aside', 'push_result_place',
                    'lane_category', 'kept_snapshot', 'token_newest')
                  AND NOT c.relispartition
                """
            ).only().get(0, as: [String].self)
        }
        #expect(tables.sorted() == LawTable.allCases.map(\.rawValue).sorted())
    }

    @Test("one seed gives one case")
    func determinism() throws {
        let decoder = EventDecoder()
        let (first, second) = (
            try LawCase(seed: 7, focus: .everything, decoder: decoder),
            try LawCase(seed: 7, focus: .everything, decoder: decoder)
        )
        #expect(first.events.map(\.sent.id) == second.events.map(\.sent.id))
        #expect(first.events.map(\.stored.data) == second.events.map(\.stored.data))
        #expect(first.deliveries.map(\.batches) == second.deliveries.map(\.batches))
    }
}
