import Foundation
import Postgres
import Reports
import Testing

@testable import Service

/// A report's rows go from the database to a client without lying whole in between.
@Suite struct ReportStreamTests {
    /// So many categories of one notification each, straight in the rollup.
    private static func makeUpCategories(_ count: Int, _ database: ReportsDatabase) async throws {
        let names = try await database.connection.query(
            """
            SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
            FROM pg_attribute
            WHERE attrelid = 'projection.engagement'::regclass AND attnum > 6 AND NOT attisdropped
            """
        ).only().get(0, as: String.self)
        let ones = names.split(separator: ",").map { _ in "1" }.joined(separator: ", ")
        try await database.connection.query(
            """
            INSERT INTO projection.engagement (app_id, dimension, grain, bucket, category, value, \(names))
            SELECT 1, '', 'day', '2026-03-10', 'made up ' || n, '', \(ones) FROM generate_series(1, $1::int8) AS n
            """,
            [.int8(Int64(count))]
        )
    }

    private static func parameters(_ database: ReportsDatabase) throws -> ReportParameters {
        let pairs = [("limit", "10000"), ("from", "2026-03-10"), ("to", "2026-03-11")]
        return try ReportParameters(
            pairs.map { (name: $0.0, value: $0.1) },
            for: try database.runner.catalogue.report("engagement")
        )
    }

    @Test func everyRowComesInPagesAndOnce() async throws {
        try await ReportsDatabase.with { database in
            try await Self.makeUpCategories(10_050, database)
            var sizes: [Int] = []
            var head: ReportResult?
            try await database.runner.stream(try Self.parameters(database), app: "demo") { part in
                switch part {
                case .head(let result): head = result
                case .rows(let rows): sizes.append(rows.count)
                }
            }
            #expect(head?.rowsTotal == 10_050)
            #expect(sizes == Array(repeating: 1000, count: 10) + [1])
            let whole = try await database.runner.run(try Self.parameters(database), app: "demo")
            #expect(whole.rows.count == 10_001)
            #expect(whole.records.last?["other"] == .bool(true) && whole.records.last?["reached"] == .integer(50))
        }
    }

    @Test func anAnswerThatFitsGivesItsConnectionBackHoweverSlowItsClient() async throws {
        try await ReportsDatabase.with { database in
            try await Self.makeUpCategories(100, database)
            let pool = Pool(database.pool.configuration, limit: 1)
            let runner = ReportRunner(catalogue: database.runner.catalogue, pool: pool)
            let parameters = try Self.parameters(database)
            let answers = [
                try await ReportAnswer.begin(runner, parameters, app: "demo", .json),
                // It gets the only connection, though nobody has taken anything of the first.
                try await ReportAnswer.begin(runner, parameters, app: "demo", .json),
            ]
            for answer in answers {
                var text: [UInt8] = []
                while let piece = try await answer.next() { text += piece }
                let json = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
                #expect((json["rows"] as? [Any])?.count == 100 && json["rows_total"] as? Int == 100)
            }
            await pool.shutDown()
        }
    }

    @Test func anAnswerThatBreaksOffDoesNotEnd() async throws {
        try await ReportsDatabase.with { database in
            try await Self.makeUpCategories(10_000, database)
            let pool = Pool(database.pool.configuration, limit: 1)
            let runner = ReportRunner(catalogue: database.runner.catalogue, pool: pool)
            let answer = try await ReportAnswer.begin(runner, try Self.parameters(database), app: "demo", .json)
            let first = try #require(try await answer.next())
            // The rest does not fit, and so the database still has it.
            let ended = try await database.connection.query(
                """
                SELECT count(pg_terminate_backend(pid))
                FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'FETCH % FROM report'
                """
            ).only()
            #expect(try ended.get(0, as: Int64.self) == 1)
            var text = first
            await #expect(throws: PostgresError.self) {
                while let piece = try await answer.next() { text += piece }
            }
            #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: Data(text)) }
            await pool.shutDown()
        }
    }
}
