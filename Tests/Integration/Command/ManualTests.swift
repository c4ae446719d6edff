import Foundation
import Testing

/// Manual pages, completions and the example of settings, as `make install` writes them from the command's own help.
@Suite("Manual pages")
struct ManualTests {
    private func withManual(_ body: (URL) async throws -> Void) async throws {
        try await TestCertificate.withFolder { folder in
            let writer = try ProgramRun.repository().appendingPathComponent(".packaging/manual").path
            let result = try await NotilogCommand.runProgram(writer, [NotilogCommand.path, folder.path])
            #expect(result.status == 0, "\(result.errors)")
            try await body(folder)
        }
    }

    private func text(_ folder: URL, _ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    private struct Help: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable {
                    var name: String
                }
                var names: [Name]?
                var valueName: String
                var shouldDisplay: Bool
            }
            var commandName: String
            var arguments: [Argument]?
            var subcommands: [Command]?
        }
        var command: Command
    }

    /// What a page must say of a command and of those below it.
    private func wanted(_ command: Help.Command, _ path: String) -> [String] {
        let shown = (command.arguments ?? []).filter {
            $0.shouldDisplay && !["version", "help"].contains($0.valueName)
        }
        let options = shown.flatMap { $0.names ?? [] }.map { "\\fB\\-\\-\($0.name.replacing("-", with: "\\-"))\\fP" }
        let below = (command.subcommands ?? []).filter { $0.commandName != "help" }
        return [path.replacing("-", with: "\\-")] + options
            + below.flatMap { wanted($0, "\(path) \($0.commandName)") }
    }

    @Test("every command has its page, with every option of it and of the commands below it")
    func pages() async throws {
        try await withManual { folder in
            let dump = try await NotilogCommand.run(["--experimental-dump-help"])
            let help = try JSONDecoder().decode(Help.self, from: Data(dump.output.utf8)).command
            let commands = (help.subcommands ?? []).filter { $0.commandName != "help" }
            #expect(commands.count > 15)
            let overview = try text(folder, "man/notilog.1")
            for command in commands {
                let page = try text(folder, "man/notilog-\(command.commandName).1")
                for phrase in wanted(command, "notilog \(command.commandName)") {
                    #expect(page.contains(phrase), "\(command.commandName): \(phrase)")
                }
                #expect(overview.contains("notilog\\-\(command.commandName.replacing("-", with: "\\-"))"))
            }
        }
    }

    @Test("every setting is in the manual and in the example, which sets nothing by itself")
    func settings() async throws {
        try await withManual { folder in
            let page = try text(folder, "man/notilog-settings.5")
            let example = try text(folder, "notilog.env")
            let printed = try await NotilogCommand.run(["serve", "--print-config"])
            let variables = printed.output.matches(of: /NOTILOG_[A-Z_]+/).map { String($0.output) }
            #expect(variables.count > 30)
            for variable in variables { #expect(page.contains(variable) && example.contains("\n#\(variable)=")) }
            #expect(example.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
        }
    }

    @Test(
        "troff takes the pages without a warning",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/groff"))
    )
    func isTroff() async throws {
        try await withManual { folder in
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/man").sorted() {
                let arguments = ["-Kutf8", "-man", "-Tutf8", "-ww", "-rLL=200n", "\(folder.path)/man/\(name)"]
                let result = try await NotilogCommand.runProgram("/usr/bin/groff", arguments)
                #expect(result.status == 0 && result.errors.isEmpty, "\(name): \(result.errors)")
            }
        }
    }

    @Test("completions are scripts that the shell takes")
    func completions() async throws {
        try await withManual { folder in
            for (shell, name) in [("bash", "notilog"), ("zsh", "_notilog"), ("fish", "notilog.fish")] {
                let path = "\(folder.path)/completions/\(name)"
                #expect(try text(folder, "completions/\(name)").contains("quarantine"))
                guard FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)") else { continue }
                let result = try await NotilogCommand.runProgram("/usr/bin/\(shell)", ["-n", path])
                #expect(result.status == 0, "\(shell): \(result.errors)")
            }
        }
    }
}
