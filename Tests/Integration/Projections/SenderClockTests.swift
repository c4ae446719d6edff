import Postgres
import Testing

/// The times that an event says are of one clock: where its own is put right, they are with it.
@Suite struct SenderClockTests {
    /// When the notifications were scheduled for, delivered, counted and shown.
    private func times(_ database: ReportsDatabase) async throws -> [[String?]] {
        try await database.connection.query(
            "SELECT scheduled_for::text, delivered_at::text, cohort_at::text, shown_at::text FROM notification ORDER BY notification_id"
        ).map { row in try (0..<4).map { try row.get($0, as: String?.self) } }
    }

    @Test func aClockTwoDaysAheadPutsNothingOff() async throws {
        try await ReportsDatabase.with { database in
            try await database.append([
                [
                    "kind": "request", "device": "A", "nid": "1", "at": "2026-03-10T08:00:00Z",
                    "occurred": "2026-03-12T08:00:00Z",
                    "data": ["scheduled_for": "2026-03-12T09:00:00Z", "trigger": ["type": "calendar"]],
                ],
                [
                    "kind": "action_response", "device": "A", "nid": "1", "at": "2026-03-10T09:10:00Z",
                    "occurred": "2026-03-12T09:10:00Z",
                    "data": ["delivered_at": "2026-03-12T09:00:05Z", "action_id": "default"],
                ],
            ])
            try await database.apply()
            let (scheduled, delivered) = ("2026-03-10 09:00:00+00", "2026-03-10 09:00:05+00")
            #expect(try await times(database) == [[scheduled, delivered, scheduled, delivered]])
        }
    }

    @Test func timesAtTheEndsOfTheCalendarAreNoPoison() async throws {
        try await ReportsDatabase.with { database in
            let (first, last) = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z")
            try await database.append([
                [
                    "kind": "delivery", "device": "A", "nid": "1", "at": "2026-03-10T08:00:00Z", "occurred": last,
                    "clamped": true, "data": ["delivered_at": first],
                ],
                [
                    "kind": "request", "device": "A", "nid": "2", "at": "2026-03-10T08:00:00Z",
                    "occurred": "2025-03-10T08:00:00Z", "data": ["scheduled_for": last],
                ],
            ])
            try await database.apply()
            #expect(try await times(database).map { $0[1] } == ["0001-01-01 00:00:00+00", nil])
        }
    }
}
