import Foundation
import PlainHTTP
import Postgres
import Testing

/// `GET /v1/notifications`: from a figure to its notifications, and from each to its events.
@Suite(.serialized)
struct NotificationsTests {
    private struct Page: Decodable {
        struct Row: Decodable {
            var deviceId: String
            var notificationId: String
            var category: String?
            var outcome: String
            var firstAction: String?
        }
        var report: String
        var rows: [Row]
        var nextCursor: String?
    }

    private static func request(_ device: String, _ id: String, _ category: String, _ ago: Int) -> String {
        #"{"kind":"request","origin":"provider","device_id":"\#(device)","notification_id":"\#(id)","#
            + #""category_id":"\#(category)","trigger":{"type":"push"},"occurred_at":"\#(Sample.time(ago))"}"#
    }

    /// Five notifications, of which n3 was responded to; gives the position to wait for.
    private static func fill(_ service: ServiceFixture) async throws -> Int64 {
        var events = (1...5).map { request("d/\($0)", "n\($0) ü", $0 == 5 ? "offer" : "news", $0 * 60) }
        events.append(
            Sample.action(device: "d/3", notification: "n3 ü", at: Sample.time(10))
        )
        let body = "[\(events.joined(separator: ","))]"
        return try #require(try await service.client.post(body, key: service.app.provider).events.position)
    }

    @Test func aFigureIsFollowedToItsEvents() async throws {
        try await ServiceFixture.run { service in
            let position = try await Self.fill(service)
            func page(_ query: String) async throws -> Page {
                try await service.client.get(
                    "/v1/notifications?min_position=\(position)&\(query)",
                    key: service.app.read
                ).decoded()
            }
            let all = try await page("limit=100")
            #expect(all.report == "notifications" && all.nextCursor == nil)
            #expect(all.rows.map(\.notificationId) == ["n1 ü", "n2 ü", "n3 ü", "n4 ü", "n5 ü"], "newest first")
            #expect(try await page("category=offer").rows.map(\.deviceId) == ["d/5"])
            #expect(try await page("category=offer&category=news&platform=").rows.count == 5)
            #expect(try await page("platform=ios").rows.isEmpty)
            let responded = try await page("state=responded&category=news").rows
            #expect(responded.map(\.notificationId) == ["n3 ü"] && responded.first?.firstAction == "default")
            #expect(try await page("action=default").rows.map(\.deviceId) == ["d/3"])
            #expect(try await page("action=reply").rows.isEmpty)
            let row = try #require(responded.first)
            let path = [row.deviceId, row.notificationId].compactMap {
                $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            }
            let events = try await service.client.get(
                "/v1/notifications/\(path.joined(separator: "/"))",
                key: service.app.read
            )
            #expect(events.status == 200 && events.text.contains("action_response"))
        }
    }

    @Test func pagesGoOnWhereTheLastEnded() async throws {
        try await ServiceFixture.run { service in
            let position = try await Self.fill(service)
            var seen: [String] = []
            var cursor = ""
            for _ in 0..<5 {
                let path = "/v1/notifications?limit=2&min_position=\(position)\(cursor)"
                let page = try await service.client.get(path, key: service.app.read).decoded(Page.self)
                seen += page.rows.map(\.deviceId)
                guard let next = page.nextCursor else { break }
                // It stands in a URL as it is.
                #expect(next.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
                cursor = "&cursor=\(next)"
            }
            #expect(seen == ["d/1", "d/2", "d/3", "d/4", "d/5"])
            let csv = try await service.client.get("/v1/notifications?limit=2&format=csv", key: service.app.read)
            #expect(csv.text.split(whereSeparator: \.isNewline).count == 3)
            let next = try #require(csv.headers["notilog-next-cursor"])
            let rest = try await service.client.get(
                "/v1/notifications?format=ndjson&cursor=\(next)",
                key: service.app.read
            )
            #expect(
                rest.text.split(whereSeparator: \.isNewline).count == 3 && rest.headers["notilog-next-cursor"] == nil
            )
        }
    }

    @Test func whatIsNotAcceptedIs400() async throws {
        let refused = [
            ("stat=responded", "state"), ("state=maybe", "unanswered"), ("limit=0", "1 to 1000"),
            ("limit=1001", "1 to 1000"), ("limit=x", "1 to 1000"), ("cursor=abc", "next_cursor"),
            ("cursor=%2B%2B", "next_cursor"),
            // Of the form that a cursor has, with a time that PostgreSQL has not.
            ("cursor=\(Data("0 -999999999999999999 1 ab".utf8).base64EncodedString())", "next_cursor"),
            ("tz=Mars", "tz"), ("turned_off=hope", "lock_screen"),
            ("window=3d", "PT1S"), ("from=2026-02-02&to=2026-02-01", "from"),
            ("from=9000-01-01&to=9001-01-01", "from lies in the future"),
            ("from=9000-01-01", "from lies in the future"), ("min_position=999999", "min_position"),
            ("state=any&state=failed", "twice"),
        ]
        try await ServiceFixture.run { service in
            for (query, named) in refused {
                let answer = try await service.client.get("/v1/notifications?\(query)", key: service.app.read)
                #expect(answer.status == 400, "\(query)")
                #expect(answer.headers["content-type"] == "application/problem+json")
                #expect(answer.text.contains(named), "\(query): \(answer.text)")
            }
        }
    }

    @Test func anotherAppsNotificationsAreNotListed() async throws {
        try await ServiceFixture.run { service in
            let position = try await Self.fill(service)
            let other = try await TestApp.make("second", in: service.database)
            let path = "/v1/notifications?format=ndjson&min_position=\(position)"
            let mine = try await service.client.get(path, key: service.app.read)
            #expect(mine.text.split(whereSeparator: \.isNewline).count == 5)
            let theirs = try await service.client.get(path, key: other.read)
            #expect(theirs.status == 200 && theirs.text.isEmpty)
            // Nor by a cursor of the first app's.
            let cursor = try #require(
                try await service.client.get("/v1/notifications?limit=1", key: service.app.read)
                    .decoded(Page.self).nextCursor
            )
            #expect(try await service.client.get("\(path)&cursor=\(cursor)", key: other.read).text.isEmpty)
        }
    }

    /// Where ids are kept as hashes alone, those of an answer lead on as well as the senders' own.
    @Test func hashedIDsLeadOn() async throws {
        try await ServiceFixture.run(["id_hash_secret": "0123456789abcdef0123456789abcdef"]) { service in
            let connection = try await service.database.connect()
            try await connection.query("UPDATE notilog.app SET hash_ids = true", cached: false)
            try await connection.query("SELECT pg_notify('notilog_keys', '')", cached: false)
            await connection.close()
            // The service takes the switch over a moment later.
            let deadline = ContinuousClock.now + .seconds(20)
            var row: Page.Row?
            var number = 0
            while row == nil, ContinuousClock.now < deadline {
                number += 1
                let event = Self.request("person \(number)", "n \(number)", "news", 60)
                let position = try await service.client.post(event, key: service.app.provider).events.position
                let path = "/v1/notifications?min_position=\(try #require(position))"
                let rows = try await service.client.get(path, key: service.app.read).decoded(Page.self).rows
                row = rows.first { $0.deviceId.count == 64 }
            }
            let hashed = try #require(row)
            for (device, id) in [(hashed.deviceId, hashed.notificationId), ("person%20\(number)", "n%20\(number)")] {
                for path in [
                    "/v1/notifications/\(device)/\(id)", "/v1/devices/\(device)/events", "/v1/devices/\(device)",
                ] {
                    #expect(try await service.client.get(path, key: service.app.read).status == 200, "\(path)")
                }
            }
        }
    }

    @Test func reportsComeCompressedWhereThatIsTaken() async throws {
        try await ServiceFixture.run { service in
            for path in ["/v1/reports/funnel", "/v1/reports", "/v1/notifications"] {
                let plain = try await service.client.get(path, key: service.app.read)
                let packed = try await service.client.get(
                    path,
                    key: service.app.read,
                    headers: [("Accept-Encoding", "gzip")]
                )
                #expect(plain.headers["content-encoding"] == nil && packed.headers["content-encoding"] == "gzip")
                #expect(packed.headers["vary"]?.contains("Accept-Encoding") == true)
                #expect(packed.body.count < plain.body.count && packed.body.starts(with: [0x1F, 0x8B]))
            }
            let catalogue = try await service.client.get("/v1/reports", key: service.app.read)
            #expect(catalogue.headers["cache-control"] == "private, no-cache")
            let tag = try #require(catalogue.headers["etag"])
            let again = try await service.client.get(
                "/v1/reports",
                key: service.app.read,
                headers: [("If-None-Match", tag)]
            )
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(try await service.client.get("/v1/reports", headers: [("If-None-Match", tag)]).status == 401)
        }
    }
}
