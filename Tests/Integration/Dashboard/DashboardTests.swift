import PlainHTTP
import Testing

/// The dashboard's files, as any client gets them.
@Suite(.serialized)
struct DashboardTests {
    @Test func filesComeWithTypesAndAStrictPolicy() async throws {
        try await ServiceFixture.run { service in
            let types = [
                "/": "text/html; charset=utf-8",
                "/dashboard/app/main.js": "text/javascript; charset=utf-8",
                "/dashboard/style/tokens.css": "text/css; charset=utf-8",
                "/dashboard/text/en.json": "application/json",
                "/dashboard/style/icon.svg": "image/svg+xml",
                // From Debian's package, where it was not installed beside.
                "/dashboard/lib/chart.min.js": "text/javascript; charset=utf-8",
            ]
            for (path, type) in types {
                let answer = try await service.client.get(path)
                #expect(answer.status == 200, "\(path)")
                #expect(answer.headers["content-type"] == type)
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
                let policy = answer.headers["content-security-policy"]?.split(separator: "; ").map(String.init) ?? []
                #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
                #expect(policy.contains("frame-ancestors 'none'") && policy.contains("connect-src 'self'"))
                #expect(!policy.contains { $0.contains("unsafe") })
                #expect(!answer.body.isEmpty)
                let head = try await service.client.get(path, method: "HEAD")
                #expect(head.status == 200 && head.body.isEmpty)
            }
        }
    }

    @Test func whatIsKnownIsNotSentAgain() async throws {
        try await ServiceFixture.run { service in
            let path = "/dashboard/app/main.js"
            let plain = try await service.client.get(path)
            let tag = try #require(plain.headers["etag"])
            #expect(plain.headers["content-encoding"] == nil)
            #expect(plain.headers["cache-control"] == "no-cache" && plain.headers["vary"] == "Accept-Encoding")
            let packed = try await service.client.get(path, headers: [("Accept-Encoding", "br;q=1, gzip")])
            #expect(packed.headers["content-encoding"] == "gzip")
            #expect(packed.body.count < plain.body.count && packed.body.starts(with: [0x1F, 0x8B]))
            #expect(packed.headers["etag"] != tag)
            let refused = try await service.client.get(path, headers: [("Accept-Encoding", "gzip;q=0")])
            #expect(refused.body == plain.body)
            for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let again = try await service.client.get(path, headers: [("If-None-Match", known)])
                #expect(again.status == 304 && again.body.isEmpty, "\(known)")
                #expect(again.headers["etag"] == tag)
            }
            let changed = try await service.client.get(path, headers: [("If-None-Match", "\"x\"")])
            #expect(changed.status == 200)
        }
    }

    @Test func nothingElseIsGiven() async throws {
        let paths = [
            "/dashboard/../sql/roles.sql", "/dashboard/app/..%2f..%2findex.html", "/dashboard/..%2f..%2f/sql/roles.sql",
            "/dashboard/%2e%2e/index.html", "/dashboard/app/main.js%00.css", "/dashboard//etc/passwd",
            "/dashboard/app/none.js", "/dashboard/app/", "/dashboard/app", "/dashboard/text/../text/en.json",
        ]
        try await ServiceFixture.run { service in
            for path in paths {
                let answer = try await service.client.get(path)
                #expect(answer.status == 404 || answer.status == 400, "\(path)")
                #expect(answer.headers["content-type"] == "application/problem+json", "\(path)")
            }
        }
    }
}
