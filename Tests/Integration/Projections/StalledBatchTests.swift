import Foundation
import Postgres
import Projections
import Testing

/// Promise 19: a batch of a frozen process gives way, also where the server waits for it in the middle of a statement.
@Suite("Projections: a frozen holder")
struct StalledBatchTests {
    @Test("whose rows nobody reads holds a group for some seconds, not for good", .timeLimit(.minutes(5)))
    func rowsThatNobodyReads() async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(100)
            try await fixture.runner().catchUp()
            let last = try await fixture.fill(100)
            // As the service does it: with the rights of a role that may not end sessions of its login.
            try await TestLogin.with(["notilog_projector"], in: fixture.database, attributes: "NOINHERIT") { login in
                try await goesOn(past: last, fixture, login.database)
            }
        }
    }

    @Test(
        "that sent a part of what its statement needs, or has not read what ended, holds a group for some seconds, too",
        .timeLimit(.minutes(5)),
        arguments: [FrozenSession.Point.inStatement, .afterStatement]
    )
    func frozenSession(at point: FrozenSession.Point) async throws {
        try await ProjectionFixture.with { fixture in
            try await fixture.fill(100)
            try await fixture.runner().catchUp()
            let last = try await fixture.fill(100)
            try await TestLogin.with(["notilog_projector"], in: fixture.database, attributes: "NOINHERIT") { login in
                let holder = try await FrozenSession(
                    point,
                    as: login.name,
                    in: try await fixture.connection.value("SELECT current_database()::text"),
                    application: "notilog projections",
                    after:
                        "SET ROLE notilog_projector; BEGIN; SELECT projection.lock_version('projection', 'notification')"
                )
                defer { holder.close() }
                try await holder.begin("notilog projections", on: fixture.connection)
                try await anotherGoesOn(past: last, fixture, login.database)
            }
        }
    }

    private func goesOn(past last: Int64, _ fixture: ProjectionFixture, _ database: TestDatabase) async throws {
        // A process that takes the group's lock, asks for many rows, and is frozen while they are sent.
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = [
            "psql", "-qAt", "-v", "FETCH_COUNT=1000", database.url, "-c",
            "SET ROLE notilog_projector; BEGIN; SELECT projection.lock_version('projection', 'notification'); "
                + "SELECT repeat('x', 1000) FROM generate_series(1, 10000000)",
        ]
        holder.environment = ProcessInfo.processInfo.environment.merging(["PGAPPNAME": "notilog projections"]) { $1 }
        holder.standardOutput = FileHandle.nullDevice
        try holder.begin()
        try await eventually("it sends rows") {
            try await fixture.connection.value(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'notilog projections' AND query ~ 'repeat'"
            ) == Int64(1)
        }
        kill(holder.processIdentifier, SIGSTOP)
        defer {
            kill(holder.processIdentifier, SIGKILL)
            holder.waitUntilExit()
        }
        try await eventually("the server waits for it to read") {
            try await fixture.connection.value(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'notilog projections' AND wait_event = 'ClientWrite'"
            ) == Int64(1)
        }
        try await anotherGoesOn(past: last, fixture, database)
    }

    private func anotherGoesOn(
        past last: Int64,
        _ fixture: ProjectionFixture,
        _ database: TestDatabase
    ) async throws {
        let runner = fixture.runner(configuration: database.configuration.with(settings: ["role": "notilog_projector"]))
        let running = Task { await runner.run() }
        defer { running.cancel() }
        try await eventually("another goes on", within: .seconds(120)) {
            try await fixture.status().position >= last
        }
    }
}
