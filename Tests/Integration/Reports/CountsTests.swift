import Decoding
import EventLog
import Foundation
import NotificationEvents
import Postgres
import Reports
import Schema
import Testing

/// Counts add up: a report whose counts are taken in several databases, each with some of the devices, is the report of one
/// database with all of them.
@Suite("Reports: counts of several databases")
struct CountsTests {
    private static let databases = 3
    private static let casesOfEachFocus = 2
    private static let questions = 3

    @Test("every report adds up over devices", arguments: RandomEvents.Focus.allCases)
    func devices(focus: RandomEvents.Focus) async throws {
        let cases = try Self.cases(focus).map { one in
            one.keeping { one.events[$0].sent.kind != "category_registration" }
        }
        try await compare(cases)
    }

    @Test("with every registration of a category in each of them, what reads categories adds up too")
    func categories() async throws {
        try await compare(
            try Self.cases(.everything) + Self.cases(.categories),
            only: ["actions", "categories", "engagement", "response_times"],
            registersEverywhere: true
        )
    }

    private static func cases(_ focus: RandomEvents.Focus) throws -> [LawCase] {
        let number = UInt64(RandomEvents.Focus.allCases.firstIndex(of: focus) ?? 0)
        return try (0..<casesOfEachFocus).map { index in
            try LawCase(seed: 4_711 + number * 100 + UInt64(index), focus: focus, decoder: EventDecoder())
        }
    }

    private func compare(
        _ cases: [LawCase],
        only names: Set<String>? = nil,
        registersEverywhere: Bool = false
    ) async throws {
        try await TestDatabase.withDatabases(Self.databases + 2) { databases in
            let divisions = cases.map { DeviceDivision(of: $0, among: Self.databases) }
            // In the first one everything, in the second nothing, in the others a part each.
            for (number, database) in databases.enumerated() {
                try await LawStore.withStore(on: database) { store in
                    try await store.connection.nameOwnDimensions(apps: cases.count)
                    guard number != 1 else {
                        return try await store.connection.countElsewhere(databases[2...].map(\.url))
                    }
                    let batches = zip(cases, divisions).enumerated().map { index, one in
                        let events = one.0.events.enumerated().filter { place, event in
                            number == 0 || one.1.parts[place] == number - 2
                                || registersEverywhere && event.sent.kind == "category_registration"
                        }
                        return (AppID(rawValue: Int32(index + 1)), events.map(\.element.stored))
                    }
                    try await store.append(batches)
                    try await store.apply(limit: 500)
                }
            }
            try await ask(cases.count, only: names, databases[0], databases[1])
        }
    }

    private func ask(_ apps: Int, only names: Set<String>?, _ whole: TestDatabase, _ front: TestDatabase) async throws {
        let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
        let pools = [whole, front].map { Pool($0.configuration, limit: 1) }
        let runners = pools.map { ReportRunner(catalogue: catalogue, pool: $0) }
        var random = LawRandom(seed: 99)
        var rows = 0
        for definition in catalogue.reports where names?.contains(definition.name) ?? true {
            for app in 1...apps {
                for _ in 0..<Self.questions {
                    let question = ModelQuestion.random(definition, &random)
                    let parameters = try ReportParameters(question.pairs(for: definition), for: definition)
                    var answers: [ReportResult] = []
                    for runner in runners {
                        let asOf = Timestamp(microseconds: question.asOf)
                        answers.append(try await runner.run(parameters, app: "app\(app)", asOf: asOf))
                    }
                    #expect(answers[0].rows == answers[1].rows, "app\(app): \(question)")
                    #expect(answers[0].rowsTotal == answers[1].rowsTotal, "app\(app): \(question)")
                    rows += answers[0].rows.count
                }
            }
        }
        #expect(rows > 50)
        for pool in pools { await pool.shutDown() }
    }
}

/// The events of a case divided among databases, so that devices which share a token are in one.
private struct DeviceDivision {
    /// The number of the database, by the event's place in the case.
    let parts: [Int]

    init(of one: LawCase, among databases: Int) {
        // Devices and tokens, each with another of its kin that leads nearer to the one that stands for all.
        var nearer: [String: String] = [:]
        func first(of name: String) -> String {
            var name = name
            while let next = nearer[name] { name = next }
            return name
        }
        let names = one.events.map { event in
            [
                event.sent.device.isEmpty ? nil : "device \(event.sent.device)", event.sent.token.map { "token \($0)" },
            ].compactMap { $0 }
        }
        for names in names where names.count == 2 {
            let (device, token) = (first(of: names[0]), first(of: names[1]))
            if device != token { nearer[token] = device }
        }
        var numbers: [String: Int] = [:]
        parts = names.map { names in
            guard let name = names.first.map(first) else { return 0 }
            let number = numbers[name] ?? numbers.count % databases
            numbers[name] = number
            return number
        }
    }
}

extension Connection {
    /// Makes every function that counts ask databases instead, one after another, and give the rows of all.
    fileprivate func countElsewhere(_ urls: [String]) async throws {
        try await execute(script: "CREATE EXTENSION dblink SCHEMA public; CREATE TABLE public.part (url text)")
        for url in urls { try await query("INSERT INTO public.part VALUES ($1)", [.text(url)]) }
        try await execute(
            script: #"""
                DO $do$
                DECLARE
                  f record;
                BEGIN
                  FOR f IN
                    SELECT p.proname, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
                      substring(pg_get_function_result(p.oid) FROM '^TABLE\((.*)\)$') AS columns,
                      (SELECT string_agg(format($g$quote_nullable($%s) || '::%s'$g$, n, format_type(t, NULL)), $s$ || ', ' || $s$ ORDER BY n)
                        FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, n)) AS given
                    FROM pg_proc p
                    WHERE p.pronamespace = 'reporting'::regnamespace AND p.proname LIKE '%\_counts'
                  LOOP
                    EXECUTE format($f$
                      CREATE OR REPLACE FUNCTION reporting.%1$I(%2$s) RETURNS %3$s LANGUAGE plpgsql STABLE AS $w$
                      #variable_conflict use_column
                      BEGIN
                        RETURN QUERY SELECT c.*
                        FROM public.part p
                        CROSS JOIN LATERAL public.dblink(p.url, 'SELECT * FROM reporting.%1$I(' || %4$s || ')') AS c (%5$s);
                      END $w$ $f$, f.proname, f.arguments, f.result, f.given, f.columns);
                  END LOOP;
                END $do$
                """#
        )
    }
}
