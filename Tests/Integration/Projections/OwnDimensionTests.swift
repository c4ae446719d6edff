import EventLog
import Foundation
import Postgres
import Projections
import Testing

/// Keys of `attributes` that an app named as dimensions: which events are counted by them.
@Suite("Projections: an app's own dimensions")
struct OwnDimensionTests {
    private static func name(_ keys: [String], _ fixture: ProjectionFixture) async throws {
        let result = try await fixture.connection.query("SELECT notilog.name_dimensions(1, $1)", [.texts(keys)]).only()
        #expect(try result.get(0, as: String?.self) == "named")
    }

    /// Appends a request of each number, and applies it.
    private static func append(_ numbers: ClosedRange<Int>, _ fixture: ProjectionFixture) async throws {
        let writer = try await fixture.database.connect()
        try await writer.query(
            """
            INSERT INTO log.event
            SELECT nextval('log.position'), at, at, at, at, NULL, gen_random_uuid(), 1, 0, 1, false, 'request', 'd' || n % 3, 'n' || n, NULL,
              jsonb_build_object('origin', 'app', 'alerting', true, 'attributes', jsonb_build_object('tier', 't' || n, 'units', n))
            FROM generate_series($1, $2) AS n, LATERAL (SELECT timestamptz '2026-01-05' + n * interval '1 second' AS at) t
            """,
            [.int4(Int32(numbers.lowerBound)), .int4(Int32(numbers.upperBound))]
        )
        _ = try await Settler.settleNow(on: writer)
        await writer.close()
        try await fixture.runner(batch: 2).catchUp()
    }

    private static func values(_ fixture: ProjectionFixture) async throws -> [String] {
        try await fixture.connection.query(
            """
            SELECT concat_ws(' ', notification_id, attributes->>'tier', attributes->>'units') FROM projection.notification ORDER BY cohort_at
            """
        ).map { try $0.get(0) }
    }

    @Test("a key counts events while it is named, after a rebuild all; either is what a verification says")
    func fromThenOn() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.connection.query("INSERT INTO notilog.app (name) VALUES ('shop'), ('other')")
            try await Self.append(1...2, fixture)
            try await Self.name(["tier"], fixture)
            try await Self.append(3...4, fixture)
            #expect(try await Self.values(fixture) == ["n1", "n2", "n3 t3", "n4 t4"])
            try await fixture.expectVerified()
            try await Self.name(["units"], fixture)
            try await Self.append(5...6, fixture)
            try await Self.name(["units", "tier"], fixture)
            try await Self.append(7...8, fixture)
            let named = ["n1", "n2", "n3 t3", "n4 t4", "n5 5", "n6 6", "n7 t7 7", "n8 t8 8"]
            #expect(try await Self.values(fixture) == named)
            try await fixture.expectVerified()
            // Named and not in the same moment counts nothing.
            try await Self.name(["units"], fixture)
            try await Self.name(["units", "tier"], fixture)
            try await Self.name(["units"], fixture)
            _ = try await fixture.rebuild("notification", lanes: 2).run { _ in }
            #expect(try await Self.values(fixture) == (1...8).map { "n\($0) \($0)" })
            try await fixture.expectVerified()
            try await Self.name([], fixture)
            try await Self.append(9...9, fixture)
            #expect(try await Self.values(fixture).last == "n9")
            try await fixture.expectVerified()
            // Rows of versions that are gone went with them.
            #expect(try await fixture.count("notilog.dimension") == 1)
        }
    }

    @Test("what is named while events come in and are applied counts from one position on, in every lane")
    func whileLive() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.connection.query("INSERT INTO notilog.app (name) VALUES ('shop')")
            try await Self.append(1...3, fixture)
            _ = try await fixture.rebuild("notification", lanes: 2).run { _ in }
            let ingest = Task {
                for number in 1...40 { try await Self.append((number * 10)...(number * 10 + 9), fixture) }
            }
            for keys in [["tier"], ["units"], ["tier", "units"], [], ["tier"]] {
                try await eventually("the key is named") {
                    do {
                        try await Self.name(keys, fixture)
                        return true
                    } catch let error as PostgresError where error.sqlState == "55P03" {
                        return false
                    }
                }
            }
            try await ingest.value
            try await fixture.runner().catchUp()
            try await fixture.expectVerified()
        }
    }

    @Test("one version counts by so many names of an app and no more, until a rebuild")
    func bounded() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.connection.query("INSERT INTO notilog.app (name) VALUES ('shop')")
            for number in 1...64 {
                try await Self.append(number...number, fixture)
                try await Self.name(["k\(number)"], fixture)
            }
            try await Self.append(65...65, fixture)
            let refused = try await fixture.connection.query("SELECT notilog.name_dimensions(1, '{k65}')").only()
            #expect(try refused.get(0, as: String?.self) == "too_many")
            #expect(try await fixture.count("notilog.app WHERE dimensions = '{k64}'") == 1)
            _ = try await fixture.rebuild("notification").run { _ in }
            try await Self.name(["k65"], fixture)
            await #expect(throws: PostgresError.self) {
                try await fixture.connection.query("SELECT notilog.name_dimensions(1, '{a,b,c,d,e}')")
            }
        }
    }
}
