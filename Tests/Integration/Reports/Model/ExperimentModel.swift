import Reports

/// `experiment`: residuals added up device by device.
struct ExperimentModel {
    let query: ModelQuery

    private struct Device {
        var notifications = 0.0
        var engaged = 0.0
    }

    /// A variant: what it did on each device.
    private struct Arm {
        let name: String
        var devices: [String: Device] = [:]
        var immature = 0
        /// Those whose first variant of the group it is.
        var assigned: Set<String> = []

        var sample: [String: Device] { devices.filter { $0.value.notifications > 0 } }
        var reached: Double { devices.values.map(\.notifications).reduce(0, +) }
        var engaged: Double { devices.values.map(\.engaged).reduce(0, +) }
        var rate: Double? { reached > 0 ? engaged / reached : nil }

        /// What a device lies above or below what the rate would have it.
        func residual(_ device: String) -> Double {
            guard let rate, let found = sample[device] else { return 0 }
            return (found.engaged - rate * found.notifications) / reached
        }

        /// With as many trials as devices.
        var score: (low: Double, high: Double) { ModelStatistics.score(rate ?? 0, Double(sample.count)) }

        /// Of the rate, with the device as the unit; the score interval where that would have no width.
        var interval: (low: Double, high: Double)? {
            guard let rate, let variance else { return nil }
            let half = ModelStatistics.z * variance.squareRoot()
            return variance > 1e-24 ? (max(0, rate - half), min(1, rate + half)) : score
        }

        /// n ÷ (n − 1), for a variance from a sample.
        var correction: Double? { sample.count > 1 ? Double(sample.count) / Double(sample.count - 1) : nil }
        var variance: Double? {
            correction.map { $0 * devices.keys.map { residual($0) * residual($0) }.reduce(0, +) }
        }
    }

    private func counts(_ one: LawNotification) -> Bool {
        guard one.reached, query.isEngaged(one) else { return false }
        return switch query.others["metric"] {
        case "open_rate": one.opened
        case "action_rate": one.acted
        case "reply_rate": one.replied
        case "app_open_rate": one.appOpened
        default: true
        }
    }

    private func arms(_ members: [LawNotification]) -> [Arm] {
        var arms: [String: Arm] = [:]
        for one in members {
            guard let variant = one.variant, !one.responseOnly else { continue }
            var arm = arms[variant] ?? Arm(name: variant)
            var device = arm.devices[one.device] ?? Device()
            device.notifications += one.reached ? 1 : 0
            device.engaged += counts(one) ? 1 : 0
            arm.immature += one.reached && query.isImmature(one) ? 1 : 0
            arm.devices[one.device] = device
            arms[variant] = arm
        }
        let inOrder = members.filter { $0.variant != nil && !$0.responseOnly }
            .sorted { ($0.cohortAt ?? 0, $0.variant ?? "") < ($1.cohortAt ?? 0, $1.variant ?? "") }
        for (device, own) in Dictionary(grouping: inOrder, by: \.device) {
            if let first = own.first?.variant { arms[first]?.assigned.insert(device) }
        }
        return Array(arms.values)
    }

    private var weights: [String: Double]? {
        guard let split = query.others["split"], split != "equal" else { return nil }
        return Dictionary(
            uniqueKeysWithValues: split.split(separator: ",").map { part in
                let pair = part.split(separator: ":")
                return (String(pair[0]), Double(pair[1]) ?? 0)
            }
        )
    }

    func rows(_ notifications: [LawNotification]) -> [ModelRow] {
        let control = query.others["control"] ?? "control"
        let groups = query.groups(of: notifications).compactMap { key, members -> Group? in
            var arms = arms(members)
            guard !arms.isEmpty else { return nil }
            let planned = (weights ?? [:]).keys.filter { query.filters["variant"]?.contains($0) != false }
            for name in planned where !arms.contains(where: { $0.name == name }) {
                arms.append(Arm(name: name))
            }
            arms.sort { ($0.name != control ? 1 : 0, $0.name) < ($1.name != control ? 1 : 0, $1.name) }
            let size = query.isByOwn ? members.count(where: \.requested) : arms.map(\.devices.count).reduce(0, +)
            return Group(key: key, arms: arms, size: size)
        }
        let counts = kept(groups, control)
        var beyond: [Arm] = []
        var all = zip(groups, counts).flatMap { group, names -> [ModelRow] in
            beyond += group.arms.filter { !names.contains($0.name) }
            return rows(group.arms, control: group.arms.first { $0.name == control }, names).map { row in
                var row = row
                for (index, name) in query.by.enumerated() { row[name] = .label(group.key[index]) }
                row["other"] = .bool(false)
                return row
            }
        }
        if !beyond.isEmpty { all.append(other(beyond)) }
        return all
    }

    /// The variants of a group.
    private struct Group {
        let key: [String?]
        let arms: [Arm]
        /// Its devices; of the app's own dimensions the notifications requested.
        let size: Int
    }

    /// Which variants of each group have rows: the largest groups first, of a group the control, what `split` names, and those
    /// with the most devices.
    private func kept(_ groups: [Group], _ control: String) -> [Set<String>] {
        let bySize = groups.indices.sorted { left, right in
            let sizes = [left, right].map { groups[$0].size }
            return sizes[0] != sizes[1] ? sizes[0] > sizes[1] : left < right
        }
        var kept = groups.map { _ in Set<String>() }
        var room = query.limit
        for index in bySize {
            func order(_ arm: Arm) -> (Int, Int, Int, String) {
                (arm.name == control ? 0 : 1, weights?[arm.name] != nil ? 0 : 1, -arm.devices.count, arm.name)
            }
            let names = groups[index].arms.sorted { order($0) < order($1) }.prefix(room).map(\.name)
            kept[index] = Set(names)
            room -= names.count
        }
        return kept
    }

    private func other(_ arms: [Arm]) -> ModelRow {
        let (reached, engaged) = (arms.map(\.reached).reduce(0, +), arms.map(\.engaged).reduce(0, +))
        let names = [
            "variant", "devices", "assigned_devices", "expected_devices", "sample_ratio_p", "crossed_devices",
            "reached_devices",
            "rate_low",
            "rate_high", "difference", "difference_low", "difference_high", "relative_difference", "p_value", "p_holm",
        ]
        var row = Dictionary(uniqueKeysWithValues: (names + query.by).map { ($0, ReportValue.null) })
        row["other"] = .bool(true)
        row["reached"] = .whole(Int(reached))
        row["engaged"] = .whole(Int(engaged))
        row["immature"] = .whole(arms.map(\.immature).reduce(0, +))
        row["rate"] = .real(reached > 0 ? engaged / reached : nil)
        return row
    }

    private func rows(_ arms: [Arm], control: Arm?, _ names: Set<String>) -> [ModelRow] {
        let all = Set(arms.flatMap(\.devices.keys))
        let weights = weights ?? Dictionary(uniqueKeysWithValues: arms.map { ($0.name, 1) })
        let shares = arms.map { weights[$0.name] ?? 0 }
        let whole = shares.reduce(0, +)
        let expected: [Double?] = shares.map { whole > 0 ? Double(all.count) * $0 / whole : nil }
        let crossed = arms.map { arm in
            arm.devices.keys.count { device in arms.contains { $0.name != arm.name && $0.devices[device] != nil } }
        }
        let distance = zip(arms, expected).map { arm, expected -> Double in
            guard let expected, expected > 0 else { return arm.assigned.isEmpty ? 0 : .infinity }
            let off = Double(arm.assigned.count) - expected
            return off * off / expected
        }
        let several = all.count { device in arms.count { $0.devices[device] != nil } > 1 }
        let isShared = several * 10 <= all.count
        let ratio =
            isShared && whole > 0
            ? ModelStatistics.chiSquareTail(distance.reduce(0, +), degrees: arms.count - 1) : nil
        let tests: [Comparison?] = arms.map { arm in
            arm.name == control?.name || !names.contains(arm.name) ? nil : control.flatMap(Self.test(arm))
        }
        let tested = tests.indices.filter { tests[$0]?.p != nil }
        let holm = Dictionary(
            uniqueKeysWithValues: zip(tested, ModelStatistics.holm(tested.compactMap { tests[$0]?.p }))
        )
        return arms.indices.filter { names.contains(arms[$0].name) }.map { index in
            let (arm, test) = (arms[index], tests[index])
            var row: ModelRow = ["variant": .text(arm.name), "rate_low": .null, "rate_high": .null]
            row["devices"] = .whole(arm.devices.count)
            row["assigned_devices"] = .whole(arm.assigned.count)
            row["expected_devices"] = .real(expected[index])
            row["sample_ratio_p"] = .real(ratio)
            row["crossed_devices"] = .whole(crossed[index])
            row["reached_devices"] = .whole(arm.sample.count)
            row["reached"] = .whole(Int(arm.reached))
            row["engaged"] = .whole(Int(arm.engaged))
            row["immature"] = .whole(arm.immature)
            row["rate"] = .real(arm.rate)
            if let interval = arm.interval {
                row["rate_low"] = .real(interval.low)
                row["rate_high"] = .real(interval.high)
            }
            row["difference"] = .real(test?.difference)
            row["relative_difference"] = .real(test?.relativeDifference)
            row["difference_low"] = .real(test?.interval?.low)
            row["difference_high"] = .real(test?.interval?.high)
            row["p_value"] = .real(test?.p)
            row["p_holm"] = .real(holm[index])
            return row
        }
    }

    private struct Comparison {
        var difference: Double
        var relativeDifference: Double?
        var error: Double?
        var interval: (low: Double, high: Double)?
        var p: Double? { error.map { ModelStatistics.pValue(difference / $0) } }
    }

    private static func test(_ arm: Arm) -> (Arm) -> Comparison? {
        { control in
            guard let rate = arm.rate, let base = control.rate else { return nil }
            var result = Comparison(difference: rate - base)
            result.relativeDifference = base > 0 ? (rate - base) / base : nil
            if let own = arm.variance, let other = control.variance, let a = arm.correction, let b = control.correction
            {
                let both = arm.sample.keys.map { arm.residual($0) * control.residual($0) }.reduce(0, +)
                let variance = own + other - 2 * both * (a * b).squareRoot()
                result.error = variance > 1e-24 ? variance.squareRoot() : nil
                let (mine, its) = (arm.score, control.score)
                let error = result.error.map { ModelStatistics.z * $0 }
                // Newcombe's (1998, method 10) where the delta method gives no width.
                let down = ((rate - mine.low) * (rate - mine.low) + (its.high - base) * (its.high - base)).squareRoot()
                let up = ((mine.high - rate) * (mine.high - rate) + (base - its.low) * (base - its.low)).squareRoot()
                result.interval = (result.difference - (error ?? down), result.difference + (error ?? up))
            }
            return result
        }
    }
}
