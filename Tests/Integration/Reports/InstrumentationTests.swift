import EventLog
import Foundation
import Ingest
import NotificationEvents
import Postgres
import Reports
import Schema
import Simulator
import Testing

/// Whether the report `instrumentation` tells instruments from people where it is known what happened.
@Suite("Instrumentation")
struct InstrumentationTests {
    private static let end = Timestamp(microseconds: 1_763_683_200_000_000)  // 2025-11-21T00:00:00Z
    private static let day: Int64 = 86_400_000_000

    /// Kinds that bear on the report.
    private static let kinds: Set<SimulatedKind> = [
        .request, .delivery, .presentation, .actionResponse, .dismissal, .settings,
    ]

    /// What people do in the second half of some weeks, received as it is sent, stored and applied. So many devices and days that
    /// no interval is too wide to tell.
    private static func simulate(_ plant: SimulationPlant, _ store: LawStore) async throws {
        try await store.connection.query("INSERT INTO notilog.app (name) VALUES ('demo')")
        let decoder = IngestDecoder()
        let (devices, days) = plant == .fatigue ? (2200, 48) : (1000, 24)
        let parameters = SimulationParameters(
            devices: devices,
            days: days,
            end: end.microseconds,
            seed: 11,
            plant: plant
        )
        let start = end.microseconds - Int64(days / 2 + 1) * day
        var events: [NormalisedEvent] = []
        for sent in Simulation(parameters) where !sent.isRetry && sent.sentAt >= start && kinds.contains(sent.kind) {
            let items = try decoder.decode(
                Array(sent.line),
                format: .ndjson,
                policy: IngestPolicy(scope: .admin),
                receivedAt: Timestamp(microseconds: sent.sentAt),
                sentAt: Timestamp(microseconds: sent.sentAt + sent.clockSkew)
            )
            for case .accepted(let event, _) in items.map(\.item) { events.append(event) }
            if events.count >= 5000 {
                try await store.append([(1, events)])
                events = []
            }
        }
        try await store.append([(1, events)])
        try await store.apply(limit: 10_000)
    }

    @Test(
        "a version that lost its service extension is found; people who have had enough are no fault of its instruments",
        arguments: [(SimulationPlant.lostExtension, "tracking"), (.fatigue, "people")]
    )
    func planted(plant: SimulationPlant, verdict: String) async throws {
        try await LawStore.withStore { store in
            try await Self.simulate(plant, store)
            let pool = Pool(store.database.configuration, limit: 1)
            let runner = ReportRunner(catalogue: try ReportCatalogue(folder: ReleaseFolder.locate()), pool: pool)
            let report = try runner.catalogue.report("instrumentation")
            let result = try await runner.run(
                try ReportParameters([("from", "2025-11-05"), ("window", "P1D")], for: report),
                app: "demo",
                asOf: Self.end
            )
            let row = try result.row(["app_version": "5.3.0"])
            let told = row.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
            #expect(row["verdict"] == .text(verdict), "\(told)")
            #expect(row["version_before"] == .text("5.2.0") && row["sdk_version"] == .text("1.2.0"))
            let lost = row.number("delivery_observed_rate_difference") ?? 1
            #expect(plant == .lostExtension ? lost < -0.05 : abs(lost) < 0.02)
            if plant == .fatigue { #expect((row.number("engagement_rate_high") ?? 1) < 0) }
            await pool.shutDown()
        }
    }

    private static func settings(_ device: String, _ second: Int, version: String = "1") -> [String: Any] {
        let at = Date(timeIntervalSince1970: 1_773_000_000 + Double(second)).ISO8601Format()
        return [
            "kind": "settings", "device": device, "at": at,
            "data": ["authorization_status": "authorized", "context": ["app_version": version]] as [String: Any],
        ]
    }

    @Test("of a device with more events than are read of one, nothing is read of the log")
    func oneDevice() async throws {
        try await ReportsDatabase.with { database in
            let calm = (0..<3).map { Self.settings("calm", $0) }
            try await database.append((0..<10_000).map { Self.settings("busy", $0) } + calm)
            try await database.apply()
            let all = try await database.run("instrumentation").row(["app_version": "1"])
            #expect(all.counts("devices", "events") == [2, 10_003])
            try await database.append([Self.settings("busy", 10_000)])
            try await database.apply()
            let rest = try await database.run("instrumentation").row(["app_version": "1"])
            #expect(rest.counts("devices", "events") == [2, 3])
        }
    }

    @Test(
        "of a version at most 2,500 devices are sampled; one that a device makes up is compared with nothing, and nothing with it"
    )
    func manyDevices() async throws {
        try await ReportsDatabase.with { database in
            let first = (0..<2_600).map { Self.settings("d\($0)", $0) }
            let second = (0..<300).map { Self.settings("d\($0)", 4_000 + $0, version: "2") }
            try await database.append(first + [Self.settings("x", 3_000, version: "made-up")] + second)
            try await database.apply()
            let result = try await database.run("instrumentation")
            let old = try result.row(["app_version": "1"])
            #expect(old.counts("devices", "events") == [2_600, 2_500])
            #expect(try result.row(["app_version": "2"])["version_before"] == .text("1"))
            #expect(try result.row(["app_version": "made-up"])["version_before"] == .null)
        }
    }
}
