import Reports
import Testing

/// The incidence of outcomes that `response_times` gives, against that of lifelines.
@Suite struct IncidenceTests {
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
        let fixture = try StatisticsFixture.read().incidence
        try await ReportsDatabase.with { database in
            var events: [[String: Any]] = [
                [
                    "kind": "category_registration", "device": "z", "at": ReportsDatabase.time(15 * 86_400),
                    "data": [
                        "context": ["app_version": "1"],
                        "categories": [["id": "c", "options": ["custom_dismiss_action"], "actions": [Any]()]],
                    ] as [String: Any],
                ]
            ]
            for (index, one) in fixture.sample.enumerated() {
                // Shown so long ago that it is censored or ends right now, unless it was followed for all of the window:
                // so no time is that of a latency bucket.
                let shown = one.time < 259_200 ? one.time : 300_000 + Int64(index)
                let key: [String: Any] = ["device": "d\(index)", "nid": "n"]
                events.append(
                    key.merging([
                        "kind": "delivery", "at": ReportsDatabase.time(shown),
                        "data": ["source": "will_present", "category_id": "c"],
                    ]) { $1 }
                )
                guard let ending = one.outcome.flatMap({ Self.endings[$0] }) else { continue }
                events.append(
                    key.merging([
                        "kind": ending.kind, "at": ReportsDatabase.time(shown - one.time), "data": ending.data,
                    ]) { $1 }
                )
            }
            try await database.append(events)
            try await database.apply()
            let result = try await database.run("response_times", [:])
            #expect(result.rows.count == fixture.incidence.count)
            for point in fixture.incidence {
                let row = try #require(
                    result.records.first {
                        $0["outcome"] == .text(point.outcome) && $0["until"] == .double(point.until)
                    }
                )
                let found = ["incidence", "incidence_low", "incidence_high"].map(row.number)
                // Lifelines gives no bounds at 0 and 1, where ours are Wilson's.
                let compared = [0, 1].contains(point.values[0]) ? 1 : 3
                #expect(
                    zip(found, point.values).prefix(compared).allSatisfy { areNear($0, $1) },
                    "\(point.outcome) \(point.until): \(found), not \(point.values)"
                )
            }
        }
    }

    /// Sums of fractions that ought to be 1 are beside it by a rounding, either way, for some sizes of a group.
    @Test("where all come to one outcome its incidence is 1, with bounds apart; and once told of, it stays told of")
    func everybodyComesToOneOutcome() async throws {
        try await ReportsDatabase.with { database in
            for size in [1, 2, 5, 10, 23, 46, 93] {
                try await database.append(
                    (1...size).flatMap { number -> [[String: Any]] in
                        let key: [String: Any] = ["device": "d\(number)", "nid": "\(size)"]
                        return [
                            [
                                "kind": "delivery", "at": ReportsDatabase.time(400_000),
                                "data": ["source": "will_present", "category_id": "of \(size)"],
                            ],
                            [
                                "kind": "action_response", "at": ReportsDatabase.time(400_000 - Int64(number)),
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
                        "kind": "delivery", "at": ReportsDatabase.time(400_000),
                        "data": ["source": "will_present", "category_id": "loose"],
                    ]
                    let dismissed: [String: Any] = ["kind": "dismissal", "at": ReportsDatabase.time(400_000 - 120)]
                    return (number == 1 ? [shown, dismissed] : [shown]).map { key.merging($0) { $1 } }
                }
            )
            try await database.apply()
            let result = try await database.run("response_times", [:])
            for size in [1, 2, 5, 10, 23, 46, 93] {
                let opened = result.records.filter {
                    $0["category"] == .text("of \(size)") && $0["outcome"] == .text("opened")
                }
                #expect(opened.last?.number("incidence") == 1, "\(size)")
                #expect(opened.allSatisfy { ($0.number("incidence") ?? 2) <= 1 }, "\(size)")
                let bounds = ModelStatistics.wilson(size, size)
                #expect(areNear(opened.last?.number("incidence_low"), bounds.low), "\(size)")
                #expect(areNear(opened.last?.number("incidence_high"), 1), "\(size)")
            }
            let loose = result.records.filter {
                $0["category"] == .text("loose") && $0["outcome"] == .text("dismissed")
            }
            #expect(loose.map { $0.number("incidence") } == [0, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25])
        }
    }
}
