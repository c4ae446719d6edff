import Reports

/// A report that has a model, and what may be asked of both.
enum ModelReport: String, CaseIterable, Sendable {
    case funnel, heatmap, experiment
    case responseTimes = "response_times"

    private static let minute: Int64 = 60_000_000
    private static let dimensions =
        [
            "category", "requested_category", "trigger", "interruption_level", "campaign", "platform", "os_version",
            "app_version", "locale", "authorization_status", "alert_style", "sound_setting", "badge_setting",
        ] + LawOwnDimensions.names
    private static let filters: [(String, [String?])] = [
        ("category", ["news", "chat", nil]), ("campaign", ["c1", nil]), ("app_version", ["1", "2", nil]),
        ("variant", ["a", "b"]), ("trigger", ["push"]), ("authorization_status", ["denied", "unknown", "authorized"]),
        ("attribute.tier", ["gold", "7", nil]),
        ("alert_style", ["banner", "unknown"]), ("scheduled_delivery", ["unknown", "enabled"]),
    ]

    /// A question at random: ranges that cut through the events, and times at which some of them are still to come.
    func query(using random: inout LawRandom) -> ModelQuery {
        let start = RandomEvents.start
        let from = start + random.one(of: [-1440, 0, 5, 15, 1440]) * Self.minute
        var query = ModelQuery(
            report: rawValue,
            from: from,
            to: from + random.one(of: [1, 1440, 6000, 60_000, 60_000]) * Self.minute,
            asOf: start + random.one(of: [200, 1500, 4320, 7200, 60_000]) * Self.minute,
            window: random.one(of: [1, 5, 60, 1440, 4320, 10_080]) * Self.minute
        )
        query.limit = random.one(of: [1000, 1000, 1, 2, 3])
        query.isMature = random.chance(25)
        if random.chance(35) {
            let (name, values) = random.one(of: Self.filters)
            query.filters[name] = random.some(of: values, percent: 60) + [values[0]]
        }
        switch self {
        case .funnel: break
        case .heatmap:
            query.others["clock"] = random.one(of: ["device", "device", "tz"])
            query.others["tz"] = random.one(of: ["UTC", "Asia/Kathmandu", "America/New_York"])
        case .experiment:
            query.by = random.some(of: Self.dimensions.shuffled(using: &random), percent: 12).prefix(2).map { $0 }
            if random.chance(60) { query.by = ["category", "campaign"] }
            query.others["metric"] = random.one(of: [
                "engagement_rate", "engagement_rate", "open_rate", "action_rate", "reply_rate", "app_open_rate",
            ])
            query.others["control"] = random.one(of: ["a", "a", "b", "control"])
            query.others["split"] = random.one(of: ["equal", "a:1,b:1", "a:2,b:1,c:1", "b:0.5"])
        case .responseTimes:
            query.by = random.some(of: (Self.dimensions + ["variant"]).shuffled(using: &random), percent: 12)
                .prefix(2).map { $0 }
        }
        return query
    }

    /// What the model says.
    func rows(_ query: ModelQuery, _ model: LawModel, bounds: [Int64]) -> [[String: ReportValue]] {
        let notifications = model.notifications
        switch self {
        case .funnel: return FunnelModel(query: query).rows(notifications)
        case .heatmap: return HeatmapModel(query: query).rows(notifications)
        case .experiment: return ExperimentModel(query: query).rows(notifications)
        case .responseTimes:
            let hasSweeps = notifications.contains { $0.goneAt != nil }
            return ResponseTimesModel(query: query, hasSweeps: hasSweeps, bounds: LawOutcome.bounds(bounds)).rows(
                notifications
            )
        }
    }
}
