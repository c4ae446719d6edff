import PlainHTTP
import Testing

/// The dashboard's files, as any client gets them.
@Suite(.serialized)
struct DashboardTests {
    /// Where the page says that its files are.
    private static func base(_ service: ServiceFixture) async throws -> String {
        let page = try await service.client.get("/").text
        return "/dashboard/" + String(try #require(page.firstMatch(of: /"dashboard\/([0-9a-f]{16})\//)).output.1)
    }

    @Test func filesComeWithTypesAndAStrictPolicy() async throws {
        try await ServiceFixture.run { service in
            let base = try await Self.base(service)
            let types = [
                "/": "text/html; charset=utf-8",
                "\(base)/app/main.js": "text/javascript; charset=utf-8",
                "\(base)/style/tokens.css": "text/css; charset=utf-8",
                "\(base)/text/en.json": "application/json",
                "\(base)/style/icon.svg": "image/svg+xml",
                // From Debian's package, where it was not installed beside.
                "\(base)/lib/chart.min.js": "text/javascript; charset=utf-8",
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
            let path = "/dashboard/another-release/app/main.js"
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

    /// What a release's page names never changes, so browsers need not ask for it again; the page itself does.
    @Test func whatNeverChangesIsKept() async throws {
        try await ServiceFixture.run { service in
            let base = try await Self.base(service)
            #expect(try await service.client.get("/").headers["cache-control"] == "no-cache")
            let file = try await service.client.get("\(base)/app/main.js")
            #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
            // A page of another release, as while one takes over from the other.
            let other = try await service.client.get("/dashboard/0123456789abcdef/app/main.js")
            #expect(other.body == file.body && other.headers["cache-control"] == "no-cache")
            // All that the page names is there.
            let page = try await service.client.get("/").text
            let named = page.matches(of: /(?:href|src)="([^"]+)"/).map { String($0.output.1) }
            #expect(named.count > 30 && named.allSatisfy { "/\($0)".hasPrefix(base) })
            for path in named { #expect(try await service.client.get("/\(path)").status == 200, "\(path)") }
        }
    }

    @Test func nothingElseIsGiven() async throws {
        let paths = [
            "/dashboard/../sql/roles.sql", "/dashboard/v/app/..%2f..%2findex.html",
            "/dashboard/..%2f..%2f/sql/roles.sql", "/dashboard/v/%2e%2e/index.html", "/dashboard/v/app/main.js%00.css",
            "/dashboard/v//etc/passwd", "/dashboard/v/app/none.js", "/dashboard/v/app/", "/dashboard/v/app",
            "/dashboard/v/text/../text/en.json", "/dashboard/app/main.js",
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
