import EventLog
import Foundation
import NotificationEvents
import PlainHTTP
import Postgres
import Testing

/// What was noted of an app: by HTTP, by the command, in SQL; each app's is its own.
@Suite("Annotations", .serialized)
struct AnnotationTests {
    private struct Noted: Decodable, Equatable {
        var id: Int64
        var at: String
        var label: String
    }

    private struct List: Decodable {
        var annotations: [Noted]
    }

    private static let release = #"{"label":"release 4.2","at":"2026-03-01T10:00:00+01:00"}"#

    private func list(_ service: ServiceFixture, _ query: String = "", key: String) async throws -> [Noted] {
        try await service.send("GET", "/v1/annotations\(query)", key: key).decoded(List.self).annotations
    }

    @Test("a deploy hook that repeats its request notes once, and readers find it at its time")
    func noted() async throws {
        try await ServiceFixture.run { service in
            let first = try await service.send("POST", "/v1/annotations", Self.release, key: service.app.provider)
            #expect(first.status == 201, "\(first.text)")
            let again = try await service.send("POST", "/v1/annotations", Self.release, key: service.app.provider)
            #expect(again.status == 200)
            let noted = try first.decoded(Noted.self)
            #expect(try again.decoded(Noted.self) == noted)
            #expect(noted.label == "release 4.2" && noted.at == "2026-03-01T09:00:00.000000Z")
            let now = try await service.send("POST", "/v1/annotations", #"{"label":"now"}"#, key: service.app.admin)
            #expect(now.status == 201)
            #expect(try await list(service, key: service.app.read).map(\.label) == ["release 4.2", "now"])
            // Half-open, as ranges of reports are.
            let (at, after) = ("2026-03-01T09:00:00Z", "2026-03-01T09:00:00.000001Z")
            #expect(try await list(service, "?from=\(at)&to=\(after)", key: service.app.read) == [noted])
            #expect(try await list(service, "?from=2026-02-01T00:00:00Z&to=\(at)", key: service.app.read) == [])
            #expect(try await list(service, "?from=\(after)&to=2026-04-01T00:00:00Z", key: service.app.read) == [])
        }
    }

    @Test("scopes: senders of pushes and admins note, readers and admins read, admins delete")
    func scopes() async throws {
        try await ServiceFixture.run { service in
            let noted = try await service.send("POST", "/v1/annotations", Self.release, key: service.app.admin)
            let path = "/v1/annotations/\(try noted.decoded(Noted.self).id)"
            let keys = [service.app.write, service.app.provider, service.app.read, service.app.admin]
            var statuses: [[Int]] = []
            for (method, path) in [("POST", "/v1/annotations"), ("GET", "/v1/annotations"), ("DELETE", path)] {
                var row: [Int] = []
                for key in keys {
                    row.append(try await service.send(method, path, Self.release, key: key).status)
                }
                statuses.append(row)
            }
            #expect(statuses == [[403, 200, 403, 200], [403, 403, 200, 200], [403, 403, 403, 200]])
            #expect(try await list(service, key: service.app.read) == [])
        }
    }

    @Test("no app sees or deletes another's, nor does its reader in SQL; they go with their app")
    func apart() async throws {
        try await ServiceFixture.run { service in
            let other = try await TestApp.make("second", in: service.database)
            let noted = try await service.send("POST", "/v1/annotations", Self.release, key: service.app.admin)
            let path = "/v1/annotations/\(try noted.decoded(Noted.self).id)"
            #expect(try await list(service, key: other.read) == [])
            #expect(try await service.send("DELETE", path, key: other.admin).status == 404)
            #expect(try await service.send("POST", "/v1/annotations", Self.release, key: other.admin).status == 201)
            try await TestLogin.with([], in: service.database) { login in
                let environment = ["NOTILOG_DATABASE_URL": service.database.url]
                let granted = try await NotilogCommand.run(
                    ["apps", "grant", "second", "--to", login.name],
                    environment: environment
                )
                #expect(granted.status == 0, "\(granted.errors)")
                let reader = try await login.database.connect()
                let seen =
                    "SELECT a.name || ' ' || n.label FROM readable.annotation n JOIN readable.app a USING (app_id)"
                #expect(try await reader.texts(seen) == ["second release 4.2"])
                await reader.close()
            }
            let deleted = try await NotilogCommand.run(
                ["apps", "delete", "second", "--yes"],
                environment: ["NOTILOG_DATABASE_URL": service.database.url]
            )
            #expect(deleted.status == 0, "\(deleted.errors)")
            #expect(try await service.number("SELECT count(*) FROM notilog.annotation") == 1)
        }
    }

    @Test("what cannot be noted is refused, and so is one more than the limit")
    func refused() async throws {
        try await ServiceFixture.run { service in
            let long = String(repeating: "é", count: 101)
            for body in [
                #"{"label":""}"#, #"{"label":"two\nlines"}"#, #"{"label":"\#(long)"}"#,
                #"{"at":"2026-03-01T10:00:00Z"}"#,
                #"{"label":"x","at":"yesterday"}"#, #"{"label":"x","at":"2026-03-01"}"#,
            ] {
                let answer = try await service.send("POST", "/v1/annotations", body, key: service.app.admin)
                #expect(answer.status == 400, "\(body): \(answer.text)")
            }
            #expect(try await service.send("GET", "/v1/annotations?from=1", key: service.app.read).status == 400)
            #expect(try await service.send("GET", "/v1/annotations?for=1", key: service.app.read).status == 400)
            let connection = try await service.database.connect()
            try await connection.query(
                """
                INSERT INTO notilog.annotation (app_id, at, label)
                SELECT $1, to_timestamp(n), 'x' FROM generate_series(1, 10000) n
                """,
                [.app(service.app.id)]
            )
            let more = try await service.send("POST", "/v1/annotations", Self.release, key: service.app.admin)
            #expect(more.status == 409 && more.text.contains("too_many"), "\(more.text)")
            await connection.close()
        }
    }

    @Test("the command notes, lists and deletes")
    func command() async throws {
        try await TestDatabase.withDatabase { database in
            _ = try await TestApp.make("first", in: database)
            func run(_ arguments: String...) async throws -> CommandResult {
                try await NotilogCommand.run(arguments, environment: ["NOTILOG_DATABASE_URL": database.url])
            }
            let noted = try await run("annotate", "release 4.2", "--at", "2026-03-01T09:00:00Z", "--json")
            #expect(noted.status == 0, "\(noted.errors)")
            let id = try JSONDecoder().decode(Noted.self, from: Data(noted.output.utf8)).id
            #expect(try await run("annotate", "release 4.2", "--at", "2026-03-01T09:00:00Z").output.contains("before"))
            let list = try await run("annotations", "list")
            #expect(list.output.contains("release 4.2") && list.output.contains("2026-03-01T09:00:00"))
            #expect(try await run("annotate", "x", "--at", "soon").status == 64)
            #expect(try await run("annotations", "delete", String(id)).status == 0)
            #expect(try await run("annotations", "delete", String(id)).status == 1)
        }
    }
}
