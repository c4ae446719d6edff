import EventLog
import Foundation
import PlainHTTP
import Postgres
import Testing

/// `/v1/apps` and `/v1/keys`: what a key of scope admin may do, and that it ends at its own app.
@Suite(.serialized)
struct KeysOverHTTPTests {
    private struct Made: Decodable {
        var id: String
        var key: String
        var scope: String
    }

    private struct MadeApp: Decodable {
        var name: String
        var key: Made
    }

    private struct Keys: Decodable {
        struct Key: Decodable {
            var id: String
            var scope: String
            var label: String?
            var revokedAt: String?
        }
        var keys: [Key]
    }

    private struct Apps: Decodable {
        struct App: Decodable {
            var name: String
        }
        var apps: [App]
    }

    @Test func aKeyIsShownOnceAndCountsAtOnce() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.send(
                "POST",
                "/v1/keys",
                #"{"scope":"write","label":"iOS app"}"#,
                key: service.app.admin
            )
            #expect(answer.status == 201)
            #expect(answer.headers["cache-control"] == "no-store")
            let made = try answer.decoded(Made.self)
            #expect(made.scope == "write" && made.key.hasPrefix("nlg_w_\(made.id)_"))
            #expect(try await service.client.post(Sample.action(), key: made.key).status == 200)
            // Nowhere but in that answer: neither the list nor the database has it.
            let list = try await service.send("GET", "/v1/keys", key: service.app.admin)
            let key = try #require(try list.decoded(Keys.self).keys.last)
            #expect(key.id == made.id && key.scope == "write" && key.label == "iOS app" && key.revokedAt == nil)
            #expect(!list.text.contains(made.key))
            #expect(
                try await service.number(
                    "SELECT count(*) FROM notilog.api_key k WHERE k::text LIKE '%\(made.key.suffix(40))%'"
                ) == 0
            )
            #expect(
                try await service.number(
                    "SELECT count(*) FROM notilog.api_key WHERE hash = sha256('\(made.key)') AND key_id = '\(made.id)'"
                ) == 1
            )
            #expect(!service.service.log.contains(made.key))

            #expect(try await service.send("DELETE", "/v1/keys/\(made.id)", key: service.app.admin).status == 200)
            try await eventually("a key that counts no longer", within: .seconds(60)) {
                try await service.client.post(Sample.action(), key: made.key).status == 401
            }
            let after = try await service.send("GET", "/v1/keys", key: service.app.admin).decoded(Keys.self)
            #expect(after.keys.last?.revokedAt != nil)
        }
    }

    @Test func anAppsKeysAreItsOwn() async throws {
        try await ServiceFixture.run { service in
            let other = try await TestApp.make("second", in: service.database)
            let theirs = try await service.send("GET", "/v1/keys", key: other.admin).decoded(Keys.self).keys
            let ours = try await service.send("GET", "/v1/keys", key: service.app.admin).decoded(Keys.self).keys
            #expect(theirs.count == 4 && ours.count == 4)
            #expect(Set(theirs.map(\.id)).isDisjoint(with: ours.map(\.id)))
            for key in theirs {
                let answer = try await service.send("DELETE", "/v1/keys/\(key.id)", key: service.app.admin)
                #expect(answer.status == 404)
            }
            #expect(try await service.number("SELECT count(*) FROM notilog.api_key WHERE revoked_at IS NOT NULL") == 0)
            let apps = try await service.send("GET", "/v1/apps", key: service.app.admin).decoded(Apps.self).apps
            #expect(apps.map(\.name) == ["first"])
            for key in [service.app.write, service.app.provider, service.app.read] {
                for (method, path) in [
                    ("GET", "/v1/apps"), ("POST", "/v1/apps"), ("GET", "/v1/keys"), ("POST", "/v1/keys"),
                    ("DELETE", "/v1/keys/\(ours[0].id)"),
                ] {
                    #expect(try await service.send(method, path, "{}", key: key).status == 403, "\(method) \(path)")
                }
            }
        }
    }

    @Test func whoMakesAnAppSeesNothingOfIt() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.send(
                "POST",
                "/v1/apps",
                #"{"name":"magazine"}"#,
                key: service.app.admin
            )
            #expect(answer.status == 201)
            let made = try answer.decoded(MadeApp.self)
            #expect(made.name == "magazine" && made.key.scope == "admin")
            #expect(try await service.client.post(Sample.action(device: "theirs"), key: made.key.key).status == 200)
            #expect(try await service.client.get("/v1/devices/theirs/events", key: made.key.key).status == 200)
            #expect(try await service.client.get("/v1/devices/theirs/events", key: service.app.admin).status == 404)
            let revoked = try await service.send("DELETE", "/v1/keys/\(made.key.id)", key: service.app.admin)
            #expect(revoked.status == 404)
            for key in [service.app.admin, made.key.key] {
                let apps = try await service.send("GET", "/v1/apps", key: key).decoded(Apps.self).apps
                #expect(apps.map(\.name) == [key == made.key.key ? "magazine" : "first"])
            }
            func refused(_ body: String, _ status: Int, _ code: String, key: String) async throws {
                let answer = try await service.send("POST", "/v1/apps", body, key: key)
                #expect(answer.status == status, "\(body)")
                #expect(try answer.problem.code == code, "\(body)")
            }
            try await refused(#"{"name":"third"}"#, 403, "made_by_key", key: made.key.key)
            try await refused(#"{"name":"magazine"}"#, 409, "taken", key: service.app.admin)
            try await refused(#"{"name":"Über"}"#, 400, "invalid_parameter", key: service.app.admin)
            try await refused("[]", 400, "invalid_json", key: service.app.admin)
            try await refused(String(repeating: " ", count: 5000), 413, "too_large", key: service.app.admin)
        }
    }

    @Test func thereAreSoManyAtMost() async throws {
        try await ServiceFixture.run { service in
            let owner = try await service.database.connect()
            try await owner.query(
                """
                INSERT INTO notilog.api_key (key_id, app_id, scope, hash, revoked_at)
                SELECT 'k' || n, $1, 'read', sha256(n::text::bytea), CASE WHEN n > 995 THEN now() - n * interval '1 s' END
                FROM generate_series(1, 2100) n
                """,
                [.app(service.app.id)]
            )
            let body = #"{"scope":"read"}"#
            #expect(try await service.send("POST", "/v1/keys", body, key: service.app.admin).status == 201)
            #expect(
                try await service.number("SELECT count(*) FROM notilog.api_key WHERE revoked_at IS NOT NULL") == 1000,
                "of those that are revoked the newest are kept"
            )
            let full = try await service.send("POST", "/v1/keys", body, key: service.app.admin)
            #expect(full.status == 409)
            #expect(try full.problem.code == "too_many")
            try await owner.query(
                "INSERT INTO notilog.app (name, made_by) SELECT 'made' || n, $1 FROM generate_series(1, 100) n",
                [.app(service.app.id)]
            )
            let apps = try await service.send("POST", "/v1/apps", #"{"name":"more"}"#, key: service.app.admin)
            #expect(apps.status == 409)
            #expect(try apps.problem.code == "too_many")
            await owner.close()
        }
    }
}
