import EventLog
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

    private static let demo = (name: "demo", id: AppID(rawValue: 1))

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

    /// Some lie in memory, many on disk.
    @Test(arguments: [100, 10_000])
    func anAnswerGivesItsConnectionBackHoweverSlowItsClient(rows: Int) async throws {
        try await ReportsDatabase.with { database in
            try await Self.makeUpCategories(rows, database)
            let room = AnswerRoom(connections: 1)
            let pool = Pool(database.pool.configuration, limit: 1)
            let runner = ReportRunner(catalogue: database.runner.catalogue, pool: pool)
            let parameters = try Self.parameters(database)
            let answers = [
                try await ReportAnswer.begin(runner, parameters, app: Self.demo, .json, room),
                // It gets the only connection, though nobody has taken anything of the first.
                try await ReportAnswer.begin(runner, parameters, app: Self.demo, .json, room),
            ]
            for answer in answers {
                var text: [UInt8] = []
                while let piece = try await answer.next() { text += piece }
                let json = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
                #expect((json["rows"] as? [Any])?.count == rows && json["rows_total"] as? Int == rows)
            }
            await pool.shutDown()
        }
    }

    @Test func anAnswerThatBreaksOffDoesNotEnd() async throws {
        try await ReportsDatabase.with { database in
            try await Self.makeUpCategories(10_000, database)
            let pool = Pool(database.pool.configuration, limit: 1)
            let runner = ReportRunner(catalogue: database.runner.catalogue, pool: pool)
            let nothing = AnswerRoom(connections: 4, disk: SpillRoom(ofAnswer: 0, total: 0))
            let parameters = try Self.parameters(database)
            let answer = try await ReportAnswer.begin(runner, parameters, app: Self.demo, .json, nothing)
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

    @Test("an answer without room gives its connection back in time, though its client reads nothing")
    func holdsForATime() async throws {
        try await ReportsDatabase.with { database in
            try await Self.makeUpCategories(10_000, database)
            let pool = Pool(database.pool.configuration, limit: 1)
            let runner = ReportRunner(catalogue: database.runner.catalogue, pool: pool)
            var room = AnswerRoom(connections: 4, disk: SpillRoom(ofAnswer: 0, total: 0))
            room.longest = .milliseconds(100)
            let answer = try await ReportAnswer.begin(
                runner,
                try Self.parameters(database),
                app: Self.demo,
                .json,
                room
            )
            // The pool's only connection.
            try await pool.withConnection { _ = try await $0.query("SELECT 1") }
            #expect(room.holding.taken == 0)
            await #expect(throws: CancellationError.self) { while try await answer.next() != nil {} }
            await pool.shutDown()
        }
    }

    @Test func whereThereIsNoRoomOneAppHoldsAQuarterOfTheConnections() async throws {
        try await ReportsDatabase.with { database in
            try await Self.makeUpCategories(10_000, database)
            let pool = Pool(database.pool.configuration, limit: 4)
            let runner = ReportRunner(catalogue: database.runner.catalogue, pool: pool)
            let parameters = try Self.parameters(database)
            var nothing = AnswerRoom(connections: 4, disk: SpillRoom(ofAnswer: 0, total: 0))
            // Beyond the time that a slow machine takes for this test.
            nothing.longest = .seconds(600)
            let room = nothing
            func begin(_ app: AppID) async throws -> ReportAnswer {
                try await ReportAnswer.begin(runner, parameters, app: (name: "demo", id: app), .json, room)
            }
            func rest(_ answer: ReportAnswer) async throws { while try await answer.next() != nil {} }
            /// An answer that nobody takes, once it holds its connection as there is no room for it.
            func held(_ app: AppID, _ number: Int) async throws -> ReportAnswer {
                let answer = try await begin(app)
                try await eventually("answer \(number) holds its connection", within: .seconds(60)) {
                    room.holding.taken == number
                }
                return answer
            }
            /// An answer that nobody takes ends where it may not hold its connection beside the others.
            func isCutOff(_ app: AppID, beside others: Int64) async throws {
                let answer = try await begin(app)
                try await eventually("an answer of \(app) gives its connection back", within: .seconds(60)) {
                    let reading = try await database.connection.query(
                        """
                        SELECT count(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE 'FETCH % FROM report' AND state <> 'idle'
                        """
                    ).only()
                    return try reading.get(0, as: Int64.self) == others
                }
                await #expect(throws: Problem.self) { try await rest(answer) }
            }
            let first = try await held(1, 1)
            try await isCutOff(1, beside: 1)
            let other = try await held(2, 2)
            try await isCutOff(3, beside: 2)
            try await rest(first)
            try await rest(other)
            await pool.shutDown()
        }
    }

    @Test func aTableIsWrittenAsItIsRead() async throws {
        try await ReportsDatabase.with { database in
            try await Self.makeUpCategories(2500, database)
            var sizes: [Int] = []
            var text = ""
            try await database.runner.write(try Self.parameters(database), app: "demo", as: .table) { piece in
                guard case .text(let bytes) = piece else { return }
                sizes.append(bytes.count)
                text += String(decoding: bytes, as: UTF8.self)
            }
            #expect(sizes.count > 1 && sizes.allSatisfy { $0 < 70_000 })
            let whole = try await database.runner.run(try Self.parameters(database), app: "demo")
            let lines = text.split(separator: "\n")
            #expect(lines.count { $0.hasPrefix("made up ") } == 2500 && lines.count == whole.rows.count + 4)
        }
    }
}
