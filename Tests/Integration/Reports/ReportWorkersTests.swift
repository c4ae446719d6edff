import Postgres
import Reports
import Schema
import Testing

/// What several processes count is what one counts, and PostgreSQL runs them at the same time.
@Suite("Reports: parallel workers")
struct ReportWorkersTests {
    private static let range = [("from", "2025-11-01"), ("to", "2025-11-21")]

    /// The functions that count in this way, each with the number of its other parameters.
    private static func functions(_ connection: Connection) async throws -> [(name: String, parameters: Int16)] {
        try await connection.query(
            """
            SELECT proname::text, pronargs - 2::int2 FROM pg_proc
            WHERE pronamespace = 'reporting'::regnamespace AND proargnames[pronargs - 1:pronargs] = '{worker,workers}'
              AND proname <> 'of_worker' ORDER BY 1
            """
        ).map { (try $0.get(0), try $0.get(1)) }
    }

    @Test("a report says the same however many count it")
    func rows() async throws {
        try await LawStore.withStore { store in
            try await store.simulate(devices: 60, days: 25)
            let questions: [(report: String, values: [(String, String)])] = [
                ("outcomes", []), ("outcomes", [("by", "category"), ("currencies", "apart"), ("limit", "3")]),
                ("live_activities", []), ("live_activities", [("interval", "week")]),
                ("instrumentation", []), ("instrumentation", [("interval", "week"), ("window", "P1D")]),
            ]
            let functions = try await Self.functions(store.connection).map(\.name)
            #expect(
                functions.allSatisfy { name in questions.contains { name.hasPrefix($0.report) } },
                "each is asked here"
            )
            for question in questions {
                var answers: [[[ReportValue]]] = []
                for workers in 1...4 {
                    try await store.database.set("notilog.report_workers", to: workers, on: store.connection)
                    answers.append(try await store.report(question.report, Self.range + question.values).rows)
                }
                #expect(answers[0].count > 1, "\(question)")
                for answer in answers.dropFirst() { #expect(answer == answers[0], "\(question)") }
            }
        }
    }

    @Test("each worker's devices are its own, and there are workers for a large store alone")
    func shares() async throws {
        try await ReportsDatabase.with { database in
            let connection = database.connection
            let shares = try await connection.query(
                """
                SELECT reporting.of_worker('d', 0, 3), reporting.of_worker('d', NULL, NULL), reporting.workers()
                """
            ).only()
            let (share, all): (String, String) = (try shares.get(0), try shares.get(1))
            let counted = try await connection.query(
                """
                SELECT count(*) FILTER (WHERE \(share)), count(*) FILTER (WHERE \(all))
                FROM (SELECT 'device ' || n AS d FROM generate_series(1, 3000) AS n) s
                """
            ).only()
            let (own, every): (Int64, Int64) = (try counted.get(0), try counted.get(1))
            #expect(abs(own - 1_000) < 150 && every == 3_000)
            #expect(try shares.get(2, as: Int32.self) == 1)
            try await connection.query(
                "UPDATE pg_class SET reltuples = 500000 WHERE oid = 'projection.notification'::regclass"
            )
            try await connection.query("SET max_parallel_workers_per_gather = 2", cached: false)
            #expect(try await connection.query("SELECT reporting.workers()").only().get(0, as: Int32.self) == 3)
            try await connection.query("SET max_parallel_workers_per_gather = 0", cached: false)
            #expect(try await connection.query("SELECT reporting.workers()").only().get(0, as: Int32.self) == 1)
        }
    }

    @Test("PostgreSQL runs them in parallel")
    func plans() async throws {
        try await ReportsDatabase.with { database in
            let connection = database.connection
            try await connection.query("SELECT set_config('notilog.report_workers', '3', false)")
            let functions = try await Self.functions(connection)
            #expect(!functions.isEmpty)
            for function in functions {
                let query = try await connection.query(
                    "SELECT reporting.by_workers($1, $2)",
                    [.text(function.name), .int4(Int32(function.parameters))]
                ).only().get(0, as: String.self)
                let values = query.replacing(/\$\d+/, with: "NULL")
                let plan = try await connection.query("EXPLAIN (COSTS OFF) \(values)", cached: false)
                    .map { try $0.get(0, as: String.self) }
                #expect(plan.contains { $0.contains("Workers Planned: 2") }, "\(plan)")
                #expect(plan.contains { $0.contains("Parallel Append") }, "\(plan)")
            }
        }
    }
}
