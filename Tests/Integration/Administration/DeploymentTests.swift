import Foundation
import Logging
import PrivatePostgres
import Testing

/// The commands of docs/deployment.md, in their order, on an empty PostgreSQL; and the units that are installed.
@Suite(.serialized)
struct DeploymentTests {
    private func withMachine(_ body: (DocumentedMachine) async throws -> Void) async throws {
        let server = try await PrivatePostgres.start(
            .init(settings: ["fsync": "off"]),
            logger: Logger(label: "test.deployment")
        )
        try await TestCertificate.withFolder { folder in
            let socket = try #require(server.url().split(separator: "host=").last)
            let machine = DocumentedMachine(folder: folder, socket: String(socket))
            try machine.prepare()
            try await body(machine)
        }
        try await server.stop(.immediate)
    }

    @Test(.timeLimit(.minutes(5))) func everyCommandOfTheDocumentRuns() async throws {
        let blocks = try DocumentedCommands(of: "docs/deployment.md").blocks
        for block in blocks where block.reason != nil {
            for line in block.text.split(separator: "\n") {
                let isLeftOut = ["sudo apt-get ", "sudo tar ", "sudo systemctl ", "sudo useradd "].contains {
                    line.hasPrefix($0)
                }
                #expect(isLeftOut, "\(line) could be run")
            }
        }
        try await withMachine { machine in
            _ = try await TestCertificate.make("chain", in: machine.folder)
            var service: ServiceProcess?
            var run = 0
            for block in blocks {
                if block.reason == "needs systemd" { service = try await start(machine) }
                guard block.reason == nil else { continue }
                run += 1
                if block.text.hasPrefix("notilog serve ") {
                    try await serves(block.text, machine)
                    continue
                }
                let port = service?.url.split(separator: ":").last.map(String.init) ?? "none"
                let here = [
                    "/etc/notilog": machine.folder.appendingPathComponent("etc").path,
                    "127.0.0.1:8080": "127.0.0.1:\(port)",
                ]
                let result = try await machine.run(block.text, replacing: here)
                #expect(result.status == 0, "\(block.text)\n\(result.output)\(result.errors)")
                if block.text.contains("report engagement") || block.text.contains("/reports/engagement") {
                    #expect(result.output.contains("100.0 %"), "\(block.text)\n\(result.output)\(result.errors)")
                }
            }
            #expect(run == 9 && service != nil)
            await service?.stop()
        }
    }

    /// What the unit starts, with the settings that it reads, as its user.
    private func start(_ machine: DocumentedMachine) async throws -> ServiceProcess {
        let unit = try String(
            contentsOf: ProgramRun.repository().appendingPathComponent("docs/systemd/notilog.service"),
            encoding: .utf8
        )
        let command = try #require(unit.firstMatch(of: /ExecStart=@PREFIX@\/bin\/notilog (.+)/)).output.1
        let user = try #require(unit.firstMatch(of: /User=(.+)/)).output.1
        let settings = try String(contentsOf: machine.folder.appendingPathComponent("etc/notilog.env"), encoding: .utf8)
        var environment = ["PGHOST": machine.socket, "PGUSER": String(user), "NOTILOG_HTTP_PORT": "0"]
        for line in settings.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            environment[String(parts[0])] = String(parts[1])
        }
        return try await ServiceProcess.start(command.split(separator: " ").map(String.init), environment: environment)
    }

    /// A command that serves is ended as soon as it does.
    private func serves(_ text: String, _ machine: DocumentedMachine) async throws {
        for file in ["chain.pem", "key.pem"]
        where !FileManager.default.fileExists(atPath: machine.folder.path + "/" + file) {
            try FileManager.default.copyItem(
                at: machine.folder.appendingPathComponent("chain.key.pem"),
                to: machine.folder.appendingPathComponent(file)
            )
        }
        let arguments = text.replacing("/etc/notilog/tls", with: machine.folder.path).split(separator: " ").dropFirst()
        let service = try await ServiceProcess.start(
            arguments.map(String.init),
            environment: [
                "PGHOST": machine.socket, "PGUSER": "notilog", "PGDATABASE": "notilog", "NOTILOG_HTTP_PORT": "0",
            ]
        )
        #expect(service.url.hasPrefix("https://"))
        await service.stop()
    }

    /// By systemd itself, where it is installed: the units as `make install` writes them.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")))
    func theUnitsAreInOrder() async throws {
        try await TestCertificate.withFolder { folder in
            let prefix = folder.appendingPathComponent("prefix")
            try FileManager.default.createDirectory(
                at: prefix.appendingPathComponent("bin"),
                withIntermediateDirectories: true
            )
            try FileManager.default.createSymbolicLink(
                at: prefix.appendingPathComponent("bin/notilog"),
                withDestinationURL: URL(fileURLWithPath: NotilogCommand.path)
            )
            let units = try ProgramRun.repository().appendingPathComponent("docs/systemd")
            var paths: [String] = []
            for name in try FileManager.default.contentsOfDirectory(atPath: units.path).sorted() {
                let text = try String(contentsOf: units.appendingPathComponent(name), encoding: .utf8)
                let path = folder.appendingPathComponent(name)
                try Data(text.replacing("@PREFIX@", with: prefix.path).utf8).write(to: path)
                // A template is verified by an instance of it.
                paths.append(path.path.replacing("@.", with: "@events."))
            }
            #expect(paths.count == 3)
            let result = try await NotilogCommand.runProgram(
                "/usr/bin/systemd-analyze",
                ["verify", "--man=no", "--recursive-errors=no"] + paths
            )
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        }
    }
}
