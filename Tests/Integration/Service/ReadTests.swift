import Foundation
import PlainHTTP
import Postgres
import Testing

/// What is read back: reports, devices, health.
@Suite(.serialized)
struct ReadTests {
    @Test func aSenderReadsItsOwnWriteInAReport() async throws {
        try await ServiceFixture.run { service in
            let request =
                #"{"kind":"request","origin":"provider","device_id":"d1","notification_id":"n1","category_id":"news","#
                + #""trigger":{"type":"push"},"occurred_at":"\#(Sample.time(120))"}"#
            let body = "[\(request),\(Sample.action(at: Sample.time(60)))]"
            let written = try await service.client.post(body, key: service.app.provider).events
            let position = try #require(written.position)
            let answer = try await service.client.get(
                "/v1/reports/engagement?by=category&min_position=\(position)",
                key: service.app.read
            )
            #expect(answer.status == 200)
            struct Report: Decodable {
                struct Row: Decodable {
                    var category: String?
                    var requested: Int
                    var responded: Int
                    var opened: Int
                }
                var report: String
                var rows: [Row]
            }
            let report = try answer.decoded(Report.self)
            #expect(report.report == "engagement")
            let row = try #require(report.rows.first)
            #expect((row.category, row.requested, row.responded, row.opened) == ("news", 1, 1, 1))
        }
    }

    @Test func reportsComeInEveryFormat() async throws {
        try await ServiceFixture.run { service in
            func get(_ query: String, _ accept: String? = nil) async throws -> (Int, String?) {
                let headers = accept.map { [("Accept", $0)] } ?? []
                let answer = try await service.client.get(
                    "/v1/reports/engagement" + query,
                    key: service.app.read,
                    headers: headers
                )
                return (answer.status, answer.headers["content-type"])
            }
            let plain = try await get("")
            #expect(plain == (200, "application/json"))
            #expect(try await get("?format=csv").1?.hasPrefix("text/csv") == true)
            #expect(try await get("?format=ndjson") == (200, "application/x-ndjson"))
            #expect(try await get("", "text/csv").1?.hasPrefix("text/csv") == true)
            #expect(try await get("", "text/html;q=0.9, application/x-ndjson;q=0.5") == (200, "application/x-ndjson"))
            #expect(try await get("", "image/png").0 == 406)
        }
    }

    @Test func theCatalogueNamesEveryReport() async throws {
        try await ServiceFixture.run { service in
            struct Catalogue: Decodable {
                struct Column: Decodable {
                    var name: String
                }
                struct Parameter: Decodable {
                    var name: String
                    var accepted: String
                }
                struct Report: Decodable {
                    var name: String
                    var href: String
                    var purpose: String
                    var parameters: [Parameter]
                    var columns: [Column]
                }
                var reports: [Report]
            }
            struct Answer: Decodable {
                var columns: [Catalogue.Column]
            }
            let reports = try await service.client.get("/v1/reports", key: service.app.read).decoded(Catalogue.self)
                .reports
            #expect(reports.map(\.name).contains("engagement"))
            for report in reports {
                let names = Set(report.columns.map(\.name))
                // Of some reports `by` is one of a few words, and not the names of dimensions.
                let by = report.parameters.first { $0.name == "by" }?.accepted.components(separatedBy: "one or two of ")
                // An app has dimensions of its own only once it names them.
                let dimensions = ((by?.count == 2 ? by?.last : nil)?.components(separatedBy: ", ") ?? [])
                    .filter { $0 != "attribute.KEY" }
                for query in [""] + zip(dimensions, dimensions.dropFirst()).map({ "?by=\($0),\($1)" }) {
                    let answer = try await service.client.get(report.href + query, key: service.app.read)
                    #expect(answer.status == 200)
                    let columns = try answer.decoded(Answer.self).columns.map(\.name)
                    #expect(names.isSuperset(of: columns), "\(report.name)\(query) has columns of other names")
                }
                #expect(names.isSuperset(of: dimensions) && !names.contains("by_1"))
            }
        }
    }

    @Test func theCatalogueNamesTheKeysApp() async throws {
        try await ServiceFixture.run { service in
            struct Catalogue: Decodable {
                var app: String
            }
            let other = try await TestApp.make("second", in: service.database)
            let apps = [service.app, other]
            var tags: [String] = []
            for app in apps + apps {
                for key in [app.read, app.admin] {
                    let answer = try await service.client.get("/v1/reports", key: key)
                    #expect(try answer.decoded(Catalogue.self).app == app.name)
                    tags.append(try #require(answer.headers["etag"]))
                }
            }
            #expect(Set(tags).count == 2)
            // What a browser keeps of one app is not taken for the other's.
            let kept = try await service.client.get(
                "/v1/reports",
                key: other.read,
                headers: [("If-None-Match", tags[0])]
            )
            #expect(kept.status == 200)
            #expect(try kept.decoded(Catalogue.self).app == other.name)
        }
    }

    @Test(arguments: [
        ("/v1/reports/nothing", "engagement"), ("/v1/reports/engagement?by=shoe_size", "category"),
        ("/v1/reports/engagement?bye=category", "by"), ("/v1/reports/engagement?tz=Mars/Olympus", "tz"),
        ("/v1/reports/engagement?min_position=999999", "min_position"),
        ("/v1/reports/engagement?from=9000-01-01&to=9001-01-01", "from lies in the future"),
        ("/v1/reports/instrumentation?limit=1001", "1 to 1000"),
    ])
    func whatIsNotAcceptedIs400(_ path: String, _ named: String) async throws {
        try await ServiceFixture.run { service in
            let answer = try await service.client.get(path, key: service.app.read)
            #expect(answer.status == 400)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.text.contains(named))
        }
    }

    @Test func aDeviceShowsSettingsTokensAndWhetherItIsReachable() async throws {
        try await ServiceFixture.run { service in
            let settings =
                #"{"kind":"settings","device_id":"d/1 ü","authorization_status":"authorized","alert":"enabled","#
                + #""occurred_at":"\#(Sample.time(20))","context":{"platform":"ios","app_version":"2.1"}}"#
            let token =
                #"{"kind":"token","device_id":"d/1 ü","state":"registered","provider":"apns","token":"00ff00ff","#
                + #""topic":"com.example","occurred_at":"\#(Sample.time(10))"}"#
            let written = try await service.client.post("[\(settings),\(token)]", key: service.app.write).events
            let position = try #require(written.position)
            for report in ["settings", "tokens"] {
                let path = "/v1/reports/\(report)?min_position=\(position)"
                #expect(try await service.client.get(path, key: service.app.read).status == 200)
            }
            let answer = try await service.client.get("/v1/devices/d%2F1%20%C3%BC", key: service.app.read)
            #expect(answer.status == 200)
            #expect(answer.text.contains(#""reachable":true"#))
            #expect(answer.text.contains(#""authorization_status": "authorized""#))
            #expect(answer.text.contains(#""state":"active""#))
            #expect(!answer.text.contains("00ff"))
            #expect(try await service.client.get("/v1/devices/unknown", key: service.app.read).status == 404)
            // The command needs no app where there is one.
            let environment = ["NOTILOG_DATABASE_URL": service.database.url]
            let shown = try await NotilogCommand.run(["devices", "show", "d/1 ü"], environment: environment)
            #expect(shown.status == 0 && shown.output.contains("\"device_id\""), "\(shown.errors)")
            _ = try await TestApp.make("second", in: service.database)
            let several = try await NotilogCommand.run(["devices", "show", "d/1 ü"], environment: environment)
            #expect(several.status == 1 && several.errors.contains("choose one: --app first"), "\(several.errors)")
            #expect(try await service.client.get("/v1/devices/%zz", key: service.app.read).status == 400)
        }
    }

    @Test(arguments: [
        (#"{"kind":"app_open","#, "null"),
        (#"{"kind":"settings","authorization_status":"authorized","#, "null"),
        (#"{"kind":"settings","alert":"enabled","#, "null"),
        (#"{"kind":"settings","authorization_status":"denied","#, "false"),
        (#"{"kind":"token","token":"00ff00ff","#, "null"),
    ])
    func whatIsNotKnownOfADeviceIsNull(_ event: String, _ reachable: String) async throws {
        try await ServiceFixture.run { service in
            let sent = event + #""device_id":"d1","occurred_at":"\#(Sample.time(10))"}"#
            let written = try await service.client.post(sent, key: service.app.write).events
            let position = try #require(written.position)
            for report in ["settings", "tokens"] {
                let path = "/v1/reports/\(report)?min_position=\(position)"
                #expect(try await service.client.get(path, key: service.app.read).status == 200)
            }
            let answer = try await service.client.get("/v1/devices/d1", key: service.app.read)
            #expect(answer.text.contains(#""reachable":\#(reachable)"#), "\(answer.text)")
        }
    }

    @Test("a query that is not percent-encoded UTF-8 is refused, never taken as it stands")
    func queriesThatCannotBeRead() async throws {
        try await ServiceFixture.run { service in
            let saved = try await service.send(
                "PUT",
                "/v1/views/all",
                #"{"report":"engagement"}"#,
                key: service.app.admin
            )
            #expect(saved.status == 201)
            for path in [
                "/v1/reports/engagement?category=50%", "/v1/reports/engagement?category=%E9t%E9",
                "/v1/notifications?category=%zz", "/v1/reports?%FF", "/v1/views?a=%", "/v1/views/all/report?format=%FF",
                "/v1/export/events?after=%C3", "/v1/alerts?open=%", "/v1/annotations?from=%FF",
                "/v1/devices/d1/events?limit=%",
            ] {
                let answer = try await service.client.get(path, key: service.app.read)
                #expect(answer.status == 400 && answer.text.contains("percent-encoded"), "\(path): \(answer.text)")
            }
        }
    }

    @Test("what tells a device's tokens of one type apart has its own name")
    func keysOfTokens() async throws {
        try await ServiceFixture.run { service in
            let keys = [
                ("activity_update", "activity_id"), ("push_to_start", "attributes_type"), ("control", "control_kind"),
            ]
            let tokens = keys.enumerated().map { index, key in
                #"{"kind":"token","device_id":"d1","state":"registered","provider":"apns","token":"00ff0\#(index)","#
                    + #""topic":"com.example","type":"\#(key.0)","\#(key.1)":"own","occurred_at":"\#(Sample.time(10))"}"#
            }
            let body = "[\(tokens.joined(separator: ","))]"
            let position = try #require(try await service.client.post(body, key: service.app.write).events.position)
            let path = "/v1/reports/tokens?min_position=\(position)"
            #expect(try await service.client.get(path, key: service.app.read).status == 200)
            struct Device: Decodable {
                struct Token: Decodable {
                    var type: String
                    var activityId, attributesType, controlKind: String?
                }
                var tokens: [Token]
            }
            let device = try await service.client.get("/v1/devices/d1", key: service.app.read).decoded(Device.self)
            let found = Dictionary(uniqueKeysWithValues: device.tokens.map { ($0.type, $0) })
            for (type, name) in keys {
                let token = try #require(found[type])
                #expect(token.activityId == (name == "activity_id" ? "own" : nil))
                #expect(token.attributesType == (name == "attributes_type" ? "own" : nil))
                #expect(token.controlKind == (name == "control_kind" ? "own" : nil))
            }
        }
    }

    @Test(arguments: [nil, "30"])
    func aTokenIsStaleAfterTheDaysOfTheSetting(days: String?) async throws {
        try await ServiceFixture.run(days.map { ["tokens.stale_days": $0] } ?? [:]) { service in
            let token =
                #"{"kind":"token","device_id":"d1","state":"registered","provider":"apns","token":"00ff00ff","#
                + #""topic":"com.example","occurred_at":"\#(Sample.time(40 * 86_400))"}"#
            let written = try await service.client.post(token, key: service.app.write).events
            let position = try #require(written.position)
            struct Report: Decodable {
                struct Parameters: Decodable { var staleAfter: String }
                struct Row: Decodable { var state: String }
                var parameters: Parameters
                var rows: [Row]
            }
            let path = "/v1/reports/tokens?min_position=\(position)"
            let report = try await service.client.get(path, key: service.app.read).decoded(Report.self)
            let state = days == nil ? "active" : "stale"
            #expect(report.parameters.staleAfter == "P\(days ?? "270")D")
            #expect(report.rows.map(\.state) == [state])
            let asked = try await service.client.get(path + "&stale_after=P35D", key: service.app.read)
            #expect(try asked.decoded(Report.self).rows.map(\.state) == ["stale"])
            let device = try await service.client.get("/v1/devices/d1", key: service.app.read)
            #expect(device.text.contains(#""state":"\#(state)""#))
        }
    }

    @Test func routesAndMethodsAreChecked() async throws {
        try await ServiceFixture.run { service in
            #expect(try await service.client.get("/v1/nothing", key: service.app.read).problem.code == "not_found")
            let method = try await service.client.get("/v1/events", key: service.app.write)
            #expect(method.status == 405)
            #expect(method.headers["allow"] == "POST")
            #expect(try method.problem.code == "method_not_allowed")
            let deleted = try await service.client.get("/v1/reports", key: service.app.admin, method: "DELETE")
            #expect(deleted.status == 405)
            let head = try await service.client.get("/healthz", method: "HEAD")
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
        }
    }

    /// Its length is not known beforehand, and HEAD says none.
    @Test func headOfAReportSaysNoLength() async throws {
        try await ServiceFixture.run { service in
            let fields = "Host: x\r\nAuthorization: Bearer \(service.app.read)\r\n"
            let client = try RawClient(service.service.url)
            await client.send("HEAD /v1/reports/engagement HTTP/1.1\r\n\(fields)\r\n")
            await client.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let (bytes, _) = await client.receive(within: .seconds(20), untilClosed: true)
            let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
            #expect(parts.count == 3, "two heads, and the body of the second: \(parts)")
            #expect(parts.prefix(2).allSatisfy { $0.hasPrefix("HTTP/1.1 200 OK\r\n") })
            #expect(!parts[0].lowercased().contains("content-length"))
        }
    }

    @Test func aReportForHTTP10EndsWithItsConnection() async throws {
        try await ServiceFixture.run { service in
            let client = try RawClient(service.service.url)
            let key = "Authorization: Bearer \(service.app.read)"
            await client.send("GET /v1/reports/engagement HTTP/1.0\r\nConnection: keep-alive\r\n\(key)\r\n\r\n")
            let (bytes, isClosed) = await client.receive(within: .seconds(20), untilClosed: true)
            let answer = String(decoding: bytes, as: UTF8.self)
            #expect(isClosed && answer.hasPrefix("HTTP/1.0 200 OK\r\n"), "\(answer)")
            #expect(!answer.lowercased().contains("transfer-encoding"))
            #expect(answer.contains("\r\n\r\n{"))
        }
    }

    @Test func readinessSaysWhichCheckFailed() async throws {
        try await ServiceFixture.run { service in
            let connection = try await service.database.connect()
            let ready = try await connection.withTransaction { connection in
                try await connection.query("LOCK TABLE projection.checkpoint")
                return try await service.client.get("/readyz")
            }
            await connection.close()
            #expect(ready.status == 503, "\(ready.text)")
            #expect(
                ready.text.contains(#""lag":"the positions of the projections could not be read""#),
                "\(ready.text)"
            )
            #expect(ready.text.components(separatedBy: #""database":"#).count == 2, "\(ready.text)")
            #expect(ready.text.contains(#""database":"ok""#), "\(ready.text)")
        }
    }

    @Test func healthReadinessAndMetricsNeedNoKey() async throws {
        try await ServiceFixture.run { service in
            _ = try await service.client.post("[\(Sample.action()),{}]", key: service.app.write)
            #expect(try await service.client.get("/healthz").status == 200)
            let ready = try await service.client.get("/readyz")
            #expect(ready.status == 200, "\(ready.text)")
            let metrics = try await service.client.get("/metrics")
            #expect(metrics.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
            for name in [
                #"notilog_events_total{kind="action_response",outcome="stored"} 1"#, "notilog_events_rejected_total",
                "notilog_append_batch_events_count 1", "notilog_append_commit_seconds_bucket",
                "notilog_append_queue_events",
                "notilog_projection_lag_events", "notilog_projection_lag_seconds",
                #"notilog_pool_connections{pool="reading",state="#, #"notilog_pool_waiting{pool="ingesting"} 0"#,
                "notilog_quarantine_items",
                #"notilog_http_request_duration_seconds_count{method="POST",route="/v1/events",status="2xx"} 1"#,
            ] {
                #expect(metrics.text.contains(name), "\(name)")
            }
            let lines = metrics.text.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("# HELP notilog_events_total ") && $0.contains("_rejected_total") })
            for type in lines where type.hasPrefix("# TYPE ") {
                let name = type.split(separator: " ")[2]
                #expect(lines.contains { $0.hasPrefix("# HELP \(name) ") }, "\(name) has no help")
            }
        }
    }

    @Test("requests that anybody may send write a bounded number of lines")
    func linesOfStrangers() async throws {
        try await ServiceFixture.run { service in
            for number in 0..<150 {
                let isUnauthorized = number % 2 == 0
                let path = isUnauthorized ? "/v1/reports/engagement" : "/nowhere"
                let answer = try await service.client.get(path)
                #expect(answer.status == (isUnauthorized ? 401 : 404))
            }
            await service.service.stop()
            let lines = service.service.log.split(separator: "\n")
            for status in ["401", "404"] {
                #expect(lines.count { $0.contains(#""status":"\#(status)""#) } == 60)
            }
        }
    }

    @Test func logsHoldNothingOfTheRequest() async throws {
        try await ServiceFixture.run(["log.level": "debug"]) { service in
            let token =
                #"{"kind":"token","device_id":"secret-device","state":"registered","provider":"apns","token":"abcdef0123","#
                + #""occurred_at":"\#(Sample.time(10))"}"#
            _ = try await service.client.post(token, key: service.app.write)
            _ = try await service.client.post(
                token.replacingOccurrences(of: "occurred", with: "occured"),
                key: service.app.write
            )
            _ = try await service.client.get("/v1/devices/secret-device", key: service.app.read)
            _ = try await service.client.get("/v1/devices/secret-device/events?cursor=bad", key: service.app.read)
            await service.service.stop()
            let log = service.service.log
            #expect(log.contains(#""route":"/v1/devices/{id}""#))
            #expect(log.contains(#""request_id":"#))
            for secret in ["secret-device", "abcdef0123", service.app.write, service.app.read] {
                #expect(!log.contains(secret))
            }
        }
    }
}
