import Foundation
import PlainHTTP
import Postgres
import Testing

/// `/v1/export/{dataset}`: a bound that is fixed before the first byte, and a cursor that goes on from it.
struct ExportServiceTests {
    private func header(_ answer: HTTPAnswer, _ name: String) -> String {
        answer.headers[name.lowercased()] ?? ""
    }

    /// How many events are settled; positions may have gaps.
    private static let settled = "SELECT count(*) FROM log.event e, log.state s WHERE e.position <= s.settled_position"

    private func events(_ count: Int, _ from: Int) -> String {
        "[" + (from..<from + count).map { Sample.action(notification: "n\($0)") }.joined(separator: ",") + "]"
    }

    @Test func pagesTogetherAreTheLog() async throws {
        try await ServiceFixture.run { service in
            _ = try await service.client.post(events(30, 0), key: service.app.write)
            #expect(try await service.eventually(Self.settled, is: 30))
            let first = try await service.client.get("/v1/export/events", key: service.app.read)
            #expect(first.status == 200)
            #expect(header(first, "Content-Type") == "application/x-ndjson")
            #expect(first.text.split(separator: "\n").count == 30)
            let next = header(first, "Notilog-Next-Cursor")
            // As a client sends that has no cursor yet.
            let empty = try await service.client.get("/v1/export/events?after=", key: service.app.read)
            #expect(empty.status == 200 && empty.text == first.text)
            #expect(header(first, "Link") == "</v1/export/events?after=\(next)&format=ndjson>; rel=\"next\"")

            _ = try await service.client.post(events(5, 30), key: service.app.write)
            #expect(try await service.eventually(Self.settled, is: 35))
            let csv = try await service.client.get("/v1/export/events?after=\(next)&format=csv", key: service.app.read)
            #expect(header(csv, "Content-Type").hasPrefix("text/csv"))
            let lines = csv.text.split(separator: "\n")
            #expect(lines.count == 6 && lines[0].hasPrefix("position,tombstone,id,kind"))
            let positions = try await service.text(
                "SELECT string_agg(position::text, ' ') FROM (SELECT position FROM log.event ORDER BY 1 OFFSET 30) e"
            )
            #expect(lines.dropFirst().map { $0.prefix { $0 != "," } }.joined(separator: " ") == positions)
            let end = header(csv, "Notilog-Next-Cursor")
            let nothing = try await service.client.get("/v1/export/events?after=\(end)", key: service.app.admin)
            #expect(nothing.status == 200 && nothing.text.isEmpty && header(nothing, "Notilog-Next-Cursor") == end)
            let packed = try await service.client.get(
                "/v1/export/events",
                key: service.app.read,
                headers: [("Accept-Encoding", "br, gzip;q=0.5")]
            )
            #expect(header(packed, "Content-Encoding") == "gzip")
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString).gz")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(packed.body).write(to: file)
            let unpacked = try await NotilogCommand.runProgram("/bin/sh", ["-c", "gzip -dc \"$1\"", "sh", file.path])
            #expect(unpacked.output == (try await service.client.get("/v1/export/events", key: service.app.read).text))
        }
    }

    @Test func everyDatasetIsThere() async throws {
        try await ServiceFixture.run { service in
            _ = try await service.client.post(events(3, 0), key: service.app.write)
            #expect(try await service.eventually("SELECT count(*) FROM projection.notification", is: 3))
            for (dataset, rows) in [
                ("notifications", 3), ("engagement", 2), ("device_settings", 0), ("device_tokens", 0),
            ] {
                let answer = try await service.client.get("/v1/export/\(dataset)", key: service.app.read)
                #expect(answer.status == 200)
                let count = answer.text.split(separator: "\n").count
                #expect(dataset == "engagement" ? count >= rows : count == rows, "\(dataset)")
                let next = header(answer, "Notilog-Next-Cursor")
                let again = try await service.client.get("/v1/export/\(dataset)?after=\(next)", key: service.app.read)
                #expect(again.status == 200 && again.text.isEmpty, "\(dataset)")
                let other = try await service.client.get("/v1/export/events?after=\(next)", key: service.app.read)
                #expect(try other.status == 400 && other.problem.code == "invalid_cursor", "\(dataset)")
            }
        }
    }

    /// Retention waits for named cursors only: whoever keeps their own and comes too late is told.
    @Test func whatWasDroppedIsSaid() async throws {
        try await ServiceFixture.run { service in
            _ = try await service.client.post(events(3, 0), key: service.app.write)
            #expect(try await service.eventually(Self.settled, is: 3))
            let first = try await service.client.get("/v1/export/events", key: service.app.read)
            let next = header(first, "Notilog-Next-Cursor")
            _ = try await service.client.post(events(3, 3), key: service.app.write)
            #expect(try await service.eventually(Self.settled, is: 6))
            let connection = try await service.database.connect()
            let seen = Int64(next.split(separator: ".").last ?? "") ?? 0
            for (last, status) in [(seen, 200), (seen + 1, 410)] {
                try await connection.query(
                    """
                    INSERT INTO log.dropped_partition (name, from_at, to_at, last_position)
                    VALUES ('event_' || $1::bigint, '2020-01-01', '2020-02-01', $1)
                    """,
                    [.int8(last)]
                )
                let answer = try await service.client.get("/v1/export/events?after=\(next)", key: service.app.read)
                #expect(answer.status == status, "\(last)")
                if status == 410 { #expect(try answer.problem.code == "events_dropped") }
            }
            await connection.close()
        }
    }

    /// As of reports: a sender reads its own write, in the log as in what is computed of it.
    @Test(arguments: [("events", "log.event"), ("notifications", "projection.notification")])
    func aSenderReadsItsOwnWrite(dataset: String, table: String) async throws {
        try await ServiceFixture.run { service in
            for round in 0..<10 {
                let position = try #require(
                    try await service.client.post(events(1, round), key: service.app.write).events.position
                )
                let path = "/v1/export/\(dataset)?min_position=\(position)"
                let answer = try await service.client.connection.send(
                    "GET",
                    path,
                    headers: [("Authorization", "Bearer \(service.app.read)")]
                )
                #expect(answer.status == 200)
                #expect(answer.text.split(separator: "\n").count == round + 1)
            }
        }
    }

    /// The projections are paused, then the position has never been drawn.
    @Test func aPositionThatDoesNotComeIsSaid() async throws {
        try await ServiceFixture.run(["projections.enabled": "false"]) { service in
            let position = try #require(
                try await service.client.post(events(1, 0), key: service.app.write).events.position
            )
            func answer(_ dataset: String, _ position: String) async throws -> HTTPAnswer {
                try await service.client.connection.send(
                    "GET",
                    "/v1/export/\(dataset)?min_position=\(position)",
                    headers: [("Authorization", "Bearer \(service.app.read)")]
                )
            }
            for dataset in ["events", "notifications"] {
                let behind = try await answer(dataset, String(position))
                #expect(behind.status == 409)
                #expect(try behind.problem.code == "projection_behind")
                #expect(behind.text.contains("lag_seconds") && behind.text.contains("min_position"))
                #expect(!header(behind, "Retry-After").isEmpty)
                let unknown = try await answer(dataset, String(position + 1000))
                #expect(unknown.status == 400)
                #expect(try unknown.problem.code == "unknown_position")
            }
            let wrong = try await answer("events", "-1")
            #expect(wrong.status == 400)
            #expect(try wrong.problem.code == "invalid_parameter")
        }
    }

    @Test func whatIsNotAcceptedIsSaid() async throws {
        try await ServiceFixture.run { service in
            func refused(_ path: String, _ status: Int, _ code: String, _ said: String = "") async throws {
                let answer = try await service.client.get(path, key: service.app.read)
                let problem = try answer.problem
                #expect(
                    answer.status == status && problem.code == code && (said.isEmpty || problem.detail.contains(said)),
                    "\(path) \(problem)"
                )
            }
            let log = try await service.text("SELECT incarnation::text FROM log.state") ?? ""
            try await refused("/v1/export/sales", 404, "unknown_dataset", "notifications")
            try await refused("/v1/export/events?format=xml", 400, "unknown_format", "ndjson or csv")
            try await refused("/v1/export/events?after=12", 400, "invalid_cursor", "Notilog-Next-Cursor")
            try await refused("/v1/export/events?after=\(log).99", 400, "invalid_cursor")
            try await refused("/v1/export/events?since=12", 400, "invalid_parameter", "after, format")
            try await refused(
                "/v1/export/events?after=0b9d2c3e-5a61-4e4b-9d5a-2d0f9f0c7b11.0",
                410,
                "log_went_back",
                "start over"
            )
            #expect(try await service.client.get("/v1/export/events", key: service.app.write).status == 403)
            #expect(try await service.client.get("/v1/export/events").status == 401)
        }
    }

    /// Promise 11: every dataset, by each app's key, and with a cursor that the other app was given.
    @Test func anAppReadsItsOwnOnly() async throws {
        try await ServiceFixture.run { service in
            let other = try await TestApp.make("second", in: service.database)
            let apps = [(service.app, ErasureSubject("ours")), (other, ErasureSubject("theirs"))]
            for (app, subject) in apps {
                let body = "[" + subject.events().joined(separator: ",") + "]"
                #expect(try await service.client.post(body, key: app.provider).events.rejected == 0)
            }
            #expect(
                try await service.eventually(
                    """
                    SELECT count(*) FROM unnest('{notification,device_token}'::text[]) AS p (name)
                    LEFT JOIN projection.checkpoint c USING (name)
                    WHERE coalesce(c.position, 0) < (SELECT max(position) FROM log.event)
                    """,
                    is: 0
                )
            )
            for dataset in Warehouse.datasets {
                var cursors: [String] = []
                for (index, (app, subject)) in apps.enumerated() {
                    let answer = try await service.client.get("/v1/export/\(dataset)", key: app.read)
                    #expect(answer.status == 200 && !answer.text.isEmpty, "\(dataset)")
                    let stranger = apps[1 - index].1
                    for needle in [stranger.device, stranger.notification, stranger.request] {
                        #expect(!answer.text.contains(needle), "\(dataset): \(needle)")
                    }
                    if dataset == "engagement" {
                        #expect(!answer.text.contains("\"notifications\":2"))
                    } else {
                        #expect(answer.text.contains(subject.device), "\(dataset)")
                    }
                    cursors.append(header(answer, "Notilog-Next-Cursor"))
                }
                let log = cursors[0].prefix { $0 != "." }
                for (index, (app, _)) in apps.enumerated() {
                    for cursor in [cursors[1 - index], "\(log).0"] {
                        let crossed = try await service.client.get(
                            "/v1/export/\(dataset)?after=\(cursor)",
                            key: app.read
                        )
                        #expect(
                            [200, 400].contains(crossed.status) && !crossed.text.contains(apps[1 - index].1.device)
                        )
                    }
                }
            }
        }
    }

    /// Promise 7: a reader that stopped reading holds neither a transaction nor a statement open.
    @Test(.timeLimit(.minutes(2)))
    func aReaderThatStandsStillHoldsNothing() async throws {
        try await ServiceFixture.run(["projections.enabled": "false"]) { service in
            let exports = ExportsDatabase(
                database: service.database,
                connection: try await service.database.connect(),
                pool: .init(service.database.configuration, limit: 1),
                folder: FileManager.default.temporaryDirectory
            )
            try await exports.append(many: 60_000)
            let port = try #require(service.service.url.split(separator: ":").last)
            let reader = Process()
            reader.executableURL = URL(fileURLWithPath: "/bin/bash")
            reader.arguments = [
                "-c",
                """
                exec 3<>/dev/tcp/127.0.0.1/\(port)
                printf 'GET /v1/export/events HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer \(service.app.read)\\r\\n\\r\\n' >&3
                head -c 100000 <&3 > /dev/null; sleep 100
                """,
            ]
            try reader.begin()
            defer { reader.terminate() }
            // Part of the log was read, and then no more, as the socket is full.
            let read =
                "SELECT coalesce(sum(idx_tup_read), 0)::bigint FROM pg_stat_user_indexes WHERE indexrelname LIKE 'event_2026_01_pkey'"
            let clock = ContinuousClock()
            let deadline = clock.now + .seconds(60)
            var (last, still): (Int64, Int) = (-1, 0)
            while still < 10, clock.now < deadline {
                try await clock.sleep(for: .milliseconds(200))
                let now = try await service.number(read)
                still = now == last && now > 0 ? still + 1 : 0
                last = now
            }
            #expect(last > 0 && last < 60_000)
            #expect(
                try await service.number(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name = 'notilog serve'
                      AND (state <> 'idle' OR backend_xmin IS NOT NULL)
                    """
                ) == 0
            )
            await exports.connection.close()
            await exports.pool.shutDown()
        }
    }

    /// Promise 9: each answer holds a part in memory for as long as its reader takes, so only so many are on their way.
    @Test(.timeLimit(.minutes(2)))
    func oneAppHoldsHalfOfTheSixteenAnswersOnTheirWay() async throws {
        try await ServiceFixture.run(["projections.enabled": "false"]) { service in
            let other = try await TestApp.make("second", in: service.database)
            let exports = ExportsDatabase(
                database: service.database,
                connection: try await service.database.connect(),
                pool: .init(service.database.configuration, limit: 1),
                folder: FileManager.default.temporaryDirectory
            )
            try await exports.append(many: 60_000)
            let request =
                "GET /v1/export/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(service.app.read)\r\n\r\n"
            // They read the head of their answer and nothing more of its 20 MB.
            var slow: [RawClient] = []
            for _ in 0..<8 {
                let client = try RawClient(service.service.url)
                await client.send(request)
                #expect(await client.begins(within: .seconds(30)) == "HTTP/1.1 200 OK")
                slow.append(client)
            }
            let cursor = try await service.text("SELECT incarnation || '.' || settled_position FROM log.state") ?? ""
            let path = "/v1/export/events?after=\(cursor)"
            let refused = try await service.client.get(path, key: service.app.read)
            #expect(refused.status == 503)
            #expect(try refused.problem.code == "overloaded")
            #expect(!header(refused, "Retry-After").isEmpty)
            // Other apps and other requests are none of its business.
            #expect(try await service.client.get("/v1/export/events", key: other.read).status == 200)
            #expect(try await service.client.get("/v1/reports", key: service.app.read).status == 200)

            // A client that leaves frees its slot.
            slow.removeLast()
            let clock = ContinuousClock()
            let deadline = clock.now + .seconds(30)
            var status = 503
            while status == 503, clock.now < deadline {
                status = try await service.client.get(path, key: service.app.read).status
            }
            #expect(status == 200)
            await exports.connection.close()
            await exports.pool.shutDown()
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func anAnswerIsBrokenOffOnceItsKeyIsRevoked() async throws {
        try await ServiceFixture.run(["projections.enabled": "false"]) { service in
            let exports = ExportsDatabase(
                database: service.database,
                connection: try await service.database.connect(),
                pool: .init(service.database.configuration, limit: 1),
                folder: FileManager.default.temporaryDirectory
            )
            try await exports.append(many: 60_000)
            let reader = try RawClient(service.service.url)
            await reader.send(
                "GET /v1/export/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(service.app.read)\r\n\r\n"
            )
            #expect(await reader.begins(within: .seconds(30)) == "HTTP/1.1 200 OK")
            let revoked = try await NotilogCommand.run(
                ["keys", "revoke", service.app.read],
                environment: ["NOTILOG_DATABASE_URL": service.database.url]
            )
            #expect(revoked.status == 0)
            try await eventually("a key that counts no longer", within: .seconds(60)) {
                try await service.client.get("/v1/reports", key: service.app.read).status == 401
            }
            let (bytes, isClosed) = await reader.receive(within: .seconds(60), untilClosed: true)
            #expect(isClosed && !bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8), "cut off, not ended")
            try await eventually("the log says that it broke off") {
                service.service.log.split(separator: "\n").contains {
                    $0.contains(#""broken_off":"true""#) && $0.contains(#""status":"401""#)
                }
            }
            await exports.connection.close()
            await exports.pool.shutDown()
        }
    }
}
