import Foundation
import PlainHTTP
import Postgres
import Testing

/// Ids hashed with two secrets would be two devices each, and an erasure would miss one of them.
@Suite("The secret of hashed ids")
struct IDHashSecretTests {
    /// Runs the service with a secret, or with none.
    private func withService(
        _ secret: String?,
        _ database: TestDatabase,
        _ body: (ServiceProcess, ServiceClient) async throws -> Void
    ) async throws {
        var environment = ["NOTILOG_DATABASE_URL": database.url]
        environment["NOTILOG_ID_HASH_SECRET"] = secret
        let service = try await ServiceProcess.start(["serve", "--port", "0"], environment: environment)
        let client = try await ServiceClient.connect(service.url)
        try await body(service, client)
        await client.connection.close()
        #expect(await service.stop() == 0)
    }

    @Test("another secret than the one of the ids is refused, and said", .timeLimit(.minutes(5)))
    func anotherSecret() async throws {
        try await TestDatabase.withDatabase { database in
            let hashing = try await TestApp.make("strict", in: database)
            let other = try await TestApp.make("shop", in: database)
            let connection = try await database.connect()
            try await connection.query("UPDATE notilog.app SET hash_ids = true WHERE name = 'strict'", cached: false)
            try await withService("mistaken", database) { _, _ in }
            // As doctor advises where nothing is hashed yet.
            try await connection.query("DELETE FROM notilog.id_hash_secret", cached: false)
            try await withService("right", database) { _, client in
                let answer = try await client.post(Sample.action(device: "d1"), key: hashing.write)
                #expect(try answer.events.accepted == 1)
            }
            try await withService("wrong", database) { service, client in
                let refused = try await client.post(Sample.action(device: "d2"), key: hashing.write)
                #expect(refused.status == 503)
                #expect(try refused.decoded(ProblemReply.self).code == "id_hash_secret")
                #expect(service.log.contains("NOTILOG_ID_HASH_SECRET is not the secret"))
                #expect(!service.log.contains("wrong\"") && !service.log.contains("mistaken"))
                #expect(try await client.post(Sample.action(device: "d2"), key: other.write).events.accepted == 1)
            }
            let environment = ["NOTILOG_DATABASE_URL": database.url, "NOTILOG_ID_HASH_SECRET": "wrong"]
            let erasure = try await NotilogCommand.run(
                ["devices", "erase", "--app", "strict", "d1"],
                environment: environment
            )
            #expect(erasure.status == 1 && erasure.errors.contains("hashed with another secret"), "\(erasure.errors)")
            let report = try await DoctorReport.run(database.url, environment: ["NOTILOG_ID_HASH_SECRET": "wrong"])
            report.expect("fail", "keys", "strict stores ids as keyed hashes, but of another", advice: "the first one")
            try await withService("right", database) { _, client in
                let answer = try await client.post(Sample.action(device: "d3"), key: hashing.write)
                #expect(try answer.events.accepted == 1)
            }
            #expect(try await connection.value("SELECT count(*) FROM log.event", as: Int64.self) == 3)
            await connection.close()
        }
    }

    @Test("where no app hashes ids any more, the secret that erasures lack is said", .timeLimit(.minutes(5)))
    func noAppHashes() async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("strict", in: database)
            func turn(_ value: String, _ environment: [String: String] = [:]) async throws -> String {
                let variables = ["NOTILOG_DATABASE_URL": database.url].merging(environment) { $1 }
                return try await NotilogCommand.run(
                    ["apps", "set", "strict", "hash_ids", value],
                    environment: variables
                )
                .errors
            }
            let refused = "a service without it refuses the app's events"
            #expect(try await turn("on").contains(refused))
            #expect(try await !turn("on", ["NOTILOG_ID_HASH_SECRET": "right"]).contains(refused))
            try await withService("right", database) { service, _ in
                #expect(!service.log.contains("erasures are refused"))
            }
            #expect(try await !turn("off").contains(refused))
            for (secret, found) in [(nil, "is not set"), ("wrong", "another id_hash_secret")] as [(String?, String)] {
                try await withService(secret, database) { service, client in
                    let erasure = try await client.connection.send(
                        "DELETE",
                        "/v1/devices/d1",
                        headers: [("Authorization", "Bearer \(app.admin)")]
                    )
                    #expect(erasure.status == 503)
                    #expect(try erasure.decoded(ProblemReply.self).code == "id_hash_secret")
                    try await eventually("the log says so") { service.log.contains("erasures are refused") }
                }
                let environment = secret.map { ["NOTILOG_ID_HASH_SECRET": $0] } ?? [:]
                try await DoctorReport.run(database.url, environment: environment)
                    .expect("fail", "keys", found, advice: "set NOTILOG_ID_HASH_SECRET to the first one")
            }
            try await DoctorReport.run(database.url, environment: ["NOTILOG_ID_HASH_SECRET": "right"])
                .expect("ok", "keys", "each with keys")
        }
    }
}
