import EventLog
import Foundation
import PlainHTTP
import Postgres
import Testing

/// The digest of an erased device's token is nowhere either, whoever's event carries it, and comes back only with a device
/// that registers the token.
@Suite("Erasure: tokens")
struct ErasedTokenTests {
    private static let token = String(repeating: "e7", count: 32)

    private static func event(_ kind: String, _ device: String, _ seconds: Int, _ fields: String) -> String {
        let device = device.isEmpty ? "" : #""device_id":"\#(device)","#
        return #"{"kind":"\#(kind)",\#(device)"occurred_at":"\#(Sample.time(seconds))",\#(fields)}"#
    }

    private static func registration(_ device: String, _ seconds: Int) -> String {
        event("token", device, seconds, #""token":"\#(token)""#)
    }

    private static func request(_ device: String, _ notification: String, _ seconds: Int) -> String {
        let fields =
            #""notification_id":"\#(notification)","origin":"provider","push":{"push_type":"alert","token":"\#(token)"}"#
        return event("request", device, seconds, fields)
    }

    private static func result(_ device: String, _ status: Int, _ seconds: Int) -> String {
        let reason = status == 200 ? "" : #","reason":"Unregistered""#
        return event("push_result", device, seconds, #""token":"\#(token)","status":\#(status)\#(reason)"#)
    }

    private func digest(_ service: ServiceFixture) async throws -> String {
        try await service.text("SELECT encode(sha256(convert_to('\(Self.token)', 'UTF8')), 'hex')") ?? ""
    }

    @Test("what another device's requests and push results carry of it gives way, and every number stands")
    func carriedByAnother() async throws {
        try await ServiceFixture.run { service in
            let events = [
                Self.registration("gone", 60), Self.request("gone", "n1", 50), Self.request("stays", "n2", 40),
                Self.result("stays", 410, 30), Self.request("stays", "n3", 20), Self.result("", 200, 10),
            ]
            let body = "[" + events.joined(separator: ",") + "]"
            #expect(try await service.client.post(body, key: service.app.provider).events.accepted == 6)
            let rejected =
                #"[{"kind":"request","device_id":"stays","push":{"token":"\#(Self.token)"},"occurred_at":"never"}]"#
            #expect(try await service.client.post(rejected, key: service.app.provider).events.rejected == 1)
            try #require(try await service.caughtUp())
            let needles = ["gone", try await digest(service)]
            let places = try await StoreSearch.places(of: [needles[1]], in: service.database)
            for place in ["log.event.token", "log.quarantine.item", "projection.token_event.token"] {
                #expect(places.contains(place))
            }
            let said = try await service.reports()
            let requests = "SELECT count(*) FROM log.event WHERE device_id = 'stays' AND token IS NOT NULL"
            #expect(try await service.number(requests) == 3)

            _ = try await service.erase("gone")
            #expect(try await StoreSearch.places(of: needles, in: service.database) == [])
            try #require(try await service.caughtUp())
            #expect(try await StoreSearch.places(of: needles, in: service.database) == [])
            #expect(try await service.number(requests) == 3, "what the others sent is there, under the surrogate")
            #expect(try await service.reports() == said)
            let live = try await service.projections()
            let environment = ["NOTILOG_DATABASE_URL": service.database.url]
            for name in ["notification", "device_token", "push_result"] {
                let rebuilt = try await NotilogCommand.run(["projections", "rebuild", name], environment: environment)
                #expect(rebuilt.status == 0, "\(rebuilt.errors)")
            }
            #expect(try await service.projections() == live)
        }
    }

    @Test("later events with it are refused, whosesoever, until another device registers it")
    func sentLater() async throws {
        try await ServiceFixture.run { service in
            func refusals(_ events: String...) async throws -> [String?] {
                let body = "[" + events.joined(separator: ",") + "]"
                let answer = try await service.client.post(body, key: service.app.provider)
                return try answer.events.results.map { $0.error?.code }
            }
            #expect(try await refusals(Self.registration("gone", 60)) == [])
            _ = try await service.erase("gone")
            #expect(
                try await refusals(
                    Self.request("stays", "n1", 50),
                    Self.result("stays", 200, 40),
                    Self.result("", 200, 30)
                ) == ["erased", "erased", "erased"]
            )
            let rejected =
                #"{"kind":"request","device_id":"stays","push":{"token":"\#(Self.token)"},"occurred_at":"never"}"#
            #expect(try await refusals(rejected) == ["invalid_value"])
            let needle = try await digest(service)
            #expect(try await StoreSearch.places(of: [needle], in: service.database) == [])

            #expect(try await refusals(Self.registration("stays", 20)) == [])
            #expect(try await refusals(Self.request("stays", "n1", 10), Self.result("", 200, 5)) == [])
            // The registration may leave the log before the token leaves the device.
            try #require(try await service.caughtUp())
            let connection = try await service.database.connect()
            try await connection.query("DELETE FROM log.event WHERE kind = 'token' AND device_id = 'stays'")
            await connection.close()
            #expect(try await refusals(Self.request("stays", "n2", 3)) == [])
        }
    }

    @Test("from the moment that an erasure begins nothing slips in behind it by the token that is still there")
    func betweenBeginningAndEnd() async throws {
        try await ServiceFixture.run { service in
            let body = Self.registration("gone", 60)
            #expect(try await service.client.post(body, key: service.app.provider).events.accepted == 1)
            let connection = try await service.database.connect()
            try await connection.query("SELECT log.erasure_begin($1, 'gone')", [.app(service.app.id)])
            await connection.close()
            for late in [Self.result("", 200, 30), Self.request("stays", "n1", 20)] {
                let answer = try await service.client.post(late, key: service.app.provider)
                #expect(try answer.events.results.first?.error?.code == "erased")
            }
        }
    }

    @Test("a token that nobody registered is everybody's who has events with it, and stays as long as one of them does")
    func registeredByNobody() async throws {
        try await ServiceFixture.run { service in
            let body = "[\(Self.request("gone", "n1", 50)),\(Self.request("stays", "n2", 40))]"
            #expect(try await service.client.post(body, key: service.app.provider).events.accepted == 2)
            let needle = try await digest(service)
            _ = try await service.erase("gone")
            let held = "SELECT count(*) FROM log.event WHERE device_id = 'stays' AND encode(token, 'hex') = '\(needle)'"
            #expect(try await service.number(held) == 1)
            let later = Self.request("stays", "n3", 10)
            #expect(try await service.client.post(later, key: service.app.provider).events.accepted == 1)
            _ = try await service.erase("stays")
            #expect(try await StoreSearch.places(of: [needle], in: service.database) == [])
        }
    }
}
