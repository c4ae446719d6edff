import Foundation
import Postgres
import Testing

extension AlertReceivers {
    /// Runs a test with receivers, and with a service that delivers to them and has yesterday's responses.
    static func withService(
        _ settings: [String: String] = [:],
        _ body: (AlertReceivers, ServiceFixture) async throws -> Void
    ) async throws {
        try await with { receivers in
            try await ServiceFixture.run(receivers.settings.merging(settings) { $1 }) { service in
                try await service.respondYesterday()
                try await body(receivers, service)
            }
        }
    }
}

extension ServiceFixture {
    /// Yesterday at noon, in UTC.
    static var noonYesterday: String {
        let today = (Date().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400
        return ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: today - 43_200))
    }

    /// Responds to notifications of two categories, yesterday at noon: to three of `news`, and to one of `offer`.
    func respondYesterday() async throws {
        let noon = Self.noonYesterday
        for (category, count) in [("news", 3), ("offer", 1)] {
            for index in 0..<count {
                let body = Sample.action(
                    device: "\(category)\(index)",
                    at: noon,
                    more: #","category_id":"\#(category)""#
                )
                #expect(try await client.post(body, key: app.write).events.accepted == 1)
            }
        }
        try #require(try await caughtUp())
    }

    /// Makes rules judge a day at once: their next one, at an age of half an hour beyond what they wait for.
    func judge(daysAgo: Int32 = 1) async throws {
        let connection = try await database.connect()
        try await connection.query(
            """
            UPDATE notilog.alert_rule
            SET next_day = current_date - $1::integer, due_at = now(),
              wait = greatest(
                now() - (current_date - $1::integer + 1)::timestamp AT TIME ZONE tz - interval '30 minutes', '0'
              )
            """,
            [.int4(daysAgo)]
        )
        await connection.close()
    }
}
