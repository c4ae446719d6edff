import Foundation
import PlainHTTP
import Testing

/// What `notilog dev` prints can be used as it is printed; and it says what is in its way before it makes a database.
@Suite(.serialized)
struct DevGuideTests {
    /// A folder that the server's user can enter.
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-dev-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path)
    }

    /// What stands behind a title, once it was said.
    private func said(_ title: String, by service: ServiceProcess) async throws -> [String] {
        try await eventually("\(title) is printed", within: .seconds(30)) { service.log.contains("stop with Ctrl-C") }
        return service.log.split(separator: "\n").filter { $0.hasPrefix(title) }
            .map { $0.dropFirst(title.count).trimmingCharacters(in: .whitespaces) }
    }

    private func shell(_ line: String) async throws -> CommandResult {
        try await NotilogCommand.runProgram("/usr/bin/env", ["-i", "PATH=/usr/bin:/bin", "sh", "-c", line])
    }

    @Test(.timeLimit(.minutes(5))) func eachLineDoesWhatItSays() async throws {
        try await withFolder { folder in
            let service = try await ServiceProcess.start(
                ["dev", "--data", folder, "--port", "0", "--host", "0.0.0.0"],
                environment: [:]
            )
            do {
                try await check(service, folder)
            } catch {
                await service.stop()
                throw error
            }
            #expect(await service.stop() == 0)
        }
    }

    private func check(_ service: ServiceProcess, _ folder: String) async throws {
        let keys = try JSONDecoder().decode(
            [String: String].self,
            from: Data(contentsOf: URL(fileURLWithPath: folder + "/keys.json"))
        )
        let read = try #require(keys["read"])
        #expect(try await said("the page:", by: service) == ["\(service.url)/#key=\(read)"])
        // A machine without a network has none.
        for link in try await said("on the network:", by: service) {
            let parts = link.components(separatedBy: "/#key=")
            #expect(parts.count == 2 && parts[1] == read && !parts[0].contains("127.0.0.1"))
            let client = try await ServiceClient.connect(parts[0])
            #expect(try await client.get("/v1/reports", key: read).status == 200)
            await client.connection.close()
        }
        let warnings = try await said("warning:", by: service)
        #expect(warnings.count == 1 && warnings[0].contains("not encrypted"))

        let psql = try #require(try await said("SQL:", by: service).first)
        let asked = try await shell(psql + #" -Atc "SELECT name FROM notilog.app""#)
        #expect(asked.output == "demo\n", "\(asked.errors)")
        let path = try #require(try await said("this command:", by: service).first)
        #expect(path.contains("NOTILOG_DELIVERY_PAGE_URL='\(service.url)/'"), "\(path)")
        let name = URL(fileURLWithPath: NotilogCommand.path).lastPathComponent
        let listed = try await shell("\(path); \(name) apps list")
        #expect(listed.output.contains("demo"), "\(listed.errors)")

        // The service's own links lead there too, though it was told to choose its port.
        let made = try await shell(
            """
            \(path); \(name) report save all engagement &&
            \(name) digests add all --daily --mail ops@example.com && \(name) digests send 1
            """
        )
        #expect(made.status == 0, "\(made.errors)")
        let links = psql + #" -Atc "SELECT message->>'link' FROM notilog.delivery""#
        try await eventually("a digest is made") {
            try await shell(links).output == "\(service.url)/#/saved?name=all\n"
        }
    }

    @Test(.timeLimit(.minutes(5))) func onlyThisMachineComesInUnlessSaid() async throws {
        try await withFolder { folder in
            let service = try await ServiceProcess.start(["dev", "--data", folder, "--port", "0"], environment: [:])
            #expect(try await said("on the network:", by: service).isEmpty)
            #expect(try await said("warning:", by: service).isEmpty)
            await service.stop()
        }
    }

    @Test(.timeLimit(.minutes(5))) func settingsCountAsForTheService() async throws {
        try await TestCertificate.withFolder { certificates in
            let certificate = try await TestCertificate.make("dev", in: certificates)
            let environment = [
                "NOTILOG_HTTP_HOST": "0.0.0.0", "NOTILOG_HTTP_PORT": "0",
                "NOTILOG_TLS_CERTIFICATE": certificate.certificate, "NOTILOG_TLS_KEY": certificate.key,
                "NOTILOG_ERASURE_SECRET": "secret of the ledger",
            ]
            try await withFolder { folder in
                let demo = try await NotilogCommand.run(["dev", "--data", folder, "--demo"], environment: environment)
                #expect(demo.status == 1 && demo.errors.contains("plain HTTP"), "\(demo.errors)")
                let first = try await ServiceProcess.start(["dev", "--data", folder], environment: environment)
                do {
                    try await checkEncrypted(first, certificate)
                    // From now on the ledger is of that secret.
                    let command = try #require(try await said("this command:", by: first).first)
                    let erased = try await shell(
                        "\(command) NOTILOG_ERASURE_SECRET='secret of the ledger'; notilog devices erase d1 --app demo"
                    )
                    #expect(erased.errors.contains("no such device"), "\(erased.errors)")
                } catch {
                    await first.stop()
                    throw error
                }
                #expect(await first.stop() == 0)
                let second = try await ServiceProcess.start(["dev", "--data", folder], environment: environment)
                #expect(await second.stop() == 0)
            }
        }
    }

    private func checkEncrypted(_ service: ServiceProcess, _ certificate: TestCertificate) async throws {
        #expect(service.url.hasPrefix("https://127.0.0.1:") && !service.url.hasSuffix(":8080"), "\(service.url)")
        let answer = try await OpenSSL.get("/healthz", service.url, trusting: certificate)
        #expect(answer.output.contains("HTTP/1.1 200"), "\(answer.output)")
        #expect(try await said("the page:", by: service).first?.hasPrefix("\(service.url)/#key=") == true)
        #expect(try await said("on the network:", by: service).allSatisfy { $0.hasPrefix("https://") })
        #expect(try await said("warning:", by: service).isEmpty, "it is encrypted")
    }

    @Test func aTakenPortIsSaidBeforeADatabaseIsMade() async throws {
        try await withFolder { folder in
            try await ServiceFixture.run { service in
                let port = try #require(URL(string: service.service.url)?.port)
                let result = try await NotilogCommand.run(["dev", "--data", folder, "--port", "\(port)"])
                #expect(result.status == 1)
                #expect(result.errors == "Error: port \(port) is in use: choose another with --port\n")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            }
        }
    }

    @Test func anAddressOfAnotherMachineIsRefused() async throws {
        try await withFolder { folder in
            let arguments = ["dev", "--data", folder, "--port", "18999", "--host"]
            let result = try await NotilogCommand.run(arguments + ["192.0.2.1"])
            #expect(result.status == 1 && result.errors.contains("--host"), "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }
}
