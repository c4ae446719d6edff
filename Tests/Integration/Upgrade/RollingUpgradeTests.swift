import Foundation
import PlainHTTP
import Postgres
import Testing

/// A service of this release runs on the schema of the next one, so that instances are replaced one by one.
@Suite("Rolling upgrade", .serialized)
struct RollingUpgradeTests {
    private func service(_ database: TestDatabase, _ release: NextRelease?) async throws -> ServiceProcess {
        var environment = ["NOTILOG_DATABASE_URL": database.url]
        if let release { environment["NOTILOG_SHARE"] = release.share }
        return try await ServiceProcess.start(["serve", "--port", "0"], environment: environment)
    }

    private func notilog(
        _ arguments: [String],
        _ database: TestDatabase,
        _ release: NextRelease? = nil
    ) async throws -> CommandResult {
        var environment = ["NOTILOG_DATABASE_URL": database.url]
        if let release { environment["NOTILOG_SHARE"] = release.share }
        return try await NotilogCommand.run(arguments, environment: environment)
    }

    /// Waits until so many more events are acknowledged, by each sender.
    private func grow(_ loads: [ServiceLoad], by count: Int) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        for load in loads {
            let target = load.state.acknowledged.count + count
            while load.state.acknowledged.count < target {
                guard ContinuousClock.now < deadline else {
                    Issue.record("no progress: \(load.state.acknowledged.count) acknowledged, \(load.state.refused)")
                    throw CancellationError()
                }
                try await ContinuousClock().sleep(for: .milliseconds(5))
            }
        }
    }

    @Test(
        "instances are replaced one by one under load: nothing acknowledged is lost, no request refused",
        .timeLimit(.minutes(15))
    )
    func oneByOne() async throws {
        try await NextRelease.with { next in
            try await TestDatabase.withDatabase { database in
                let app = try await TestApp.make("first", in: database)
                let old = [try await service(database, nil), try await service(database, nil)]
                let loads = try old.map { try ServiceLoad(url: $0.url, key: app.write) }
                let sending = loads.map { load in Task { await load.run(connections: 4, batch: 3) } }
                try await grow(loads, by: 100)

                // The schema first, under the load of both.
                let migrated = try await notilog(["migrate"], database, next)
                #expect(migrated.status == 0, "\(migrated.errors)")
                try await grow(loads, by: 200)
                let client = try await ServiceClient.connect(old[0].url)
                let ready = try await client.get("/readyz")
                #expect(ready.status == 200, "\(ready.text)")
                let report = try await client.get("/v1/reports/settings", key: app.read)
                #expect(report.status == 200, "\(report.text)")
                await client.connection.close()

                // One that stops in between may start again as it was.
                let restarted = try await service(database, nil)
                #expect(try await eventually { restarted.log.contains("a later release migrated the database") })
                let more = try ServiceLoad(url: restarted.url, key: app.write)
                let sendingMore = Task { await more.run(connections: 2, batch: 3) }
                try await grow([more], by: 50)

                // Then each instance, its senders going elsewhere before it stops.
                var new: [ServiceProcess] = []
                var all = loads + [more]
                for index in old.indices {
                    let instance = try await service(database, next)
                    let load = try ServiceLoad(url: instance.url, key: app.write)
                    let task = Task { await load.run(connections: 4, batch: 3) }
                    try await grow([load], by: 50)
                    loads[index].stop()
                    await sending[index].value
                    #expect(await old[index].stop() == 0)
                    load.stop()
                    await task.value
                    all.append(load)
                    new.append(instance)
                }
                more.stop()
                await sendingMore.value
                #expect(await restarted.stop() == 0)

                let connection = try await database.connect()
                for load in all {
                    #expect(load.state.refused.isEmpty, "\(load.state.refused)")
                    #expect(load.state.broken == 0)
                    let verdict = try await load.verdict(connection)
                    #expect(verdict.lost == 0)
                    #expect(verdict.twice == 0)
                }
                let acknowledged = all.reduce(0) { $0 + $1.state.acknowledged.count }
                #expect(try await connection.value("SELECT count(*) FROM log.event") == Int64(acknowledged))
                #expect(
                    try await connection.texts("SELECT pronargs::text FROM pg_proc WHERE proname = 'append'") == ["18"]
                )
                try await eventually("projections went on through all of it", reaching: Int64(acknowledged)) {
                    try await connection.value("SELECT min(position) FROM projection.checkpoint WHERE position > 0")
                }
                await connection.close()
                for instance in new { #expect(await instance.stop() == 0) }
            }
        }
    }

    @Test("the older release's migrate leaves the newer schema alone, and says which one to run")
    func olderMigrate() async throws {
        try await NextRelease.with { next in
            try await TestDatabase.withDatabase { database in
                #expect(try await notilog(["migrate"], database, next).status == 0)
                let result = try await notilog(["migrate"], database)
                #expect(result.status == 1)
                #expect(result.errors.contains("run that release's `notilog migrate`"), "\(result.errors)")
                let connection = try await database.connect()
                #expect(
                    try await connection.texts("SELECT pronargs::text FROM pg_proc WHERE proname = 'append'") == ["18"]
                )
                await connection.close()
            }
        }
    }

    @Test(
        "a schema that needs newer services is refused with the command that mends it",
        arguments: [
            "-- a header that says nothing", "-- oldest service: %d1",
        ]
    )
    func incompatible(_ header: String) async throws {
        try await NextRelease.with(header: header) { next in
            try await TestDatabase.withDatabase { database in
                let old = try await service(database, nil)
                let migrated = try await notilog(["migrate"], database, next)
                guard migrated.status == 0 else {
                    // A number beyond its own is no promise that anybody could keep.
                    #expect(header.contains("%d1"))
                    #expect(migrated.errors.contains("takes a number up to \(next.version)"), "\(migrated.errors)")
                    await old.kill()
                    return
                }
                let client = try await ServiceClient.connect(old.url)
                let ready = try await client.get("/readyz")
                #expect(ready.status == 503)
                #expect(ready.text.contains("notilog serve"), "\(ready.text)")
                await client.connection.close()
                await old.stop()
                let refused = try await notilog(["serve", "--port", "0"], database)
                #expect(refused.status == 1)
                #expect(
                    refused.errors.contains("services older than \(next.version) cannot work on it")
                        && refused.errors.contains("install that release and start its `notilog serve`"),
                    "\(refused.errors)"
                )
                let new = try await service(database, next)
                #expect(await new.stop() == 0)
            }
        }
    }

    @Test("a newer service on the older schema is refused, and told to migrate")
    func notYetMigrated() async throws {
        try await NextRelease.with { next in
            try await TestDatabase.withDatabase { database in
                let refused = try await notilog(["serve", "--port", "0"], database, next)
                #expect(refused.status == 1)
                #expect(refused.errors.contains("1 migration behind: run `notilog migrate`"), "\(refused.errors)")
            }
        }
    }
}
