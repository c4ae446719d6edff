import Foundation
import PlainHTTP
import Testing

/// The service serves TLS itself, and takes a new certificate without a restart.
@Suite("TLS", .serialized)
struct TLSTests {
    @Test(
        "requests over TLS; a new certificate counts for new connections at SIGHUP, open ones go on",
        .timeLimit(.minutes(15))
    )
    func reload() async throws {
        try await TestCertificate.withFolder { folder in
            let used = try await TestCertificate.make("used", in: folder)
            let first = try await TestCertificate.make("first", in: folder)
            let second = try await TestCertificate.make("second", in: folder)
            try first.replace(used)
            try await TestDatabase.withDatabase { database in
                let service = try await ServiceProcess.start(database: database.url, settings: used.settings)
                #expect(service.url.hasPrefix("https://127.0.0.1:"))
                let answer = try await OpenSSL.get("/readyz", service.url, trusting: first)
                #expect(answer.output.contains("HTTP/1.1 200"), "\(answer.output)")
                #expect(answer.output.contains("\"ready\""))
                let open = try OpenTLSConnection(service.url, trusting: first)
                #expect(try await open.get("/healthz", answers: 1))

                try second.replace(used)
                #expect(try await OpenSSL.get("/healthz", service.url, trusting: first).output.contains("HTTP/1.1 200"))
                try await hangUp(service, until: "certificate reloaded")
                #expect(
                    try await OpenSSL.get("/healthz", service.url, trusting: second).output.contains("HTTP/1.1 200")
                )
                let old = try await OpenSSL.get("/healthz", service.url, trusting: first)
                #expect(old.status != 0 && !old.output.contains("HTTP/1.1 200"), "\(old.output)")
                #expect(try await open.get("/healthz", answers: 2))
                open.close()

                // One that cannot be used does not take the one before away.
                try Data("nonsense".utf8).write(to: URL(fileURLWithPath: used.certificate))
                try await hangUp(service, until: "the certificate was not reloaded")
                #expect(service.log.contains("holds no certificate"))
                #expect(
                    try await OpenSSL.get("/healthz", service.url, trusting: second).output.contains("HTTP/1.1 200")
                )
                #expect(await service.stop() == 0)
            }
        }
    }

    /// Sends SIGHUP and waits for a line of the log.
    private func hangUp(_ service: ServiceProcess, until line: String) async throws {
        service.signal(SIGHUP)
        let deadline = ContinuousClock.now + .seconds(10)
        while !service.log.contains(line) {
            guard ContinuousClock.now < deadline else {
                Issue.record("after SIGHUP the log never said: \(line)")
                return
            }
            try await ContinuousClock().sleep(for: .milliseconds(10))
        }
    }

    @Test("without TLS SIGHUP ends nothing")
    func plain() async throws {
        try await ServiceFixture.run { fixture in
            try await hangUp(fixture.service, until: "no certificate is configured")
            #expect(try await fixture.client.get("/healthz").status == 200)
        }
    }

    @Test("files that cannot be used are named", .timeLimit(.minutes(15)))
    func wrongFiles() async throws {
        try await TestCertificate.withFolder { folder in
            let good = try await TestCertificate.make("good", in: folder)
            let other = try await TestCertificate.make("other", in: folder)
            let broken = folder.appendingPathComponent("broken.pem").path
            try Data("-----BEGIN PRIVATE KEY-----\n".utf8).write(to: URL(fileURLWithPath: broken))
            let cases: [([String: String], String)] = [
                (
                    ["tls.certificate": good.certificate, "tls.key": other.key],
                    "\(other.key) is not the key of the certificate"
                ),
                (["tls.certificate": good.certificate, "tls.key": broken], "\(broken) holds no private key"),
                (["tls.certificate": broken, "tls.key": good.key], "\(broken) holds no certificate"),
                (["tls.certificate": "/nowhere.pem", "tls.key": good.key], "/nowhere.pem cannot be read"),
                (["tls.certificate": good.certificate], "needs both tls.certificate and tls.key"),
            ]
            try await TestDatabase.withDatabase { database in
                for (settings, sentence) in cases {
                    let sets = settings.flatMap { ["--set", "\($0.key)=\($0.value)"] }
                    let result = try await NotilogCommand.run(
                        ["serve", "--port", "0"] + sets,
                        environment: ["NOTILOG_DATABASE_URL": database.url]
                    )
                    #expect(result.status == 1)
                    #expect(result.errors.contains(sentence), "\(result.errors)")
                }
            }
        }
    }
}
