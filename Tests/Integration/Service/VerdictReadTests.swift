import Foundation
import NotificationEvents
import PlainHTTP
import Postgres
import Testing

/// What became of one notification, over HTTP and by the command.
@Suite("Service: the verdict of a notification", .serialized)
struct VerdictReadTests {
    private struct Verdict: Decodable {
        struct Link: Decodable {
            var link: String
            var verdict: String
            var reason: String
            var sentence: String
            var at: String?
        }
        var occurrence: String?
        var firing: Timestamp? { occurrence.flatMap { Timestamp.parse($0)?.timestamp } }
        var outcome: String?
        var notApplied: [Int64]?
        var links: [Link]
    }

    @Test func theChainIsGivenOverHTTPAndByTheCommand() async throws {
        try await ServiceFixture.run { service in
            let path = "/v1/notifications/d1/n1/verdict"
            #expect(try await service.client.get(path, key: service.app.read).status == 404)
            let request =
                #"{"kind":"request","origin":"provider","device_id":"d1","notification_id":"n1","trigger":{"type":"push"},"#
                + #""occurred_at":"\#(Sample.time(120))"}"#
            let settings =
                #"{"kind":"settings","device_id":"d1","authorization_status":"denied","occurred_at":"\#(Sample.time(600))"}"#
            _ = try await service.client.post("[\(request),\(settings)]", key: service.app.provider).events
            #expect(try await service.eventually("SELECT count(*) FROM projection.notification", is: 1))
            #expect(try await service.eventually("SELECT count(*) FROM projection.device_period", is: 1))

            let answer = try await service.client.get(path, key: service.app.read)
            #expect(answer.status == 200)
            let verdict = try answer.decoded(Verdict.self)
            #expect(verdict.outcome == "settings_no")
            #expect(
                verdict.links.map { "\($0.link) \($0.verdict) \($0.reason)" } == [
                    "requested yes requested", "provider unknown no_answer", "token unknown token_not_named",
                    "settings no denied_since", "delivery unknown not_observable:no_extension",
                    "presentation unknown not_observable:background", "response unknown silence",
                ]
            )
            #expect(verdict.links[3].sentence == "The person had turned notifications off.")
            #expect(verdict.links[3].at != nil)
            #expect(try await service.client.get(path + "?x=1", key: service.app.read).status == 400)
            #expect(try await service.client.get(path, key: service.app.provider).status == 403)

            let environment = ["NOTILOG_DATABASE_URL": service.database.url]
            let shown = try await NotilogCommand.run(["why", "--app", "first", "d1", "n1"], environment: environment)
            #expect(shown.status == 0)
            let lines = shown.output.split(separator: "\n")
            try #require(lines.count == 9)
            #expect(lines[0] == "The person had turned notifications off. (settings_no)")
            #expect(lines[1].hasSuffix("EVIDENCE"))
            #expect(lines[2].wholeMatch(of: /requested +yes .+ The app or a provider requested it\. +\d+/) != nil)
            #expect(lines[5].wholeMatch(of: /settings +no .+ off\. +20[0-9T:.-]+Z to 20[0-9T:.-]+Z/) != nil)
            let unknown = try await NotilogCommand.run(["why", "--app", "first", "d1", "n2"], environment: environment)
            #expect(unknown.status == 1)
        }
    }

    @Test("events that the projections have not applied are named, not denied")
    func notApplied() async throws {
        try await ServiceFixture.run { service in
            let environment = ["NOTILOG_DATABASE_URL": service.database.url]
            let paused = try await NotilogCommand.run(
                ["projections", "pause", "notification"],
                environment: environment
            )
            #expect(paused.status == 0)
            let written = try await service.client.post(Sample.action(notification: "n1"), key: service.app.write)
                .events
            let position = try #require(written.position)
            let path = "/v1/notifications/d1/n1/verdict"
            let verdict = try await service.client.get(path, key: service.app.read).decoded(Verdict.self)
            #expect(verdict.notApplied == [position])
            #expect(verdict.links.isEmpty && verdict.outcome == nil)
            let shown = try await NotilogCommand.run(["why", "--app", "first", "d1", "n1"], environment: environment)
            #expect(shown.status == 0)
            #expect(shown.errors.contains("have not applied the events at \(position)"), "\(shown.errors)")

            let resumed = try await NotilogCommand.run(
                ["projections", "resume", "notification"],
                environment: environment
            )
            #expect(resumed.status == 0)
            #expect(try await service.eventually("SELECT count(*) FROM projection.notification", is: 1))
            let applied = try await service.client.get(path, key: service.app.read).decoded(Verdict.self)
            #expect(applied.notApplied == nil && applied.outcome == "response_yes")

            // Several lanes have a position each.
            let rebuilt = try await NotilogCommand.run(
                ["projections", "rebuild", "notification", "--lanes", "2"],
                environment: environment
            )
            #expect(rebuilt.status == 0, "\(rebuilt.errors)")
            let inLanes = try await service.client.get(path, key: service.app.read)
            #expect(inLanes.status == 200, "\(inLanes.text)")
            #expect(try inLanes.decoded(Verdict.self).outcome == "response_yes")
        }
    }

    @Test("a firing of a repeating request is asked for by its occurrence, over HTTP, by the command and in SQL")
    func firings() async throws {
        try await ServiceFixture.run { service in
            let (first, second) = (Sample.time(7200), Sample.time(3600))
            func event(_ kind: String, _ occurrence: String, _ fields: String) -> String {
                #"{"kind":"\#(kind)","device_id":"d1","notification_id":"n1","occurrence":"\#(occurrence)","#
                    + #""occurred_at":"\#(occurrence)",\#(fields)}"#
            }
            let events = [
                event("action_response", first, #""action_id":"default""#),
                event("delivery", second, #""source":"will_present""#),
            ]
            _ = try await service.client.post("[\(events.joined(separator: ","))]", key: service.app.write).events
            #expect(try await service.eventually("SELECT count(*) FROM projection.notification", is: 2))

            let path = "/v1/notifications/d1/n1/verdict"
            let newest = try await service.client.get(path, key: service.app.read).decoded(Verdict.self)
            #expect(newest.outcome == "delivery_yes" && newest.firing == Timestamp.parse(second)?.timestamp)
            let asked = try await service.client.get(path + "?occurrence=\(first)", key: service.app.read)
            let earlier = try asked.decoded(Verdict.self)
            #expect(earlier.outcome == "response_yes" && earlier.firing == Timestamp.parse(first)?.timestamp)
            #expect(try await service.client.get(path + "?occurrence=today", key: service.app.read).status == 400)
            let another = path + "?occurrence=\(Sample.time(60))"
            #expect(try await service.client.get(another, key: service.app.read).status == 404)

            let environment = ["NOTILOG_DATABASE_URL": service.database.url]
            let why = ["why", "--app", "first", "d1", "n1"]
            let shown = try await NotilogCommand.run(why + ["--occurrence", first], environment: environment)
            #expect(shown.output.hasPrefix("The person opened it. (response_yes)\n"))
            let none = try await NotilogCommand.run(why + ["--occurrence", Sample.time(60)], environment: environment)
            #expect(none.status == 1 && none.errors.contains("no firing"))

            let connection = try await service.database.connect()
            let said = try await connection.texts(
                "SELECT sentence FROM readable.why('first', 'd1', 'n1', firing => $1::timestamptz) WHERE link = 'response'",
                [.text(first)]
            )
            #expect(said == ["The person opened it."])
            await connection.close()
        }
    }
}
