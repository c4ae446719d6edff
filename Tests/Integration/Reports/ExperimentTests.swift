import Reports
import Testing

/// Variants and versions, compared by `experiment` and `instrumentation`, against the delta method and statsmodels.
@Suite struct ExperimentTests {
    /// Notifications of the units of an experiment, shown so long before, and a response to each that engaged.
    private func events(
        _ experiment: StatisticsFixture.Experiment,
        _ shown: (StatisticsFixture.Experiment.Unit) -> (Int64, [String: Any])?
    ) -> [[String: Any]] {
        var events: [[String: Any]] = []
        for (index, unit) in experiment.units.enumerated() {
            guard let (before, data) = shown(unit) else { continue }
            for number in 0..<unit.notifications {
                let time = before + Int64(index * 10 + number)
                let key: [String: Any] = ["device": unit.device, "nid": "\(unit.variant)\(number)"]
                let delivery: [String: Any] = ["kind": "delivery", "at": ReportsDatabase.time(time), "data": data]
                events.append(key.merging(delivery) { $1 })
                guard number < unit.engaged else { continue }
                let response: [String: Any] = [
                    "kind": "action_response", "at": ReportsDatabase.time(time - 60), "data": ["action_id": "default"],
                ]
                events.append(key.merging(response) { $1 })
            }
        }
        return events
    }

    /// The standard error of which an interval was made.
    private func standardError(_ low: Double?, _ high: Double?) -> Double? {
        guard let low, let high else { return nil }
        return (high - low) / 2 / 1.959963984540054
    }

    private func run(_ experiment: StatisticsFixture.Experiment) async throws -> [String: [String: ReportValue]] {
        try await ReportsDatabase.with { database in
            try await database.append(
                events(experiment) { unit in
                    let data: [String: Any] = ["source": "will_present", "campaign_id": "c", "variant": unit.variant]
                    return (400_000, data)
                }
            )
            try await database.apply()
            let split = experiment.split.map { "\($0.key):\($0.value)" }.joined(separator: ",")
            let rows = try await database.run("experiment", ["split": split]).records
            return Dictionary(
                uniqueKeysWithValues: rows.map { row in
                    if case .text(let variant)? = row["variant"] { (variant, row) } else { ("", row) }
                }
            )
        }
    }

    private func compare(_ experiment: StatisticsFixture.Experiment, tolerance: Double) async throws
        -> [String: [String: ReportValue]]
    {
        let rows = try await run(experiment)
        #expect(Set(rows.keys) == Set(experiment.rows.keys))
        for (variant, expected) in experiment.rows {
            let row = try #require(rows[variant])
            #expect(row.counts("devices") == [expected.devices])
            #expect(areNear(row.number("rate"), expected.rate) && areNear(row.number("rate_low"), expected.rateLow))
            #expect(areNear(row.number("difference"), expected.difference))
            let error = standardError(row.number("difference_low"), row.number("difference_high"))
            #expect(areNear(error, expected.error, tolerance), "\(variant)")
            #expect(areNear(row.number("p_value"), expected.pValue, tolerance * 10), "\(variant)")
            #expect(areNear(row.number("p_holm"), expected.pHolm, tolerance * 10), "\(variant)")
        }
        return rows
    }

    @Test func differencesAreThoseOfTheDeltaMethod() async throws {
        for experiment in try StatisticsFixture.read().experiments {
            let rows = try await compare(experiment, tolerance: 1e-7)
            #expect(rows.values.allSatisfy { areNear($0.number("sample_ratio_p"), experiment.sampleRatioP) })
        }
    }

    /// Half of the devices got both variants; statsmodels clusters by device, without a correction for small samples.
    @Test func devicesThatGotSeveralVariantsCountWithTheirCovariance() async throws {
        let experiment = try StatisticsFixture.read().crossed
        let rows = try await compare(experiment, tolerance: 0.01)
        #expect(rows["a"]?.counts("crossed_devices") == [252] && rows["a"]?["sample_ratio_p"] == .null)
    }

    /// The variant is a version of the app, the control the one before it.
    private func versions(_ experiment: StatisticsFixture.Experiment) async throws -> [String: ReportValue] {
        try await ReportsDatabase.with { database in
            try await database.append(
                events(experiment) { unit in
                    let times: [String: Int64] = ["a": 400_000, "control": 1_600_000]
                    guard let time = times[unit.variant] else { return nil }
                    let data: [String: Any] = ["source": "will_present", "context": ["app_version": unit.variant]]
                    return (time, data)
                }
            )
            try await database.apply()
            return try await database.run("instrumentation", [:]).row(["app_version": "a"])
        }
    }

    @Test("a version's difference to the one before is that of statsmodels, devices on both included")
    func versionsDifferByDevice() async throws {
        let fixture = try StatisticsFixture.read()
        for (experiment, tolerance) in fixture.experiments.map({ ($0, 1e-7) }) + [(fixture.crossed, 0.01)] {
            let row = try await versions(experiment)
            let (expected, control) = (experiment.rows["a"], experiment.rows["control"])
            #expect(areNear(row.number("engagement_rate"), expected?.rate))
            #expect(areNear(row.number("engagement_rate_before"), control?.rate))
            #expect(areNear(row.number("engagement_rate_difference"), expected?.difference))
            let error = standardError(row.number("engagement_rate_low"), row.number("engagement_rate_high"))
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
                        "at": ReportsDatabase.time(400_000 - Int64(number)),
                        "data": ["source": "will_present", "campaign_id": "c", "variant": variant],
                    ]
                }
            )
            try await database.apply()
            let rows = try await database.run("experiment", ["split": "a:1,b:1"]).records
            #expect(
                rows.map { $0.counts("devices", "assigned_devices", "crossed_devices") } == [
                    [10, 10, 2], [12, 10, 2],
                ]
            )
            #expect(rows.map { $0.number("expected_devices") } == [10, 10])
            #expect(rows.map { $0.number("sample_ratio_p") } == [1, 1])
        }
    }

    @Test("a filter of variants leaves out what else the split names, whose devices are not counted")
    func aFilterOfVariantsHoldsForTheSplit() async throws {
        try await ReportsDatabase.with { database in
            try await database.append(
                (0..<20).map { number in
                    let variant = number % 2 == 0 ? "a" : "b"
                    return [
                        "kind": "delivery", "device": "d\(number)", "nid": "n",
                        "at": ReportsDatabase.time(400_000 - Int64(number)),
                        "data": ["source": "will_present", "campaign_id": "c", "variant": variant],
                    ]
                }
            )
            try await database.apply()
            let one = try await database.run("experiment", ["split": "a:1,b:1", "variant": "a"]).records
            #expect(one.map { $0["variant"] } == [.text("a")])
            #expect(one.map { $0.number("expected_devices") } == [10])
            #expect(one.map { $0["sample_ratio_p"] } == [.null])
            let two = try await database.run(
                "experiment",
                ["split": "a:1,b:1,c:2", "variant": "a", "variant": "b"]
            ).records
            #expect(two.map { $0["variant"] } == [.text("a"), .text("b")])
            #expect(two.map { $0.number("expected_devices") } == [10, 10])
            #expect(two.map { $0.number("sample_ratio_p") } == [1, 1])
            let none = try await database.run(
                "experiment",
                ["split": "c:1", "variant": "a", "variant": "b"]
            ).records
            #expect(none.map { $0["expected_devices"] } == [.null, .null])
            #expect(none.map { $0["sample_ratio_p"] } == [.null, .null])
        }
    }
}
