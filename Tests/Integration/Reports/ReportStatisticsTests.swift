import Foundation
import Postgres
import Reports
import Testing

/// The reports' statistics against those of scipy, statsmodels and lifelines, which `Fixtures/statistics/statistics.py` wrote down.
@Suite struct ReportStatisticsTests {
    private struct Fixture: Decodable {
        struct Incidence: Decodable {
            struct Follow: Decodable {
                let time: Int64
                let outcome: String?

                init(from decoder: any Decoder) throws {
                    var values = try decoder.unkeyedContainer()
                    time = try values.decode(Int64.self)
                    outcome = try values.decode(String?.self)
                }
            }
            struct Point: Decodable {
                let outcome: String
                let until: Double
                let values: [Double?]

                init(from decoder: any Decoder) throws {
                    var list = try decoder.unkeyedContainer()
                    outcome = try list.decode(String.self)
                    until = try list.decode(Double.self)
                    values = try (0..<3).map { _ in try list.decode(Double?.self) }
                }
            }
            let sample: [Follow]
            let incidence: [Point]
        }
        struct Experiment: Decodable {
            struct Unit: Decodable {
                let device: String
                let variant: String
                let notifications: Int
                let engaged: Int

                init(from decoder: any Decoder) throws {
                    var values = try decoder.unkeyedContainer()
                    device = try values.decode(String.self)
                    variant = try values.decode(String.self)
                    notifications = try values.decode(Int.self)
                    engaged = try values.decode(Int.self)
                }
            }
            struct Row: Decodable {
                let devices: Int64
                let rate: Double
                let rateLow: Double
                let difference: Double?
                let error: Double?
                let pValue: Double?
                let pHolm: Double?
            }
            let units: [Unit]
            let split: [String: Int]
            let rows: [String: Row]
            let sampleRatioP: Double
        }
        let chiSquareTail: [[Double]]
        let wilson: [[Double]]
        let differences: [[Double?]]
        let incidence: Incidence
        let experiments: [Experiment]
        let crossed: Experiment
    }

    private static let asOf = "2026-03-20T00:00:00Z"
    private static let asOfSeconds: Int64 = 1_773_964_800

    private func fixture(file: String = #filePath) throws -> Fixture {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("Fixtures/statistics/statistics.json"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Fixture.self, from: data)
    }

    private func areNear(_ found: Double?, _ expected: Double?, _ tolerance: Double = 1e-7) -> Bool {
        guard let found, let expected else { return found == nil && expected == nil }
        return abs(found - expected) <= 1e-9 + tolerance * abs(expected)
    }

    private func time(_ secondsBefore: Int64) -> String {
        Date(timeIntervalSince1970: Double(Self.asOfSeconds - secondsBefore)).ISO8601Format()
    }

    @Test func distributionsAreThoseOfScipy() async throws {
        let fixture = try fixture()
        try await ReportsDatabase.with { database in
            for row in fixture.chiSquareTail {
                let found: Double = try await database.connection.query(
                    "SELECT reporting.chi_square_tail($1, $2)",
                    [.float8(row[0]), .int4(Int32(row[1]))]
                ).only().get(0)
                #expect(abs(found - row[2]) <= 1e-12 + 1e-11 * row[2], "\(row)")
            }
            for row in fixture.wilson {
                let found = try await database.connection.query(
                    "SELECT low, high FROM reporting.wilson($1, $2)",
                    [.int8(Int64(row[0])), .int8(Int64(row[1]))]
                ).only()
                #expect(try areNear(found.get(0), row[2]) && areNear(found.get(1), row[3]), "\(row)")
            }
        }
    }

    @Test func differencesAreThoseOfStatsmodels() async throws {
        let fixture = try fixture()
        try await ReportsDatabase.with { database in
            for row in fixture.differences {
                let found = try await database.connection.query(
                    """
                    SELECT low, high, reporting.pooled_p($1, $2, $3, $4)
                    FROM reporting.newcombe($1 / $2::float8, $2, $3 / $4::float8, $4)
                    """,
                    row.prefix(4).map { .int8(Int64($0 ?? 0)) }
                ).only()
                for (column, expected) in row.dropFirst(4).enumerated() {
                    #expect(try areNear(found.get(column), expected), "\(row)")
                }
            }
        }
    }

    /// What makes an outcome happen.
    private static var endings: [String: (kind: String, data: [String: Any])] {
        [
            "opened": ("action_response", ["action_id": "default"]), "acted": ("action_response", ["action_id": "x"]),
            "replied": ("action_response", ["action_id": "y", "text_length": 3]), "dismissed": ("dismissal", [:]),
            "withdrawn": ("removal", ["state": "delivered", "reason": "removed_by_app"]),
            "gone": ("removal", ["state": "delivered", "reason": "gone"]),
        ]
    }

    @Test func incidenceIsThatOfLifelines() async throws {
        let fixture = try fixture().incidence
        try await ReportsDatabase.with { database in
            var events: [[String: Any]] = [
                [
                    "kind": "category_registration", "device": "z", "at": time(15 * 86_400),
                    "data": [
                        "context": ["app_version": "1"],
                        "categories": [["id": "c", "options": ["custom_dismiss_action"], "actions": [Any]()]],
                    ] as [String: Any],
                ]
            ]
            for (index, one) in fixture.sample.enumerated() {
                // Shown so long ago that it is censored or ends right now, unless it was followed for all of the window: so no
                // time is that of a latency bucket.
                let shown = one.time < 259_200 ? one.time : 300_000 + Int64(index)
                let key: [String: Any] = ["device": "d\(index)", "nid": "n"]
                events.append(
                    key.merging([
                        "kind": "delivery", "at": time(shown), "data": ["source": "will_present", "category_id": "c"],
                    ]) { $1 }
                )
                guard let ending = one.outcome.flatMap({ Self.endings[$0] }) else { continue }
                events.append(
                    key.merging(["kind": ending.kind, "at": time(shown - one.time), "data": ending.data]) { $1 }
                )
            }
            try await database.append(events)
            try await database.apply()
            let result = try await database.run("response_times", [:], asOf: Self.asOf)
            #expect(result.rows.count == fixture.incidence.count)
            for point in fixture.incidence {
                let row = try #require(
                    result.records.first {
                        $0["outcome"] == .text(point.outcome) && $0["until"] == .double(point.until)
                    }
                )
                let found = ["incidence", "incidence_low", "incidence_high"].map(row.number)
                #expect(
                    zip(found, point.values).allSatisfy { areNear($0, $1) },
                    "\(point.outcome) \(point.until): \(found), not \(point.values)"
                )
            }
        }
    }

    /// Sums of fractions that ought to be 1 are beside it by a rounding, either way, for some sizes of a group.
    @Test("where all come to one outcome its incidence is 1, without bounds; and once told of, it stays told of")
    func everybodyComesToOneOutcome() async throws {
        try await ReportsDatabase.with { database in
            for size in [1, 2, 5, 10, 23, 46, 93] {
                try await database.append(
                    (1...size).flatMap { number -> [[String: Any]] in
                        let key: [String: Any] = ["device": "d\(number)", "nid": "\(size)"]
                        return [
                            [
                                "kind": "delivery", "at": time(400_000),
                                "data": ["source": "will_present", "category_id": "of \(size)"],
                            ],
                            [
                                "kind": "action_response", "at": time(400_000 - Int64(number)),
                                "data": ["action_id": "default"],
                            ],
                        ].map { key.merging($0) { $1 } }
                    }
                )
            }
            // Of a category that nobody registered: whether iOS tells of dismissals is not known until one comes.
            try await database.append(
                (1...4).flatMap { number -> [[String: Any]] in
                    let key: [String: Any] = ["device": "d\(number)", "nid": "dismissed"]
                    let shown: [String: Any] = [
                        "kind": "delivery", "at": time(400_000),
                        "data": ["source": "will_present", "category_id": "loose"],
                    ]
                    let dismissed: [String: Any] = ["kind": "dismissal", "at": time(400_000 - 120)]
                    return (number == 1 ? [shown, dismissed] : [shown]).map { key.merging($0) { $1 } }
                }
            )
            try await database.apply()
            let result = try await database.run("response_times", [:], asOf: Self.asOf)
            for size in [1, 2, 5, 10, 23, 46, 93] {
                let opened = result.records.filter {
                    $0["category"] == .text("of \(size)") && $0["outcome"] == .text("opened")
                }
                #expect(opened.last?.number("incidence") == 1, "\(size)")
                #expect(opened.allSatisfy { ($0.number("incidence") ?? 2) <= 1 }, "\(size)")
                #expect(opened.last?["incidence_low"] == .null && opened.last?["incidence_high"] == .null, "\(size)")
            }
            let loose = result.records.filter {
                $0["category"] == .text("loose") && $0["outcome"] == .text("dismissed")
            }
            #expect(loose.map { $0.number("incidence") } == [0, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25])
        }
    }

    private func run(_ experiment: Fixture.Experiment) async throws -> [String: [String: ReportValue]] {
        try await ReportsDatabase.with { database in
            var events: [[String: Any]] = []
            for (index, unit) in experiment.units.enumerated() {
                for number in 0..<unit.notifications {
                    let shown = 400_000 + Int64(index * 10 + number)
                    let key: [String: Any] = ["device": unit.device, "nid": "\(unit.variant)\(number)"]
                    let data = ["source": "will_present", "campaign_id": "c", "variant": unit.variant]
                    events.append(key.merging(["kind": "delivery", "at": time(shown), "data": data]) { $1 })
                    guard number < unit.engaged else { continue }
                    events.append(
                        key.merging([
                            "kind": "action_response", "at": time(shown - 60), "data": ["action_id": "default"],
                        ]) { $1 }
                    )
                }
            }
            try await database.append(events)
            try await database.apply()
            let split = experiment.split.map { "\($0.key):\($0.value)" }.joined(separator: ",")
            let rows = try await database.run("experiment", ["split": split], asOf: Self.asOf).records
            return Dictionary(
                uniqueKeysWithValues: rows.map { row in
                    if case .text(let variant)? = row["variant"] { (variant, row) } else { ("", row) }
                }
            )
        }
    }

    private func compare(_ experiment: Fixture.Experiment, tolerance: Double) async throws
        -> [String: [String: ReportValue]]
    {
        let rows = try await run(experiment)
        #expect(Set(rows.keys) == Set(experiment.rows.keys))
        for (variant, expected) in experiment.rows {
            let row = try #require(rows[variant])
            #expect(row.counts("devices") == [expected.devices])
            #expect(areNear(row.number("rate"), expected.rate) && areNear(row.number("rate_low"), expected.rateLow))
            #expect(areNear(row.number("difference"), expected.difference))
            let low = row.number("difference_low")
            let error = row.number("difference_high").flatMap { high in
                low.map { (high - $0) / 2 / 1.959963984540054 }
            }
            #expect(areNear(error, expected.error, tolerance), "\(variant)")
            #expect(areNear(row.number("p_value"), expected.pValue, tolerance * 10), "\(variant)")
            #expect(areNear(row.number("p_holm"), expected.pHolm, tolerance * 10), "\(variant)")
        }
        return rows
    }

    @Test func differencesAreThoseOfTheDeltaMethod() async throws {
        for experiment in try fixture().experiments {
            let rows = try await compare(experiment, tolerance: 1e-7)
            #expect(rows.values.allSatisfy { areNear($0.number("sample_ratio_p"), experiment.sampleRatioP) })
        }
    }

    /// Half of the devices got both variants; statsmodels clusters by device, without a correction for small samples.
    @Test func devicesThatGotSeveralVariantsCountWithTheirCovariance() async throws {
        let experiment = try fixture().crossed
        let rows = try await compare(experiment, tolerance: 0.01)
        #expect(rows["a"]?.counts("crossed_devices") == [252] && rows["a"]?["sample_ratio_p"] == .null)
    }

    /// The variant is a version of the app, the control the one before it.
    private func versions(_ experiment: Fixture.Experiment) async throws -> [String: ReportValue] {
        try await ReportsDatabase.with { database in
            var events: [[String: Any]] = []
            for (index, unit) in experiment.units.enumerated() where ["control", "a"].contains(unit.variant) {
                for number in 0..<unit.notifications {
                    let shown = (unit.variant == "a" ? 400_000 : 1_600_000) + Int64(index * 10 + number)
                    let key: [String: Any] = ["device": unit.device, "nid": "\(unit.variant)\(number)"]
                    let data: [String: Any] = ["source": "will_present", "context": ["app_version": unit.variant]]
                    events.append(key.merging(["kind": "delivery", "at": time(shown), "data": data]) { $1 })
                    guard number < unit.engaged else { continue }
                    events.append(
                        key.merging([
                            "kind": "action_response", "at": time(shown - 60), "data": ["action_id": "default"],
                        ]) { $1 }
                    )
                }
            }
            try await database.append(events)
            try await database.apply()
            return try await database.run("instrumentation", [:], asOf: Self.asOf).row(["app_version": "a"])
        }
    }

    @Test("a version's difference to the one before is that of statsmodels, devices on both included")
    func versionsDifferByDevice() async throws {
        let fixture = try fixture()
        for (experiment, tolerance) in fixture.experiments.map({ ($0, 1e-7) }) + [(fixture.crossed, 0.01)] {
            let row = try await versions(experiment)
            let (expected, control) = (experiment.rows["a"], experiment.rows["control"])
            #expect(areNear(row.number("engagement_rate"), expected?.rate))
            #expect(areNear(row.number("engagement_rate_before"), control?.rate))
            #expect(areNear(row.number("engagement_rate_difference"), expected?.difference))
            let error = row.number("engagement_rate_high").flatMap { high in
                row.number("engagement_rate_low").map { (high - $0) / 2 / 1.959963984540054 }
            }
            #expect(areNear(error, expected?.error, tolerance))
            // Nothing else differs, so that it alone is tested.
            #expect(areNear(row.number("engagement_rate_p_holm"), expected?.pValue, tolerance * 10))
        }
    }

    /// Twenty devices, ten to each variant, of which two got the other one later.
    @Test func theSharingOutTakesEachDeviceOnceUnderItsFirstVariant() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(
                (0..<22).map { number in
                    let (device, variant) =
                        number < 20 ? (number, number % 2 == 0 ? "a" : "b") : ((number - 20) * 2, "b")
                    return [
                        "kind": "delivery", "device": "d\(device)", "nid": "n\(number)",
                        "at": time(400_000 - Int64(number)),
                        "data": ["source": "will_present", "campaign_id": "c", "variant": variant],
                    ]
                }
            )
            try await database.apply()
            let rows = try await database.run("experiment", ["split": "a:1,b:1"], asOf: Self.asOf).records
            #expect(
                rows.map { $0.counts("devices", "assigned_devices", "crossed_devices") } == [
                    [10, 10, 2], [12, 10, 2],
                ]
            )
            #expect(rows.map { $0.number("expected_devices") } == [10, 10])
            #expect(rows.map { $0.number("sample_ratio_p") } == [1, 1])
        }
    }
}
