import Postgres
import Projections
import Testing

/// Plans are kept by those that apply; made while tables were empty, they would look rows up by any index.
@Suite("Projections: statistics")
struct ProjectionStatisticsTests {
    @Test("tables that grow get statistics once, with no vacuum coming by; small ones do not")
    func grown() async throws {
        try await ProjectionFixture.with { fixture in
            for table in ["notification", "category"] {
                try await fixture.connection.execute(
                    script: "ALTER TABLE projection.\(table) SET (autovacuum_enabled = false)"
                )
            }
            try await fixture.fill(400)
            try await fixture.runner().catchUp()
            #expect(try await rows("notification", fixture) == -1)
            try await fixture.fill(8_000)
            try await fixture.runner().catchUp()
            #expect(try await rows("notification", fixture) > 500)
            #expect(try await rows("category", fixture) == -1)
        }
    }

    /// What the planner believes; -1 where there are no statistics.
    private func rows(_ table: String, _ fixture: ProjectionFixture) async throws -> Double {
        try await fixture.connection.value(
            "SELECT reltuples::float8 FROM pg_class WHERE oid = 'projection.\(table)'::regclass"
        )
    }
}
