import Foundation
import PlainHTTP
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
        var outcome: String?
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
            #expect(shown.output.contains("The person had turned notifications off."))
            #expect(shown.output.hasSuffix("outcome: settings_no\n"))
            let unknown = try await NotilogCommand.run(["why", "--app", "first", "d1", "n2"], environment: environment)
            #expect(unknown.status == 1)
        }
    }
}
