import EventLog
import NotificationEvents
import Postgres

/// Brings cases into a fresh database, each delivery of each case under an app of its own, and compares what comes out.
struct LawTrial {
    let cases: [LawCase]
    /// Decides on batch limits and on when projections start over.
    let seed: UInt64

    /// What is wrong with each case; nil where it obeys the law.
    func verdicts() async throws -> [String?] {
        try await LawStore.withStore { store in
            var random = LawRandom(seed: seed)
            let bounds = try await store.latencyBounds()
            let tokenEvents = random.chance(30) ? random.one(of: [2, 5, 12]) : 10_000
            try await store.set("notilog.token_events", to: tokenEvents)
            let expected = cases.map {
                LawModel($0.events.map(\.sent)).rows(bounds: bounds, tokenEvents: tokenEvents)
            }
            try await store.connection.nameOwnDimensions(apps: cases.count * 8 + 8)
            // Lanes are no part of what the rows say.
            try await store.setLanes(random.one(of: [1, 2, 4]))
            // Half of the trials follow a category's change in slices.
            if random.chance(50) { try await store.set("notilog.slice_rows", to: random.one(of: [150, 1_000])) }
            // And half of them what bears on many notifications of a device.
            if random.chance(50) { try await store.set("notilog.device_rows", to: random.one(of: [0, 1, 3])) }
            if random.chance(50) { try await store.set("notilog.touched_rows", to: random.one(of: [0, 2, 20])) }
            // And half of them keep the snapshots of devices by time.
            if random.chance(50) { try await store.set("notilog.device_events", to: random.one(of: [0, 2, 5])) }
            let steps = cases.flatMap(\.deliveries).map(\.batches.count).max() ?? 0
            // Half of the trials forget everything once in the middle, and go on live from there.
            let rebuilt = random.chance(50) ? Int.random(in: 0..<max(1, steps), using: &random) : nil
            for step in 0..<steps {
                try await store.append(batches(step))
                if step == rebuilt { try await store.forget() }
                try await store.apply(limit: random.one(of: [40, 200, 100_000, 100_000]))
            }
            let live = try await compare(store, expected, "live")
            // And half of them read some events as earlier releases stored them.
            if random.chance(50) { try await store.parseSomeEvents() }
            try await store.forget()
            try await store.apply(limit: random.one(of: [500, 2_000, 100_000]))
            let again = try await compare(store, expected, "rebuilt")
            return zip(live, again).map { $0 ?? $1 }
        }
    }

    private func app(_ index: Int, _ delivery: Int) -> AppID { AppID(rawValue: Int32(index * 8 + delivery + 1)) }

    private func batches(_ step: Int) -> [(app: AppID, events: [NormalisedEvent])] {
        cases.enumerated().flatMap { index, one in
            one.deliveries.enumerated().compactMap { number, delivery in
                guard step < delivery.batches.count else { return nil }
                return (app(index, number), delivery.batches[step].map { one.events[$0].stored })
            }
        }
    }

    private func compare(
        _ store: LawStore,
        _ expected: [[LawTable: [LawRow]]],
        _ phase: String
    ) async throws -> [String?] {
        var verdicts: [String?] = Array(repeating: nil, count: cases.count)
        for table in LawTable.allCases {
            let found = try await store.rows(of: table)
            for (index, one) in cases.enumerated() where verdicts[index] == nil {
                let first = found[app(index, 0)] ?? []
                for (number, delivery) in one.deliveries.enumerated() where verdicts[index] == nil {
                    let rows = found[app(index, number)] ?? []
                    let difference =
                        againstModel(table, rows, expected[index][table])
                        ?? LawComparison.difference(
                            in: table,
                            rows,
                            first,
                            names: (delivery.name, one.deliveries[0].name)
                        )
                    verdicts[index] = difference.map { "\(phase), \(delivery.name): \($0)" }
                }
            }
        }
        return verdicts
    }

    private func againstModel(_ table: LawTable, _ rows: [LawRow], _ expected: [LawRow]?) -> String? {
        guard let expected else { return nil }
        // A schedule is no notification.
        let rows = table == .notification ? rows.filter { $0["occurrence"] != "infinity" } : rows
        return LawComparison.difference(
            in: table,
            rows,
            expected,
            columns: table.columnsOfTheModel,
            names: ("table", "model")
        )
    }
}

extension LawTrial {
    /// The same, but where PostgreSQL refuses the cases together, in halves, down to the case at fault.
    func verdictsOfEach() async throws -> [String?] {
        do {
            return try await verdicts()
        } catch let error as PostgresError {
            guard cases.count > 1 else { return ["\(error)"] }
            let middle = cases.count / 2
            let first = LawTrial(cases: Array(cases[..<middle]), seed: seed)
            let second = LawTrial(cases: Array(cases[middle...]), seed: seed)
            return try await first.verdictsOfEach() + second.verdictsOfEach()
        }
    }
}
