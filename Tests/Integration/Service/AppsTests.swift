import Foundation
import PlainHTTP
import Testing

/// An app sees only its own data, and a key counts only while it is not revoked.
@Suite(.serialized)
struct AppsTests {
    @Test func twoAppsCrossedOnEveryEndpoint() async throws {
        try await ServiceFixture.run { service in
            let other = try await TestApp.make("second", in: service.database)
            let event = Sample.action(device: "shared", notification: "n1", id: "018f3f5e-0000-7000-8000-000000000003")
            let written = try await service.client.post(event, key: service.app.write).events
            let position = try #require(written.position)
            for path in ["/v1/devices/shared", "/v1/devices/shared/events", "/v1/notifications/shared/n1"] {
                #expect(try await service.client.get(path, key: service.app.read).status == 200)
                #expect(try await service.client.get(path, key: service.app.admin).status == 200)
                #expect(try await service.client.get(path, key: other.read).status == 404)
                #expect(try await service.client.get(path, key: other.admin).status == 404)
            }
            for report in ["engagement", "actions", "settings", "tokens", "activity"] {
                let path = "/v1/reports/\(report)?format=ndjson&min_position=\(position)"
                let mine = try await service.client.get(path, key: service.app.read)
                guard mine.status == 200 else { continue }
                let theirs = try await service.client.get(path, key: other.read)
                #expect(theirs.status == 200)
                #expect(theirs.text.isEmpty || !theirs.text.contains("action_response"), "\(report)")
            }
            let rows = try await service.client.get(
                "/v1/reports/engagement?format=ndjson&min_position=\(position)",
                key: other.read
            )
            #expect(rows.text.isEmpty)
            // The same id of the same device in another app is another event.
            let theirs = try await service.client.post(event, key: other.write).events
            #expect(theirs.accepted == 1)
            #expect(try await service.client.get("/v1/devices/shared/events", key: other.read).status == 200)
            #expect(
                try await service.number("SELECT count(*) FROM log.event WHERE app_id = \(service.app.id)") == 1
            )
        }
    }

    @Test func scopesAreKept() async throws {
        try await ServiceFixture.run { service in
            let app = service.app
            _ = try await service.client.post(Sample.action(), key: app.write)
            let reading = [
                "/v1/reports", "/v1/reports/engagement", "/v1/devices/d1", "/v1/devices/d1/events",
                "/v1/notifications/d1/n1", "/v1/notifications",
            ]
            for path in reading {
                #expect(try await service.client.get(path).status == 401)
                #expect(try await service.client.get(path, key: app.write).status == 403)
                #expect(try await service.client.get(path, key: app.provider).status == 403)
                #expect(try await service.client.get(path, key: app.read).status == 200)
                #expect(try await service.client.get(path, key: app.admin).status == 200)
            }
            #expect(try await service.client.post(Sample.action(), key: app.read).status == 403)
            for key in [app.write, app.provider, app.admin] {
                #expect(try await service.client.post(Sample.action(), key: key).status == 200)
            }
        }
    }

    @Test func aKeyCountsAsSoonAsItIsPrinted() async throws {
        try await ServiceFixture.run { service in
            for number in 0..<10 {
                let other = try await TestApp.make("app\(number)", in: service.database)
                #expect(try await service.client.get("/v1/reports", key: other.read).status == 200)
            }
        }
    }

    @Test func aRevokedKeyCountsNoLonger() async throws {
        try await ServiceFixture.run { service in
            #expect(try await service.client.post(Sample.action(), key: service.app.write).status == 200)
            let revoked = try await NotilogCommand.run(
                ["keys", "revoke", service.app.write],
                environment: ["NOTILOG_DATABASE_URL": service.database.url]
            )
            #expect(revoked.status == 0)
            let start = ContinuousClock.now
            var status = 200
            while status == 200, ContinuousClock.now - start < .seconds(10) {
                status = try await service.client.post(Sample.action(), key: service.app.write).status
            }
            #expect(status == 401)
            // By notification, well before the periodic reading.
            #expect(ContinuousClock.now - start < .seconds(3))
        }
    }

    @Test func aKeyThatIsRevokedWhileABodyComesStoresNothing() async throws {
        try await ServiceFixture.run { service in
            let body = Sample.action()
            let slow = try RawClient(service.service.url)
            await slow.send(
                "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(service.app.write)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body.prefix(1))"
            )
            try await eventually("the beginning of its body is there") {
                try await service.client.get("/metrics").text.contains("notilog_ingest_bytes 1\n")
            }
            let revoked = try await NotilogCommand.run(
                ["keys", "revoke", service.app.write],
                environment: ["NOTILOG_DATABASE_URL": service.database.url]
            )
            #expect(revoked.status == 0)
            try await eventually("the service knows") {
                try await service.client.get("/v1/reports", key: service.app.write).status == 401
            }
            await slow.send(String(body.dropFirst()))
            #expect(await slow.status(within: .seconds(20)) == 401)
            #expect(try await service.number("SELECT count(*) FROM log.event") == 0)
        }
    }

    @Test func keysAreStoredHashed() async throws {
        try await ServiceFixture.run { service in
            let secret = try #require(service.app.write.split(separator: "_").last)
            #expect(
                try await service.number(
                    "SELECT count(*) FROM notilog.api_key k WHERE k::text LIKE '%\(secret)%'"
                ) == 0
            )
            #expect(
                try await service.number(
                    "SELECT count(*) FROM notilog.api_key WHERE hash = sha256('\(service.app.write)'::bytea)"
                ) == 1
            )
        }
    }
}
