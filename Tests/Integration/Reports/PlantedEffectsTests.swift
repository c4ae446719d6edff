import Reports
import Simulator
import Testing

/// Whether reports find what the simulator plants. What they find of releases is in `InstrumentationTests`.
@Suite("Planted effects")
struct PlantedEffectsTests {
    /// Counts of rows together.
    private static func sums(_ records: [[String: ReportValue]], _ columns: [String]) -> [Double] {
        columns.map { name in records.reduce(0) { $0 + Double($1.counts(name)[0] ?? 0) } }
    }

    /// Whether an event bears on what is looked for.
    private static func bears(_ event: SimulatedEvent) -> Bool {
        switch event.kind {
        case .holdout, .conversion, .liveActivity: true
        case .request, .pushResult:
            ["\"promo-", "liveactivity"].contains(
                where: String(decoding: event.line, as: UTF8.self).contains
            )
        default: false
        }
    }

    @Test("what campaigns make people buy is found, and so are dead tokens that start Live Activities")
    func found() async throws {
        try await LawStore.withStore { store in
            try await store.simulate(devices: 5000, days: 28, where: Self.bears)

            // Of those sent a campaign 2 of 100 buy because of it, and of all that buy some are on a release that does not say so.
            let range = ("from", "2025-10-24")
            let outcomes = try await store.report("outcomes", [range, ("window", "P2D"), ("conversion", "purchase")])
            let counts = Self.sums(
                outcomes.records.filter { $0.counts("held_out_devices") != [0] },
                ["sent_converted", "sent_devices", "held_out_converted", "held_out_devices"]
            )
            let (sent, heldOut) = (counts[0] / counts[1], counts[2] / counts[3])
            let deviation = (sent * (1 - sent) / counts[1] + heldOut * (1 - heldOut) / counts[3]).squareRoot()
            print("planted effects: sent \(sent), held out \(heldOut), deviation \(deviation), of \(counts)")
            #expect(sent - heldOut > 1.96 * deviation, "found")
            #expect(abs(sent - heldOut - 0.02) < 1.96 * deviation + 0.005, "of the size that is planted")

            // Of 100 tokens that start activities 8 are dead, though APNs accepts the push.
            let activities = try await store.report("live_activities", [range])
            let pushes = Self.sums(
                activities.records,
                ["push_to_start_accepted", "push_to_start_unknown", "push_to_start_without_activity"]
            )
            // Of a device that reports nothing later it is unknown whether anything started.
            let (low, high) = (pushes[2] / pushes[0], (pushes[1] + pushes[2]) / pushes[0])
            print("planted effects: \(low) to \(high) of \(pushes[0]) pushes to start an activity started none")
            let error = 1.96 * (0.08 * 0.92 / pushes[0]).squareRoot()
            #expect(low > 0.02 && low < 0.08 + error && high > 0.08 - error && high < 0.12)
        }
    }
}
