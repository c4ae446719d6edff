import Foundation
import NotificationEvents
import PlainHTTP
import Testing

/// A sender's pushes to a server that answers as APNs does, told to the service: what it knows of the tokens afterwards.
@Suite("Providers: APNs", .serialized)
struct MockAPNsTests {
    /// A token of 32 bytes for a name.
    private static func token(_ name: String) -> String {
        let hex = String(hexadecimal: name.utf8)
        return String((hex + String(repeating: "0", count: 64)).prefix(64))
    }

    private static func push(_ name: String, at: String, _ payload: String? = nil) -> Push {
        Push(
            device: "device-\(name)",
            token: token(name),
            headers: [("apns-topic", "com.example.app"), ("apns-push-type", "alert")],
            payload: payload ?? #"{"aps":{"alert":"words"},"notilog":{"id":"n-\#(name)"}}"#,
            at: at
        )
    }

    private static func registration(_ name: String, at: String) -> String {
        #"{"kind":"token","occurred_at":"\#(at)","device_id":"device-\#(name)","topic":"com.example.app","token":"\#(token(name))"}"#
    }

    private static func milliseconds(_ time: String) -> Int64 {
        Int64((ISO8601DateFormatter().date(from: time)?.timeIntervalSince1970 ?? 0) * 1000)
    }

    /// Starts both sides, and stops them afterwards.
    private static func run(_ body: (ServiceFixture, MockAPNs, PushSender) async throws -> Void) async throws {
        try await TestCertificate.withFolder { folder in
            let certificate = try await TestCertificate.make("apns", in: folder)
            let apns = try await MockAPNs.start(certificate)
            let sender = try await PushSender.connect(port: apns.port, trusting: certificate)
            let result: Result<Void, any Error>
            do {
                result = .success(try await ServiceFixture.run { try await body($0, apns, sender) })
            } catch {
                result = .failure(error)
            }
            await sender.close()
            await apns.stop()
            try result.get()
        }
    }

    @Test("every documented reason is kept, and says of the token what it says", .timeLimit(.minutes(5)))
    func everyReason() async throws {
        try await Self.run { service, apns, sender in
            let (registered, pushed) = (Sample.time(7200), Sample.time(600))
            let (died, before) = (Sample.time(1800), Sample.time(9000))
            var names = APNsReason.documented.map(\.reason)
            names += ["Accepted", "StillThere", "FoundAgain", "ReasonOfTomorrow"]
            let registrations = names.map { Self.registration($0, at: registered) }
            let written = try await service.client.post(
                "[\(registrations.joined(separator: ","))]",
                key: service.app.write
            )
            #expect(try written.events.accepted == names.count)

            // What APNs last knew of a token counts only where nobody registered it since.
            apns.script(
                Self.token("StillThere"),
                .init(status: 410, reason: "Unregistered", timestamp: Self.milliseconds(before))
            )
            apns.script(Self.token("FoundAgain"), .init(status: 400, reason: "BadDeviceToken"), .accepted)
            apns.script(Self.token("ReasonOfTomorrow"), .init(status: 418, reason: "ReasonOfTomorrow"))
            var reports: [[String: Any]] = []
            for (status, reason) in APNsReason.documented {
                var push = Self.push(reason, at: pushed)
                if !APNsReason.provoke(reason, &push) {
                    let timestamp = status == 410 ? Self.milliseconds(died) : nil
                    apns.script(push.token, .init(status: status, reason: reason, timestamp: timestamp))
                }
                let answered = try await sender.send(push)
                #expect(answered.status == status && answered.body.contains("\"\(reason)\""), "\(answered)")
                reports.append(answered.report)
            }
            for name in ["Accepted", "StillThere", "FoundAgain", "ReasonOfTomorrow"] {
                reports.append(try await sender.send(Self.push(name, at: pushed)).report)
            }
            var later = try await sender.send(Self.push("FoundAgain", at: pushed)).report
            later["response"] = (later["response"] as? [String: Any])?.merging(["occurred_at": Sample.time(300)]) { $1 }
            reports.append(later)

            let body = try json(reports)
            let told = try await service.post("/v1/providers/apns", body, key: service.app.provider)
            #expect(told.status == 200)
            // FoundAgain's push was sent twice: it is one request with two answers.
            #expect(try told.events.accepted == 2 * reports.count - 1 && told.events.rejected == 0, "\(told.text)")
            #expect(try told.events.duplicate == 1)
            let again = try await service.post("/v1/providers/apns", body, key: service.app.provider)
            #expect(
                try again.events.duplicate == 2 * reports.count && again.events.accepted == 0,
                "a retry is no event"
            )

            let position = try #require(try told.events.position)
            let tokens = try await service.report("tokens", after: position)
            print("tokens: \(try json(tokens))")
            let states = tokens.map { "\($0["state"] ?? "") \($0["tokens"] ?? 0) \($0["dead_requests"] ?? "-")" }
            // Two are dead since before the push that showed it, and two went to the wrong place.
            #expect(states == ["active \(names.count - 4) <null>", "misdirected 2 <null>", "invalidated 2 2"])
            for (name, state) in [
                ("Unregistered", "invalidated"), ("ExpiredToken", "invalidated"), ("BadDeviceToken", "misdirected"),
                ("DeviceTokenNotForTopic", "misdirected"), ("StillThere", "active"), ("FoundAgain", "active"),
                ("BadEnvironmentKeyIdInToken", "active"), ("ReasonOfTomorrow", "active"),
            ] {
                let found = try await service.text(
                    "SELECT state || ' ' || coalesce(round(extract(epoch FROM ended_at) * 1000)::text, '-') "
                        + "FROM projection.device_token WHERE device_id = 'device-\(name)'"
                )
                let ended = state == "invalidated" ? String(Self.milliseconds(died)) : "-"
                #expect(found == "\(state) \(ended)", "\(name)")
            }

            let results = try await service.report("push_results", after: position)
            let counted = results.map {
                "\($0["status"] ?? "") \($0["reason"] as? String ?? "-") \($0["results"] ?? 0)"
            }
            var expected = APNsReason.documented.map { status, reason in
                "\(status) \(reason) \(["BadDeviceToken", "Unregistered"].contains(reason) ? 2 : 1)"
            }
            expected += ["200 - 2", "418 ReasonOfTomorrow 1"]
            #expect(counted.sorted() == expected.sorted())
            #expect(!service.service.log.contains("provider-token-secret"))
            #expect(
                try await service.number(
                    "SELECT count(*) FROM log.upcast_event WHERE data_text LIKE '%words%' OR data_text LIKE '%secret%'"
                ) == 0
            )
        }
    }

    @Test("every payload is taken, and stands in the log as what a request says", .timeLimit(.minutes(5)))
    func payloads() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("DecodingTests/Fixtures/payloads.json")
        let samples = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [[String: Any]]
        )
        try await Self.run { service, _, sender in
            var reports: [[String: Any]] = []
            for (index, sample) in samples.enumerated() {
                var push = Self.push("p\(index)", at: Sample.time(60), try json(sample["payload"] ?? [:]))
                for (name, value) in sample["headers"] as? [String: String] ?? [:] {
                    push.headers.removeAll { $0.0 == name }
                    push.headers.append((name, value))
                }
                reports.append(try await sender.send(push).report)
            }
            let told = try await service.post("/v1/providers/apns", try json(reports), key: service.app.provider)
            #expect(try told.events.accepted == 2 * samples.count, "\(told.text)")
            let position = try #require(try told.events.position)
            let funnel = try await service.report("funnel", after: position)
            #expect(funnel[0]["notifications"] as? Int == samples.count)
            #expect(funnel[1]["notifications"] as? Int == samples.count, "each was accepted by APNs")
            #expect((funnel[2]["lost_by"] as? [String: Int])?["not_alerting"] == 1, "the background push")
            #expect(
                try await service.text(
                    """
                    SELECT string_agg(coalesce(data->>'sound', '-') || ' ' || coalesce(data->>'badge', '-') || ' '
                      || coalesce(data->>'category_id', '-') || ' ' || coalesce(data->>'mutable_content', '-'), ', '
                      ORDER BY device_id)
                    FROM log.upcast_event WHERE kind = 'request'
                    """
                )
                    == "default 1 - -, default 1 news -, default 1 - true, default 1 - true, - - - true, - - - true, "
                    + "- - - -, custom - - -, none - - -, - - - -"
            )
            #expect(
                try await service.text(
                    "SELECT notification_id FROM log.event WHERE kind = 'request' AND device_id = 'device-p6'"
                )
                    == "com.hangge.testNotification"
            )
        }
    }
}
