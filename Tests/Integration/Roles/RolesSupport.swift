import Foundation
import PlainHTTP
import Postgres
import Synchronization
import Testing

/// A login of one test's own. Roles are the cluster's, so its name is unlike any other test's.
struct TestLogin: Sendable {
    let name: String
    /// The test's database, as this login.
    let database: TestDatabase

    private static let made = Mutex(0)

    /// Runs a test with a login that is a member of some roles and has no other right.
    static func with<Value>(
        _ roles: [String],
        in database: TestDatabase,
        attributes: String = "",
        caller: isolated (any Actor)? = #isolation,
        _ body: (TestLogin) async throws -> Value
    ) async throws -> Value {
        let number = made.withLock { made in
            made += 1
            return made
        }
        let name = "login_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
        let connection = try await database.connect()
        try await connection.query("CREATE ROLE \(name) LOGIN \(attributes)", cached: false)
        for role in roles { try await connection.query("GRANT \(role) TO \(name)", cached: false) }
        let url = database.url.replacingOccurrences(of: "postgresql://postgres@", with: "postgresql://\(name)@")
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(TestLogin(name: name, database: TestDatabase(url: url))))
        } catch {
            result = .failure(error)
        }
        // A session that is ending still has temporary tables, which DROP OWNED would stumble over.
        let deadline = ContinuousClock.now + .seconds(10)
        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = '\(name)'"
        while try await connection.value(sessions) > 0 as Int64, ContinuousClock.now < deadline {
            try await ContinuousClock().sleep(for: .milliseconds(5))
        }
        try await connection.query("REASSIGN OWNED BY \(name) TO postgres", cached: false)
        try await connection.query("DROP OWNED BY \(name)", cached: false)
        try await connection.query("DROP ROLE \(name)", cached: false)
        await connection.close()
        return try result.get()
    }
}

extension Connection {
    /// The SQLSTATE with which a statement is refused; nil where it is not. Nothing of it stays.
    func refusal(_ sql: String) async throws -> String? {
        try await query("BEGIN")
        do {
            try await query(sql, cached: false)
            try await query("ROLLBACK")
            return nil
        } catch let error as PostgresError {
            try await query("ROLLBACK")
            return error.sqlState ?? "no answer"
        }
    }

    /// The first column of a query, as texts.
    func texts(_ sql: String, _ parameters: [Parameter] = []) async throws -> [String] {
        try await query(sql, parameters, cached: false).map { try $0.get(0, as: String.self) }
    }
}

/// A service's database with two apps, each with simulated traffic of its own, every projection applied.
struct TwoApps: Sendable {
    let database: TestDatabase
    let first: TestApp
    let second: TestApp

    static func with(_ body: (TwoApps) async throws -> Void) async throws {
        try await ServiceFixture.run { fixture in
            let second = try await TestApp.make("second", in: fixture.database)
            try await NotilogCommand.simulate(seed: 1, app: fixture.app, url: fixture.service.url)
            // The second app's keys are not known yet to a service that started before they were made; they soon are.
            let deadline = ContinuousClock.now + .seconds(10)
            while try await fixture.client.get("/v1/reports", key: second.read).status == 401,
                ContinuousClock.now < deadline
            { try await ContinuousClock().sleep(for: .milliseconds(20)) }
            try await NotilogCommand.simulate(seed: 2, app: second, url: fixture.service.url)
            for app in [fixture.app, second] {
                let bad = #"{"kind":"action_response","device_id":"d","occurred_at":"yesterday"}"#
                #expect(try await fixture.client.post(bad, key: app.write).status == 422)
                let event = Sample.action(id: UUID().uuidString.lowercased())
                #expect(try await fixture.client.post(event, key: app.write).status == 200)
                #expect(try await fixture.client.post(event, key: app.write).events.duplicate == 1)
            }
            #expect(
                try await fixture.eventually(
                    """
                    SELECT count(*) FROM projection.checkpoint c, log.position p
                    WHERE c.name IN ('notification', 'device_token') AND c.position = p.last_value
                    """,
                    is: 2,
                    within: .seconds(30)
                )
            )
            #expect(
                try await fixture.eventually(
                    "SELECT count(DISTINCT app_id) FROM log.tally WHERE outcome = 'duplicate'",
                    is: 2
                )
            )
            try await body(TwoApps(database: fixture.database, first: fixture.app, second: second))
        }
    }
}

extension NotilogCommand {
    fileprivate static func simulate(seed: Int, app: TestApp, url: String) async throws {
        let result = try await run([
            "simulate", "--devices", "25", "--days", "4", "--seed", String(seed), "--url", url,
            "--key", app.write, "--provider-key", app.provider,
        ])
        try #require(result.status == 0, "\(result.errors)")
    }
}
