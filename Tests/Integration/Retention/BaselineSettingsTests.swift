import EventLog
import NotificationEvents
import Postgres
import Projections
import Schema
import Testing

@Suite("Retention: settings in force of dropped events")
struct BaselineSettingsTests {
    private static func event(_ kind: String, hour: Int64, _ notification: String?, _ data: String) -> NormalisedEvent {
        let at = Timestamp(microseconds: RetentionStore.firstDay + hour * 3_600_000_000)
        return SampleEvents.make(kind: kind, at: at, notification: notification, data: data)
    }

    @Test("rows of a baseline without the column take the settings that the fold had given them")
    func migration() async throws {
        try await RetentionStore.with(days: 8) { store in
            let full = """
                {"authorization_status":"authorized","alert_style":"banner","lock_screen":"disabled","notification_center":"enabled",
                "sound":"not_supported","badge":"enabled","time_sensitive":"disabled","scheduled_delivery":"enabled",
                "show_previews":"never"}
                """
            let request = #"{"origin":"app","alerting":true}"#
            let dropped = [
                Self.event("request", hour: 2, "before", request), Self.event("settings", hour: 3, nil, full),
                Self.event("request", hour: 4, "with", request),
                Self.event("settings", hour: 5, nil, #"{"authorization_status":"denied","alert_style":"none"}"#),
                Self.event("request", hour: 6, "denied", request),
            ]
            _ = try await store.log.append(dropped, app: 1)
            try await store.catchUp()
            try await store.retention().run(horizon: RetentionStore.start(of: 3))
            #expect(try await store.count("log.event") == 0)
            func packed() async throws -> String {
                try await store.connection.value(
                    "SELECT string_agg(notification_id || ' ' || settings, ', ' ORDER BY cohort_at) FROM baseline.notification"
                )
            }
            let settings = try await packed()
            // The words' numbers, the last setting first, two bits each, and three of the first.
            let expected = [3, 3, 2, 3, 1, 3, 2, 2].reduce(0) { $0 * 4 + $1 } * 8 + 3
            #expect(settings == "before 0, with \(expected), denied \(1 * 8 + 2)")

            try await store.connection.execute(script: "ALTER TABLE baseline.notification DROP COLUMN settings")
            let migration = try ReleaseFolder.locate().read("migrations/0025_settings_in_force.sql")
            try await store.connection.execute(script: migration)
            #expect(try await packed() == settings)
        }
    }

    @Test("own dimensions of dropped events are those that the version in use had counted")
    func ownDimensions() async throws {
        try await RetentionStore.with(days: 8) { store in
            try await store.connection.query(
                "INSERT INTO notilog.app (app_id, name) OVERRIDING SYSTEM VALUE VALUES (1, 'shop') ON CONFLICT DO NOTHING"
            )
            func request(_ hour: Int64, _ name: String) async throws {
                let data = #"{"origin":"app","alerting":true,"attributes":{"tier":"gold"}}"#
                _ = try await store.log.append([Self.event("request", hour: hour, name, data)], app: 1)
                try await store.catchUp()
            }
            try await request(2, "before")
            try await store.connection.query("SELECT notilog.name_dimensions(1, '{tier}')")
            try await request(4, "named")
            try await store.connection.query("SELECT notilog.name_dimensions(1, '{}')")
            try await request(6, "after")
            try await store.retention().run(horizon: RetentionStore.start(of: 3))
            #expect(try await store.count("log.event") == 0)
            let values: String = try await store.connection.value(
                "SELECT string_agg(concat_ws(' ', notification_id, attributes->>'tier'), ', ' ORDER BY cohort_at) FROM baseline.notification"
            )
            #expect(values == "before, named gold, after")
            #expect(try await store.differencesFromRebuild() == [])
        }
    }
}
