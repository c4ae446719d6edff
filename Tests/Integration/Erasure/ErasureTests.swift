import Foundation
import PlainHTTP
import Postgres
import Testing

/// A device that is erased is nowhere any more, and every number is what it was.
@Suite("Erasure")
struct ErasureTests {
    private func digest(_ token: String, _ service: ServiceFixture) async throws -> String {
        try await service.text("SELECT encode(sha256(convert_to('\(token)', 'UTF8')), 'hex')") ?? ""
    }

    @Test("after an erasure no column of any table holds the device, and every report says what it said")
    func nothingIsLeft() async throws {
        try await ServiceFixture.run { service in
            let connection = try await service.database.connect()
            try await connection.query("UPDATE notilog.app SET keep_reply_text = true")
            // The attribute that events say the person's words in.
            try await connection.query("SELECT notilog.name_dimensions(app_id, '{note}') FROM notilog.app")
            await connection.close()
            try #require(try await service.eventually("SELECT count(*) FROM notilog.app WHERE keep_reply_text", is: 1))

            let (subject, other) = (ErasureSubject("gone"), ErasureSubject("stays"))
            let events = subject.events() + other.events()
            let body = "[" + events.joined(separator: ",") + "]"
            #expect(try await service.client.post(body, key: service.app.provider).events.accepted == events.count)
            let rejected = (subject.rejected + other.rejected).joined(separator: ",")
            #expect(try await service.client.post("[\(rejected)]", key: service.app.provider).events.rejected == 6)
            try #require(try await service.caughtUp())

            let needles = subject.needles + [try await digest(subject.token, service)]
            let before = try await StoreSearch.places(of: needles, in: service.database)
            for place in [
                "log.event.device_id", "log.quarantine.item", "projection.notification.device_id",
                "projection.notification.attributes",
            ] {
                #expect(before.contains(place), "the search finds what is there")
            }
            let said = try await service.reports()

            let report = try await service.erase(subject.device)
            #expect(report.events == subject.events().count - 1, "all but the push_result, which names no device")
            let hashes =
                "SELECT count(*) FROM log.identity WHERE device_hash = hashtextextended('\(subject.device)', 0)"
            #expect(try await service.number(hashes) == 0, "nor does the identity table know it")
            // What is the other's alone stays: the words common to both go with one of them only.
            let own = [subject.device, subject.notification, subject.request, needles[needles.count - 1]]
            #expect(try await StoreSearch.places(of: own, in: service.database) == [])
            try #require(try await service.caughtUp())
            #expect(try await StoreSearch.places(of: own, in: service.database) == [])
            #expect(try await service.reports() == said)
            let ofSurrogates =
                "SELECT count(*) FROM log.event WHERE (device_id LIKE 'erased-%' OR (device_id = '' AND notification_id LIKE 'erased-%'))"
            #expect(
                try await service.number(ofSurrogates + " AND data ?| '{attributes,text,thread_id,apns_id}'") == 0
            )
            #expect(try await service.number(ofSurrogates + " AND data::text ~ 'private|iPhone99|eabeae54'") == 0)
            let erased = Int64(subject.events().count)
            #expect(try await service.number(ofSurrogates) == erased + 1, "its events and the one that records it")
            #expect(
                try await service.number("SELECT count(*) FROM projection.notification WHERE thread IS NOT NULL") == 1
            )
            #expect(
                try await service.number("SELECT count(*) FROM log.quarantine WHERE item->>'kind' IS NOT NULL") == 6
            )

            _ = try await service.erase(other.device)
            let rest = needles + other.needles + [try await digest(other.token, service)]
            #expect(try await StoreSearch.places(of: rest, in: service.database) == [])
            try #require(try await service.caughtUp())
            #expect(try await service.reports() == said)

            // A rebuild from the log gives the same rows, and so the same counts.
            let live = try await service.projections()
            try await rebuild(service)
            #expect(try await service.projections() == live)
            #expect(try await service.reports() == said)
        }
    }

    /// Compares every projection with a rebuild, and then puts a rebuild in the place of each.
    private func rebuild(_ service: ServiceFixture) async throws {
        let environment = ["NOTILOG_DATABASE_URL": service.database.url]
        let verified = try await NotilogCommand.run(["projections", "verify"], environment: environment)
        #expect(verified.status == 0, "\(verified.output) \(verified.errors)")
        for name in ["notification", "device_token", "push_result"] {
            let rebuilt = try await NotilogCommand.run(["projections", "rebuild", name], environment: environment)
            #expect(rebuilt.status == 0, "\(rebuilt.errors)")
        }
        try #require(try await service.caughtUp())
    }

    @Test("of two apps with the same device id, token and notification, one is erased")
    func oneAppOnly() async throws {
        try await ServiceFixture.run { service in
            let other = try await TestApp.make("second", in: service.database)
            let subject = ErasureSubject("both")
            let body = "[" + subject.events().joined(separator: ",") + "]"
            for key in [service.app.provider, other.provider] {
                #expect(try await service.client.post(body, key: key).events.accepted == subject.events().count)
            }
            try #require(try await service.caughtUp())
            let theirs =
                "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM log.event t WHERE app_id = \(other.id)"
            let before = try await service.text(theirs)
            _ = try await service.erase(subject.device)
            try #require(try await service.caughtUp())
            #expect(try await service.text(theirs) == before)
            #expect(
                try await StoreSearch.places(
                    of: [subject.device, subject.notification],
                    in: service.database,
                    where: ("app_id", "app_id = \(service.app.id)")
                ) == []
            )
            #expect(try await service.client.get("/v1/devices/\(subject.device)", key: other.read).status == 200)
            #expect(try await service.client.get("/v1/devices/\(subject.device)", key: service.app.read).status == 404)
            // The other app's device goes on.
            let late = Sample.action(device: subject.device, notification: "later")
            #expect(try await service.client.post(late, key: other.write).events.accepted == 1)
            #expect(try await service.client.post(late, key: service.app.write).events.rejected == 1)
        }
    }

    @Test("a token that another device has, too, stays until that one is erased, and changes no state")
    func sharedToken() async throws {
        try await ServiceFixture.run { service in
            let token = String(repeating: "c3", count: 32)
            func registration(_ device: String, _ seconds: Int) -> String {
                #"{"kind":"token","device_id":"\#(device)","token":"\#(token)","occurred_at":"\#(Sample.time(seconds))"}"#
            }
            let body = "[\(registration("owner-before", 20)),\(registration("owner-now", 10))]"
            #expect(try await service.client.post(body, key: service.app.write).events.accepted == 2)
            try #require(try await service.caughtUp())
            let states = "SELECT string_agg(state, ',' ORDER BY registered_at) FROM projection.device_token"
            #expect(try await service.text(states) == "moved,active")
            let said = try await service.reports()

            _ = try await service.erase("owner-before")
            try #require(try await service.caughtUp())
            #expect(try await service.text(states) == "moved,active")
            #expect(try await service.reports() == said)
            #expect(try await StoreSearch.places(of: ["owner-before"], in: service.database) == [])
            let hash = try await digest(token, service)
            let own =
                "SELECT count(*) FROM log.event WHERE device_id = 'owner-now' AND encode(token, 'hex') = '\(hash)'"
            #expect(try await service.number(own) == 1, "it is the other's still")

            _ = try await service.erase("owner-now")
            try #require(try await service.caughtUp())
            #expect(try await service.text(states) == "moved,active")
            let needles = ["owner-before", "owner-now", hash]
            #expect(try await StoreSearch.places(of: needles, in: service.database) == [])
        }
    }

    @Test(
        "Live Activities give way to surrogates that still tell them apart; so does what APNs said behind FCM's answer"
    )
    func activities() async throws {
        try await ServiceFixture.run { service in
            func registration(_ token: String, _ more: String, _ seconds: Int) -> String {
                #"{"kind":"token","device_id":"gone","token":"\#(token)","occurred_at":"\#(Sample.time(seconds))",\#(more)}"#
            }
            func activity(_ id: String) -> String { #""type":"live_activity","activity_id":"activity-\#(id)""# }
            let events = [
                registration("01", activity("goal"), 50), registration("02", activity("ride"), 40),
                registration("03", activity("goal"), 30), registration("f:1", #""provider":"fcm""#, 20),
                """
                {"kind":"push_result","provider":"fcm","token":"f:1","status":400,"reason":"INVALID_ARGUMENT",\
                "attributes":{"apns_reason":"Unregistered","note":"private"},"occurred_at":"\(Sample.time(10))"}
                """,
            ]
            let body = "[" + events.joined(separator: ",") + "]"
            #expect(try await service.client.post(body, key: service.app.provider).events.accepted == 5)
            try #require(try await service.caughtUp())
            let states = "SELECT string_agg(state, ',' ORDER BY registered_at) FROM projection.device_token"
            #expect(try await service.text(states) == "superseded,active,active,invalidated")
            let needles = ["activity-goal", "activity-ride", "private"]
            #expect(try await StoreSearch.places(of: needles, in: service.database).count >= 3)

            _ = try await service.erase("gone")
            #expect(try await StoreSearch.places(of: needles, in: service.database) == [])
            try #require(try await service.caughtUp())
            #expect(try await service.text(states) == "superseded,active,active,invalidated")
            let live = try await service.projections()
            try await rebuild(service)
            #expect(try await service.projections() == live)
        }
    }

    @Test("only an admin's key erases; twice changes nothing; what was never heard of is refused from then on")
    func whoMay() async throws {
        try await ServiceFixture.run { service in
            _ = try await service.client.post(Sample.action(), key: service.app.write)
            for key in [service.app.write, service.app.provider, service.app.read] {
                let answer = try await service.client.get("/v1/devices/d1", key: key, method: "DELETE")
                #expect(answer.status == 403)
            }
            let first = try await service.erase("d1")
            #expect(first.events == 1)
            let second = try await service.erase("d1")
            #expect(second.events == 0 && second.position == first.position)
            #expect(try await service.number("SELECT count(*) FROM log.event WHERE kind = 'erasure'") == 1)
            #expect(
                try await service.number("SELECT count(*) FROM log.tombstone WHERE position = \(first.position)") == 1
            )

            #expect(try await service.erase("never-heard-of").events == 0)
            let answer = try await service.client.post(Sample.action(device: "never-heard-of"), key: service.app.write)
            #expect(try answer.events.results[0].error?.code == "erased")

            // Nobody can send what records an erasure.
            let forged = #"{"kind":"erasure","device_id":"d2","occurred_at":"\#(Sample.time(1))"}"#
            #expect(
                try await service.client.post(forged, key: service.app.admin).events.results[0].error?.code
                    == "unknown_kind"
            )
        }
    }

    /// Over HTTP, and by the command.
    @Test("where an app began to keep hashes, what the log has under the id as it was sent is erased too")
    func hashedLater() async throws {
        let secret = "0123456789abcdef0123456789abcdef"
        try await ServiceFixture.run(["id_hash_secret": secret]) { service in
            func store(_ device: String) async throws {
                let answer = try await service.client.post(Sample.action(device: device), key: service.app.write)
                #expect(answer.status == 200, "\(answer.text)")
            }
            for device in ["early-a", "early-b"] { try await store(device) }
            let environment = ["NOTILOG_DATABASE_URL": service.database.url, "NOTILOG_ID_HASH_SECRET": secret]
            let turned = try await NotilogCommand.run(
                ["apps", "set", service.app.name, "hash_ids", "on"],
                environment: environment
            )
            #expect(turned.status == 0 && turned.errors.contains("keep their ids"), "\(turned.errors)")
            try await eventually("ids are hashed") {
                try await store("early-a")
                return try await service.number("SELECT count(*) FROM log.event WHERE length(device_id) = 64") > 0
            }
            try await store("early-b")
            #expect(try await service.erase("early-a").events > 1, "under both ids")
            let erased = try await NotilogCommand.run(
                ["devices", "erase", "early-b", "--app", service.app.name],
                environment: environment
            )
            #expect(erased.status == 0, "\(erased.errors)")
            try #require(try await service.caughtUp())
            #expect(try await StoreSearch.places(of: ["early-"], in: service.database) == [])
            let left = "SELECT count(*) FROM log.event WHERE device_id NOT LIKE 'erased-%'"
            #expect(try await service.number(left + " AND kind = 'action_response'") == 0)
        }
    }

    /// Over HTTP, and by the command, which is refused without the secret.
    @Test("where an app ceased to keep hashes, what the log has under a hash is read and erased too")
    func hashedEarlier() async throws {
        let secret = "0123456789abcdef0123456789abcdef"
        try await ServiceFixture.run(["id_hash_secret": secret]) { service in
            let database = ["NOTILOG_DATABASE_URL": service.database.url]
            let environment = database.merging(["NOTILOG_ID_HASH_SECRET": secret]) { $1 }
            func store(_ device: String) async throws {
                let answer = try await service.client.post(Sample.action(device: device), key: service.app.write)
                #expect(answer.status == 200, "\(answer.text)")
            }
            func turn(_ value: String) async throws -> String {
                let arguments = ["apps", "set", service.app.name, "hash_ids", value]
                return try await NotilogCommand.run(arguments, environment: environment).errors
            }
            func erase(_ device: String, _ environment: [String: String]) async throws -> CommandResult {
                let arguments = ["devices", "erase", device, "--app", service.app.name]
                return try await NotilogCommand.run(arguments, environment: environment)
            }
            let hashed = "SELECT count(*) FROM log.event WHERE length(device_id) = 64"
            _ = try await turn("on")
            try await eventually("ids are hashed") {
                try await store("early-a")
                return try await service.number(hashed) > 0
            }
            try await store("early-b")
            let turned = try await turn("off")
            #expect(turned.contains("Keep NOTILOG_ID_HASH_SECRET set"), "\(turned)")
            try await eventually("ids are stored as they are sent") {
                try await store("early-c")
                return try await service.number("SELECT count(*) FROM log.event WHERE device_id = 'early-c'") > 0
            }
            for path in ["/v1/devices/early-b", "/v1/devices/early-b/events"] {
                let read = try await service.client.get(path, key: service.app.read)
                #expect(read.status == 200, "\(path): \(read.text)")
            }
            #expect(try await service.erase("early-a").events > 0)
            let refused = try await erase("early-b", database)
            #expect(refused.status == 1 && refused.errors.contains("set NOTILOG_ID_HASH_SECRET"), "\(refused.errors)")
            for device in ["early-b", "early-c"] {
                let erased = try await erase(device, environment)
                #expect(erased.status == 0 && erased.output.hasPrefix("erased: "), "\(erased)")
            }
            try #require(try await service.caughtUp())
            #expect(try await service.number(hashed) == 0)
            #expect(try await StoreSearch.places(of: ["early-"], in: service.database) == [])
            // When ids are hashed again, the device is still refused.
            _ = try await turn("on")
            try await eventually("the device is refused under its hash") {
                try await store("early-d")
                let answer = try await service.client.post(Sample.action(device: "early-c"), key: service.app.write)
                #expect(try answer.events.results[0].error?.code == "erased")
                return try await service.number(hashed) > 0
            }
        }
    }

    @Test("the command tells a device that was erased before from one that was only refused")
    func again() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.client.post(Sample.action(device: "d1"), key: service.app.write)
            #expect(answer.status == 200)
            func erase(_ device: String) async throws -> CommandResult {
                try await NotilogCommand.run(
                    ["devices", "erase", device, "--app", service.app.name],
                    environment: ["NOTILOG_DATABASE_URL": service.database.url]
                )
            }
            #expect(try await erase("d1").output.hasPrefix("erased: 1 events changed"))
            let again = try await erase("d1")
            #expect(again.status == 0 && again.output.hasPrefix("erased before"), "\(again)")
            for _ in 1...2 {
                let unknown = try await erase("mistyped")
                #expect(unknown.status == 1 && unknown.errors.contains("no such device"), "\(unknown)")
            }
        }
    }
}
