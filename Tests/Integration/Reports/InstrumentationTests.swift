import Foundation
import NotificationEvents
import Postgres
import Reports
import Simulator
import Testing

/// Whether the report `instrumentation` tells instruments from people where it is known what happened.
@Suite("Instrumentation")
struct InstrumentationTests {
    /// Kinds that bear on the report.
    private static let kinds: Set<SimulatedKind> = [
        .request, .delivery, .presentation, .actionResponse, .dismissal, .settings,
    ]

    /// What people do in the second half of some weeks: so many devices and days that no interval is too wide to tell.
    private static func simulate(_ plant: SimulationPlant, _ store: LawStore) async throws {
        let (devices, days) = plant == .fatigue ? (2200, 48) : (1000, 24)
        let start = LawStore.simulationEnd.microseconds - Int64(days / 2 + 1) * 86_400_000_000
        try await store.simulate(devices: devices, days: days, plant: plant) {
            $0.sentAt >= start && kinds.contains($0.kind)
        }
    }

    @Test(
        "a version that lost its service extension is found; people who have had enough are no fault of its instruments",
        arguments: [(SimulationPlant.lostExtension, "tracking"), (.fatigue, "people")]
    )
    func planted(plant: SimulationPlant, verdict: String) async throws {
        try await LawStore.withStore { store in
            try await Self.simulate(plant, store)
            let result = try await store.report("instrumentation", [("from", "2025-11-05"), ("window", "P1D")])
            let row = try result.row(["app_version": "5.3.0"])
            let told = row.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
            #expect(row["verdict"] == .text(verdict), "\(told)")
            #expect(row["version_before"] == .text("5.2.0") && row["sdk_version"] == .text("1.2.0"))
            let lost = row.number("delivery_observed_rate_difference") ?? 1
            #expect(plant == .lostExtension ? lost < -0.05 : abs(lost) < 0.02)
            if plant == .fatigue { #expect((row.number("engagement_rate_high") ?? 1) < 0) }
        }
    }

    @Test(
        "of more devices than are told apart, shares are of all of them, and intervals of those that a hash of their ids chooses"
    )
    func manyDevicesApart() async throws {
        try await LawStore.withStore { store in
            try await Self.simulate(.lostExtension, store)
            func told() async throws -> [String: ReportValue] {
                try await store.report("instrumentation", [("from", "2025-11-05"), ("window", "P1D")]).row([
                    "app_version": "5.3.0"
                ])
            }
            func width(_ row: [String: ReportValue], _ measure: String) -> Double? {
                guard let low = row.number(measure + "_low"), let high = row.number(measure + "_high") else {
                    return nil
                }
                return high - low
            }
            let whole = try await told()
            try await store.connection.query(
                """
                DO $$ BEGIN
                  EXECUTE format('ALTER DATABASE %I SET notilog.instrumentation_devices = 600', current_database());
                END $$
                """
            )
            let sampled = try await told()
            for measure in ["delivery_observed_rate", "engagement_rate"] {
                #expect(sampled[measure] == whole[measure])
                #expect(sampled["\(measure)_difference"] == whole["\(measure)_difference"])
                let (all, some) = (try #require(width(whole, measure)), try #require(width(sampled, measure)))
                #expect(some != all && abs(some / all - 1) < 0.2, "\(measure): \(some) beside \(all)")
            }
            #expect(sampled["verdict"] == .text("tracking"))
        }
    }

    /// The version that came first is compared with nothing as a row, but the next is compared with it.
    @Test("devices are told apart where a version is compared, no more of each than its share")
    func toldApart() async throws {
        try await LawStore.withStore { store in
            try await store.simulate(devices: 60, days: 25)
            // Counted in its own row, and beside the next, for which the lower half of all hashes is told apart.
            let found = try await store.connection.query(
                """
                SELECT key, count(*) FILTER (WHERE device IS NOT NULL), count(*) FILTER (WHERE device > 0), sum(known)::bigint
                FROM reporting.instrumentation_notification_counts(1, $1::timestamptz, $2::timestamptz, '3 days', '{}',
                  jsonb_build_array(jsonb_build_object('key', 1, 'version', $3::text, 'side', 0, 'shift', '0 s', 'up_to', NULL),
                    jsonb_build_object('key', 2, 'version', $3::text, 'side', 1, 'shift', '0 s', 'up_to', 0)),
                  ARRAY[$1::timestamptz], ARRAY[$1::timestamptz], ARRAY[$2::timestamptz])
                GROUP BY key ORDER BY key
                """,
                [.text("2025-11-01"), .text("2025-11-21"), .text("5.2.0")]
            )
            let counts = try found.map { row in
                (
                    devices: try row.get(1, as: Int64.self), beyond: try row.get(2, as: Int64.self),
                    known: try row.get(3, as: Int64.self)
                )
            }
            #expect(counts.map { $0.devices > 0 } == [false, true] && counts[1].beyond == 0)
            #expect(counts[0].known > 0 && counts[0].known == counts[1].known)

            // What the report asks for: none for the row of the first version alone.
            try await store.connection.execute(
                script: """
                    DO $$ DECLARE f regprocedure := (SELECT oid FROM pg_proc WHERE proname = 'instrumentation_notification_counts'); BEGIN
                      EXECUTE format('CREATE OR REPLACE FUNCTION reporting.instrumentation_notification_counts(%s) RETURNS %s
                        LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION %L, parts; END $f$', pg_get_function_arguments(f),
                        pg_get_function_result(f), '%');
                    END $$
                    """
            )
            let error = try await #require(throws: PostgresError.self) {
                try await store.connection.query(
                    "SELECT FROM report.instrumentation('demo', \"from\" => '2025-11-01', \"to\" => '2025-11-21')"
                )
            }
            let parts = error.message.components(separatedBy: "\"up_to\": ").dropFirst().map { $0.hasPrefix("null") }
            #expect(parts.count > 2 && parts.count(where: \.self) == 1, "\(error.message)")
        }
    }

    /// What a device got in a category: so many, and of some of them a callback that repeats another.
    private struct Got {
        let category: String
        let notifications: Int
        let repeated: Int

        init(_ category: String, _ notifications: Int = 1, repeated: Int = 0) {
            self.category = category
            self.notifications = notifications
            self.repeated = repeated
        }
    }

    /// The events of devices on a version, so many seconds before the report is asked for.
    private static func events(_ version: String, _ before: Int64, _ devices: [[Got]]) -> [[String: Any]] {
        var (events, time): ([[String: Any]], Int64) = ([], before)
        for (index, got) in devices.enumerated() {
            let device = "\(version)-\(index)"
            for one in got {
                for number in 0..<one.notifications {
                    time -= 1
                    let (nid, at) = ("\(one.category)\(number)", ReportsDatabase.time(time))
                    var data: [String: Any] = ["source": "will_present", "category_id": one.category]
                    data["context"] = ["app_version": version]
                    events.append(ReportsDatabase.event("delivery", device, nid, at, data))
                    guard number < one.repeated else { continue }
                    let callback = ReportsDatabase.event("action_response", device, nid, at, ["action_id": "default"])
                    events += [callback, callback]
                }
            }
        }
        return events
    }

    /// The row of a version whose devices got this, after one whose devices got that.
    private static func row(_ devices: [[Got]], after before: [[Got]]) async throws -> [String: ReportValue] {
        try await ReportsDatabase.with { database in
            try await database.append(Self.events("1", 1_600_000, before) + Self.events("2", 400_000, devices))
            try await database.apply()
            let row = try await database.run("instrumentation").row(["app_version": "2"])
            #expect(row["version_before"] == .text("1"))
            return row
        }
    }

    /// 60 devices with one of each of these categories, of which the first device's are repeated.
    private static func usual(_ categories: String...) -> [[Got]] {
        (0..<60).map { device in categories.map { Got($0, repeated: device == 0 ? 1 : 0) } }
    }

    @Test("a version of three devices, all duplicates on one of them, gives no p and no verdict")
    func fewDevices() async throws {
        // That one is alone in its category: it makes a rate there, and no variance.
        let alone = try await Self.row(
            [[Got("news"), Got("offers", 10, repeated: 5)], [Got("news")], [Got("news")]],
            after: Self.usual("news", "offers")
        )
        #expect(alone["verdict"] == .text("unclear") && alone["duplicate_rate_p_holm"] == .null)
        #expect(areNear(alone.number("duplicate_rate"), 5.0 / 13))
        // It is one of three there.
        let three = try await Self.row(
            [[Got("offers", 10, repeated: 5)], [Got("offers", 10)], [Got("offers", 10)]],
            after: Self.usual("offers")
        )
        #expect(three["verdict"] == .text("unclear") && three["duplicate_rate_p_holm"] == .null)
        let bounds = ModelStatistics.newcombe(1.0 / 6, 3, 1.0 / 60, 60)
        #expect(areNear(three.number("duplicate_rate_difference"), 1.0 / 6 - 1.0 / 60))
        #expect(areNear(three.number("duplicate_rate_low"), bounds.low))
        #expect(areNear(three.number("duplicate_rate_high"), bounds.high))
    }

    @Test("a p is made of ten devices on either side, and of no fewer")
    func tenDevices() async throws {
        for (devices, isTold) in [(9, false), (10, true)] {
            let row = try await Self.row(
                (0..<devices).map { [Got("news", 2, repeated: $0 == 0 ? 1 : 0)] },
                after: Self.usual("news")
            )
            #expect((row.number("duplicate_rate_p_holm") != nil) == isTold, "\(devices) devices")
        }
    }

    @Test("a category that one device alone has on a version is left out of the difference")
    func loneDevice() async throws {
        var devices = (0..<12).map { [Got("news", repeated: $0 == 0 ? 1 : 0)] }
        devices[1].append(Got("offers", 10, repeated: 5))
        let row = try await Self.row(devices, after: Self.usual("news", "offers"))
        #expect(row["verdict"] == .text("unclear"))
        #expect(areNear(row.number("duplicate_rate"), 6.0 / 22))
        #expect(areNear(row.number("duplicate_rate_difference"), 1.0 / 12 - 1.0 / 60))
        #expect((row.number("duplicate_rate_p_holm") ?? 0) > 0.1)
    }

    @Test("a rate of nobody on one version counts as exact only where Newcombe's interval leaves no doubt either")
    func oneSided() async throws {
        let nobody = (0..<60).map { _ in [Got("news")] }
        // One of twelve on nearly every device: hardly any variance.
        let doubtful = try await Self.row(
            (0..<12).map { [Got("news", 12, repeated: $0 == 0 ? 2 : $0 == 1 ? 0 : 1)] },
            after: nobody
        )
        #expect(doubtful["verdict"] == .text("unclear") && doubtful["duplicate_rate_p_holm"] == .null)
        let bounds = ModelStatistics.newcombe(1.0 / 12, 12, 0, 60)
        #expect(bounds.low < 0 && areNear(doubtful.number("duplicate_rate_low"), bounds.low))
        #expect(areNear(doubtful.number("duplicate_rate_high"), bounds.high))
        let clear = try await Self.row((0..<40).map { [Got("news", 2, repeated: $0 % 2)] }, after: nobody)
        #expect(clear["verdict"] == .text("tracking"))
        #expect((clear.number("duplicate_rate_p_holm") ?? 1) < 0.01)
        // Of the delta method: as wide on either side of the difference.
        let (low, high) = (clear.number("duplicate_rate_low") ?? 0, clear.number("duplicate_rate_high") ?? 0)
        #expect(areNear((low + high) / 2, 0.25))
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

    @Test("beyond the bound of events it reads whole devices, in the order of the sample, and no further")
    func manyEvents() async throws {
        try await ReportsDatabase.with { database in
            try await database.connection.query(
                """
                DO $$ BEGIN
                  EXECUTE format('ALTER DATABASE %I SET notilog.instrumentation_events = 10', current_database());
                END $$
                """
            )
            try await database.append((0..<8).flatMap { device in (0..<3).map { Self.settings("d\(device)", $0) } })
            try await database.apply()
            let row = try await database.run("instrumentation").row(["app_version": "1"])
            #expect(row.counts("devices", "events") == [8, 9])
        }
    }
}
