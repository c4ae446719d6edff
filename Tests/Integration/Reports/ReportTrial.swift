import EventLog
import Foundation
import NotificationEvents
import Postgres
import Reports
import Schema

/// Brings cases into a fresh database, each under an app of its own and in a delivery of its own, late, repeated and
/// contradicted, and asks reports about them.
struct ReportTrial {
    let cases: [LawCase]
    let reports: [String]
    let seed: UInt64
    /// How often each report is asked for about each case.
    var questions = 2

    /// How many devices a version has at least for a p in `instrumentation`. No world has the ten that it takes.
    private var fewest: Int { seed.isMultiple(of: 2) ? 2 : 3 }

    /// What is wrong, in words, with each report that does not agree with the model: the first case that shows it.
    func verdicts() async throws -> [String] {
        try await LawStore.withStore { store in
            var random = LawRandom(seed: seed)
            try await store.connection.nameOwnDimensions(apps: cases.count)
            try await bringIn(store, &random)
            let workers = random.one(of: [1, 2, 3])
            try await store.set("notilog.report_workers", to: workers)
            try await store.set("notilog.instrumentation_fewest", to: fewest)
            let pool = Pool(store.database.configuration, limit: 1)
            let runner = ReportRunner(catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()), pool: pool)
            let bounds = try await store.latencyBounds()
            var verdicts: [String: String] = [:]
            for (index, one) in cases.enumerated() {
                let found = try await ask(runner, about: one, app: "app\(index + 1)", bounds, &random)
                verdicts.merge(found) { first, _ in first }
            }
            await pool.shutDown()
            return verdicts.values.sorted()
        }
    }

    private func bringIn(_ store: LawStore, _ random: inout LawRandom) async throws {
        try await store.setLanes(random.one(of: [1, 2]))
        let deliveries = cases.map { random.one(of: $0.deliveries) }
        for step in 0..<(deliveries.map(\.batches.count).max() ?? 0) {
            var batches: [(app: AppID, events: [NormalisedEvent])] = []
            for (index, delivery) in deliveries.enumerated() where step < delivery.batches.count {
                batches.append(
                    (AppID(rawValue: Int32(index + 1)), delivery.batches[step].map { cases[index].events[$0].stored })
                )
            }
            try await store.append(batches)
            try await store.apply(limit: random.one(of: [40, 200, 100_000]))
        }
        // The first event of an id stands, whatever else is sent under it.
        for (index, one) in cases.enumerated() {
            let contradictions = random.some(of: one.events.map(\.stored), percent: 10).map { stored in
                var other = stored
                other.digest = ContentDigest(high: ~stored.digest.high, low: stored.digest.low)
                return other
            }
            guard !contradictions.isEmpty else { continue }
            for result in try await store.log.append(contradictions, app: AppID(rawValue: Int32(index + 1))) {
                guard case .conflict = result else { throw LawError("a contradiction was taken: \(result)") }
            }
        }
        try await store.apply(limit: 100_000)
    }

    private func ask(
        _ runner: ReportRunner,
        about one: LawCase,
        app: String,
        _ bounds: [Int64],
        _ random: inout LawRandom
    ) async throws -> [String: String] {
        var verdicts: [String: String] = [:]
        var model = ReportModel(one.events.map(\.sent), bounds: bounds)
        model.fewest = fewest
        for name in reports {
            let definition = try runner.catalogue.report(name)
            for _ in 0..<questions {
                let question = ModelQuestion.random(definition, &random)
                guard let expected = model.rows(question) else { throw LawError("the model knows no \(name)") }
                // That of a report that bounds its rows, which the comparison of rows alone would not show.
                let others = expected.filter { $0["other"] == .bool(true) }.count
                let parameters = try ReportParameters(question.pairs(for: definition), for: definition)
                let found = try await runner.run(parameters, app: app, asOf: Timestamp(microseconds: question.asOf))
                if definition.isBounded, (others > 0) != ((found.rowsTotal ?? 0) > Int64(question.limit)) {
                    verdicts[name] = "\(question)\nrows_total is \(found.rowsTotal ?? -1), with \(others) rows `other`"
                }
                if let difference = ReportComparison.difference(found, expected) {
                    verdicts[name] = "\(question)\n\(difference)\n\(LawReport(one, "", trial: seed))"
                }
            }
        }
        return verdicts
    }
}

/// Where a report's rows differ from what they should be. Order is not compared, and fractions to 10 digits.
enum ReportComparison {
    static func difference(_ result: ReportResult, _ expected: [ReportModel.Record]) -> String? {
        let columns = result.columns.map(\.name)
        let wanted = expected.map { record in columns.map { text(record[$0] ?? .null) }.joined(separator: "; ") }
        let unknown = Set(expected.flatMap(\.keys)).subtracting(columns)
        guard unknown.isEmpty else { return "columns that the report does not give: \(unknown)" }
        let missing = columns.filter { name in !expected.isEmpty && expected.allSatisfy { $0[name] == nil } }
        guard missing.isEmpty else { return "columns that the model does not give: \(missing)" }
        let found = result.rows.map { row in row.map(text).joined(separator: "; ") }
        guard found.sorted() != wanted.sorted() else { return nil }
        let names = columns.joined(separator: "; ")
        let onlyFound = found.filter { !wanted.contains($0) }.map { "only report: \($0)" }
        let onlyWanted = wanted.filter { !found.contains($0) }.map { "only model:  \($0)" }
        return ([names] + onlyFound.sorted() + onlyWanted.sorted() + ["\(found.count) rows, \(wanted.count)"])
            .joined(separator: "\n")
    }

    private static func text(_ value: ReportValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .double(let number): String(format: "%.10g", (number * 1e12).rounded() / 1e12 + 0)
        case .bool(let value): "\(value)"
        case .text(let text), .json(let text): text
        case .time(let time), .localTime(let time, _): "\(Timestamp(microseconds: time))"
        case .list(let names): "\(names)"
        }
    }
}
