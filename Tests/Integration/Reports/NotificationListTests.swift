import Decoding
import EventLog
import Foundation
import NotificationEvents
import Postgres
import Reports
import Schema
import Testing

/// Behind each figure stand as many notifications as it counts: the list, asked as the figure was, gives them, newest
/// first and each once, however it is cut into pages.
@Suite("The notifications behind a figure")
struct NotificationListTests {
    @Test(
        "as many as engagement, actions and opt-outs count",
        arguments: [RandomEvents.Focus.everything, .notifications]
    )
    func asManyAsAreCounted(focus: RandomEvents.Focus) async throws {
        let decoder = EventDecoder()
        let cases = try (0..<16).map { try LawCase(seed: 20_261_121 + $0, focus: focus, decoder: decoder) }
        try await LawStore.withStore { store in
            try await store.connection.query(
                "INSERT INTO notilog.app (name) SELECT 'app' || n FROM generate_series(1, $1::int8) AS n ORDER BY n",
                [.int8(Int64(cases.count))]
            )
            try await store.append(
                cases.enumerated().map {
                    (app: AppID(rawValue: Int32($0.offset + 1)), events: $0.element.events.map(\.stored))
                }
            )
            try await store.apply(limit: 100_000)
            let pool = Pool(store.database.configuration, limit: 1)
            let runner = ReportRunner(catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()), pool: pool)
            var figures = 0
            for (index, one) in cases.enumerated() {
                let behind = Behind(runner: runner, app: "app\(index + 1)")
                var random = LawRandom(seed: one.seed)
                figures += try await behind.check(&random)
            }
            // Whatever the seeds, there was something to count.
            #expect(figures > 50)
            await pool.shutDown()
        }
    }

    /// One app's figures against its lists.
    private struct Behind {
        let runner: ReportRunner
        let app: String

        private static let states = [
            "requested", "failed", "reached", "reached_seen", "reached_assumed", "immature", "delivered",
            "delivered_seen", "presented", "presented_seen", "suppressed", "silent", "responded", "opened", "acted",
            "replied", "app_opened", "dismissed", "withdrawn", "response_only", "dismiss_observable",
            "delivery_observable",
        ]
        private static let settings = [
            "opt_outs": "authorization_status", "softer": "softer", "alert": "alert", "sound": "sound",
        ]

        /// - Returns: how many figures were not 0.
        func check(_ random: inout LawRandom) async throws -> Int {
            let engagement = try runner.catalogue.report("engagement")
            var question = ModelQuestion.random(engagement, &random)
            (question.by, question.interval, question.per) = (["category"], "none", "reached")
            // A row of many keys has no list of its own.
            question.limit = 1000
            if random.chance(60) {
                (question.from, question.to) = (question.from - 40 * 86_400_000_000, question.to + 40 * 86_400_000_000)
                question.filters = [:]
            }
            var figures = 0
            for row in try await records("engagement", question) {
                let category = row["category"]?.name ?? ""
                for state in Self.states where random.chance(60) {
                    guard case .integer(let counted)? = row[state] else { continue }
                    let listed = try await list(question, ["state": state, "category": category], &random)
                    #expect(listed.count == Int(counted), "\(state) of \(category): \(question)")
                    figures += listed.isEmpty ? 0 : 1
                }
            }
            for row in try await records("actions", question) {
                guard case .integer(let counted)? = row["notifications"], let action = row["action"]?.name else {
                    continue
                }
                let asked = ["action": action, "category": row["category"]?.name ?? ""]
                #expect(try await list(question, asked, &random).count == Int(counted), "\(asked): \(question)")
                figures += counted == 0 ? 0 : 1
                guard case .integer(let alone)? = row["response_only"] else { continue }
                let apart = asked.merging(["state": "response_only"]) { $1 }
                #expect(try await list(question, apart, &random).count == Int(alone), "\(apart): \(question)")
            }
            for row in try await records("opt_outs", question) where row["attributed"] == .bool(true) {
                for (column, setting) in Self.settings {
                    guard case .double(let counted)? = row[column] else { continue }
                    let asked = ["turned_off": setting, "category": row["category"]?.name ?? ""]
                    let shares = try await list(question, asked, &random).map { record -> Double in
                        if case .double(let share)? = record["opt_out_share"] { share } else { .nan }
                    }
                    #expect(abs(shares.reduce(0, +) - counted) < 1e-9, "\(asked): \(question)")
                    figures += counted == 0 ? 0 : 1
                }
            }
            return figures
        }

        private func records(_ name: String, _ question: ModelQuestion) async throws -> [[String: ReportValue]] {
            let definition = try runner.catalogue.report(name)
            return try await run(question.pairs(for: definition), definition, question).records
        }

        /// Every row of a list, asked as the question was, over pages of some length.
        private func list(
            _ question: ModelQuestion,
            _ asked: [String: String],
            _ random: inout LawRandom
        ) async throws -> [[String: ReportValue]] {
            let definition = try #require(runner.catalogue.listings.first)
            let taken = Set(asked.keys).union(["tz", "interval"])
            var pairs = question.pairs(for: definition).filter { !taken.contains($0.name) || $0.name == "tz" }
            // A row of a report that is filtered is of what the filter lets through.
            pairs +=
                asked.map { (name: $0.key, value: $0.value) } + [
                    (name: "limit", value: "\(random.one(of: [1, 2, 5, 1000]))")
                ]
            var rows: [[String: ReportValue]] = []
            var cursor: String?
            repeat {
                let page = try await run(
                    pairs + (cursor.map { [(name: "cursor", value: $0)] } ?? []),
                    definition,
                    question
                )
                rows += page.records
                cursor = page.nextCursor
            } while cursor != nil && rows.count < 10_000
            let times = rows.map { row -> Int64 in if case .time(let time)? = row["cohort_at"] { time } else { .max } }
            #expect(times == times.sorted(by: >), "newest first")
            let ids = rows.map { row in ["device_id", "notification_id", "occurrence"].map { "\(row[$0] ?? .null)" } }
            #expect(Set(ids).count == ids.count, "each once")
            return rows
        }

        private func run(
            _ pairs: [(name: String, value: String)],
            _ definition: ReportDefinition,
            _ question: ModelQuestion
        ) async throws -> ReportResult {
            let known = pairs.filter { pair in definition.acceptedNames.contains(pair.name) }
            let parameters = try ReportParameters(known, for: definition)
            return try await runner.run(parameters, app: app, asOf: Timestamp(microseconds: question.asOf))
        }
    }
}

extension ReportValue {
    fileprivate var name: String? {
        if case .text(let text) = self { text } else { nil }
    }
}
