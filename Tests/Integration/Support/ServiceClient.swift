import Administration
import EventLog
import Foundation
import NotificationEvents
import PlainHTTP
import Postgres

/// An app with a key of each scope, made in a test's database.
struct TestApp: Sendable {
    var name: String
    var id: AppID
    var write: String
    var provider: String
    var read: String
    var admin: String

    static func make(_ name: String, in database: TestDatabase) async throws -> TestApp {
        let pool = Pool(database.configuration, limit: 1)
        let administration = Administration(pool)
        let app = try await administration.createApp(name)
        let made = TestApp(
            name: name,
            id: app.id,
            write: try await administration.createKey(app: name, scope: .write).text,
            provider: try await administration.createKey(app: name, scope: .provider).text,
            read: try await administration.createKey(app: name, scope: .read).text,
            admin: try await administration.createKey(app: name, scope: .admin).text
        )
        await pool.shutDown()
        return made
    }
}

/// The answer to `POST /v1/events`.
struct EventsReply: Decodable {
    struct Item: Decodable {
        struct Failure: Decodable {
            var code: String
            var pointer: String
            var message: String
        }

        var index: Int
        var id: String?
        var status: String
        var position: Int64?
        var error: Failure?
        var warnings: [String]?
    }

    var accepted: Int
    var duplicate: Int
    var rejected: Int
    var position: Int64?
    var results: [Item]
}

/// Problem details.
struct ProblemReply: Decodable {
    var status: Int
    var code: String
    var detail: String
}

extension HTTPAnswer {
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(body))
    }

    var events: EventsReply {
        get throws { try decoded() }
    }

    var problem: ProblemReply {
        get throws { try decoded() }
    }
}

/// Talks to a service, one request at a time.
struct ServiceClient: Sendable {
    let connection: HTTPConnection

    static func connect(_ url: String) async throws -> ServiceClient {
        ServiceClient(connection: try await HTTPConnection.connect(try HTTPAddress(url: url)))
    }

    func post(
        _ body: String,
        key: String?,
        type: String? = "application/json",
        query: String = "",
        headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        try await post(bytes: Array(body.utf8), key: key, type: type, query: query, headers: headers)
    }

    func post(
        bytes: [UInt8],
        key: String?,
        type: String? = "application/json",
        query: String = "",
        headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        var all = headers
        if let key { all.append(("Authorization", "Bearer \(key)")) }
        if let type { all.append(("Content-Type", type)) }
        return try await connection.send("POST", "/v1/events" + query, headers: all, body: bytes)
    }

    /// Asks again, as whoever asks for a `min_position` does, while projections are behind it.
    func get(_ path: String, key: String? = nil, headers: [(String, String)] = [], method: String = "GET") async throws
        -> HTTPAnswer
    {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let answer = try await connection.send(
                method,
                path,
                headers: headers + (key.map { [("Authorization", "Bearer \($0)")] } ?? [])
            )
            guard answer.status == 409, path.contains("min_position="), ContinuousClock.now < deadline else {
                return answer
            }
        }
    }
}

/// A service on a database of its own, with one app.
struct ServiceFixture {
    let database: TestDatabase
    let service: ServiceProcess
    let app: TestApp
    let client: ServiceClient

    /// Runs a test against a service, and stops that afterwards.
    static func run(
        _ settings: [String: String] = [:],
        _ body: (ServiceFixture) async throws -> Void
    ) async throws {
        try await TestDatabase.withDatabase { database in
            let app = try await TestApp.make("first", in: database)
            let service = try await ServiceProcess.start(database: database.url, settings: settings)
            let fixture = ServiceFixture(
                database: database,
                service: service,
                app: app,
                client: try await ServiceClient.connect(service.url)
            )
            do {
                try await body(fixture)
            } catch {
                await service.kill()
                throw error
            }
            await fixture.client.connection.close()
            await service.stop()
        }
    }

    /// Sends a request with a key, and JSON.
    func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        key: String
    ) async throws -> HTTPAnswer {
        try await client.connection.send(
            method,
            path,
            headers: [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")],
            body: Array(body.utf8)
        )
    }

    /// One number that the database gives.
    func number(_ sql: String) async throws -> Int64 {
        let connection = try await database.connect()
        let number: Int64 = try await connection.query(sql, cached: false).only().get(0)
        await connection.close()
        return number
    }

    func text(_ sql: String) async throws -> String? {
        let connection = try await database.connect()
        let text = try await connection.query(sql, cached: false).first?.get(0, as: String?.self)
        await connection.close()
        return text ?? nil
    }
}

/// An event that is in order.
enum Sample {
    static func action(
        device: String = "d1",
        notification: String = "n1",
        action: String = "default",
        id: String? = nil,
        at: String = time(0),
        more: String = ""
    ) -> String {
        let id = id.map { #""id":"\#($0)","# } ?? ""
        return #"{"kind":"action_response",\#(id)"device_id":"\#(device)","notification_id":"\#(notification)","#
            + #""action_id":"\#(action)","occurred_at":"\#(at)"\#(more)}"#
    }

    /// So many seconds ago, as RFC 3339.
    static func time(_ secondsAgo: Int) -> String {
        let formatter = ISO8601DateFormatter()
        return formatter.string(from: Date(timeIntervalSinceNow: -Double(secondsAgo)))
    }
}

extension ServiceFixture {
    /// Whether a number comes to be what it should within some seconds: for what is written behind the answer.
    func eventually(_ sql: String, is expected: Int64, within duration: Duration = .seconds(10)) async throws -> Bool {
        let deadline = ContinuousClock.now + duration
        while try await number(sql) != expected {
            guard ContinuousClock.now < deadline else { return false }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
        return true
    }
}
