import Postgres
import Projections
import Testing

/// Plans are kept by those that apply; made while tables were empty, they would look rows up by any index.
@Suite("Projections: statistics")
struct ProjectionStatisticsTests {
    @Test("tables that grow get statistics once, with no vacuum coming by; small ones do not")
    func grown() async throws {
        try await ProjectionFixture.with { fixture in
            try await stopVacuum(fixture)
            try await fixture.fill(400)
            try await fixture.runner().catchUp()
            #expect(try await rows("notification", fixture) == -1)
            try await fixture.fill(8_000)
            try await fixture.runner().catchUp()
            #expect(try await rows("notification", fixture) > 500)
            #expect(try await rows("category", fixture) == -1)
        }
    }

    @Test("statistics of an empty table are replaced when it has grown, and a rebuild takes none of it")
    func emptyOnce() async throws {
        try await ProjectionFixture.with { fixture in
            try await stopVacuum(fixture)
            try await fixture.connection.query("ANALYZE projection.notification")
            #expect(try await rows("notification", fixture) == 0)
            try await fixture.fill(8_000)
            try await fixture.runner().catchUp()
            #expect(try await rows("notification", fixture) > 500)

            _ = try await fixture.rebuild("notification").run { _ in }
            #expect(try await rows("notification", fixture) > 500)
            #expect(try await rows("variant_crossed", fixture) == -1)
        }
    }

    private func stopVacuum(_ fixture: ProjectionFixture) async throws {
        for table in ["notification", "category"] {
            try await fixture.connection.execute(
                script: "ALTER TABLE projection.\(table) SET (autovacuum_enabled = false)"
            )
        }
    }

    /// What the planner believes; -1 where there are no statistics.
    private func rows(_ table: String, _ fixture: ProjectionFixture) async throws -> Double {
        try await fixture.connection.value(
            "SELECT reltuples::float8 FROM pg_class WHERE oid = 'projection.\(table)'::regclass"
        )
    }
}
