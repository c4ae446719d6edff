import Foundation
import PlainHTTP
import Testing

/// The ways in which events may come, and what may be asked for beside them.
@Suite(.serialized)
struct EventFormatTests {
    @Test func compressedBodiesAreTaken() async throws {
        try await ServiceFixture.run { service in
            let body = (0..<50).map { Sample.action(device: "d\($0)") }.joined(separator: "\n")
            let answer = try await service.client.post(
                bytes: try Gzip.compress(Array(body.utf8)),
                key: service.app.write,
                type: "application/x-ndjson",
                headers: [("Content-Encoding", "gzip")]
            )
            #expect(answer.status == 200)
            #expect(try answer.events.accepted == 50)
        }
    }

    @Test func aSendersWrongClockIsCorrected() async throws {
        try await ServiceFixture.run { service in
            // An hour behind: what it calls now was an hour ago.
            let answer = try await service.client.post(
                Sample.action(at: Sample.time(3600)),
                key: service.app.write,
                headers: [("Notilog-Sent-At", Sample.time(3600))]
            )
            #expect(answer.status == 200)
            #expect(
                try await service.number(
                    "SELECT extract(epoch FROM received_at - effective_at)::bigint FROM log.event"
                ) <= 2
            )
            #expect(
                try await service.number(
                    "SELECT round(extract(epoch FROM received_at - occurred_at) / 60)::bigint FROM log.event"
                ) == 60
            )
            let bad = try await service.client.post(
                Sample.action(),
                key: service.app.write,
                headers: [("Notilog-Sent-At", "yesterday")]
            )
            #expect(bad.status == 400)
            #expect(try bad.problem.code == "invalid_header")
        }
    }

    @Test func everyResultIsListedOnDemand() async throws {
        try await ServiceFixture.run { service in
            let body = "[\(Sample.action(device: "a")),\(Sample.action(device: "b").dropLast()),\"unheard_of\":1}]"
            let plain = try await service.client.post(body, key: service.app.write).events
            #expect(plain.results.map(\.index) == [1])
            #expect(plain.results.first?.warnings == ["unheard_of"])
            #expect(plain.results.first?.status == "accepted")
            let all = try await service.client.post(body, key: service.app.write, query: "?results=all").events
            #expect(all.results.map(\.index) == [0, 1])
            #expect(all.results.allSatisfy { $0.id != nil })
            #expect(try await service.client.post(body, key: service.app.write, query: "?results=some").status == 400)
            #expect(try await service.client.post(body, key: service.app.write, query: "?result=all").status == 400)
        }
    }

    @Test func cloudEventsAreTaken() async throws {
        try await ServiceFixture.run { service in
            let event =
                #"{"specversion":"1.0","type":"notilog.action_response","source":"/phone","id":"e1","subject":"d1","#
                + #""time":"\#(Sample.time(5))","data":{"notification_id":"n1","action_id":"default"}}"#
            let one = try await service.client.post(event, key: service.app.write, type: "application/cloudevents+json")
            #expect(one.status == 200)
            #expect(try one.events.accepted == 1)
            let two = try await service.client.post(
                "[\(event)]",
                key: service.app.write,
                type: "application/cloudevents-batch+json"
            )
            #expect(try two.events.duplicate == 1)
        }
    }

    @Test func anEmptyBatchStoresNothing() async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.client.post("[]", key: service.app.write)
            #expect(answer.status == 200)
            #expect(try answer.events.accepted == 0)
        }
    }

    @Test func replyTextIsKeptOnlyWhereTheAppWants() async throws {
        try await ServiceFixture.run { service in
            func reply(_ device: String) -> String {
                Sample.action(device: device, action: "reply", more: #","text":"see you at eight""#)
            }
            #expect(try await service.client.post(reply("a"), key: service.app.write).status == 200)
            #expect(try await service.text("SELECT data->>'text' FROM log.upcast_event") == nil)
            #expect(try await service.text("SELECT data->>'text_length' FROM log.upcast_event") == "16")
            let environment = ["NOTILOG_DATABASE_URL": service.database.url]
            let set = try await NotilogCommand.run(
                ["apps", "set", "first", "keep_reply_text", "on"],
                environment: environment
            )
            #expect(set.status == 0)
            // The running service is told.
            var device = 0
            var isKept = false
            while !isKept, device < 200 {
                device += 1
                _ = try await service.client.post(reply("b\(device)"), key: service.app.write)
                isKept =
                    try await service.number(
                        "SELECT count(*) FROM log.upcast_event WHERE data->>'text' = 'see you at eight'"
                    )
                    > 0
            }
            #expect(isKept)
            #expect(!service.service.log.contains("see you"))
        }
    }
}

/// Compresses with the system's gzip.
enum Gzip {
    static func compress(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-test-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Process.pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-c", file.path]
        process.standardOutput = output
        try process.begin()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(data)
    }
}
