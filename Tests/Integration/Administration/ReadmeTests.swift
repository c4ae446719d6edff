import Foundation
import Testing

/// The first hour as README.md has it: its commands, in their order, give what it shows.
@Suite(.serialized)
struct ReadmeTests {
    /// The text of fenced blocks of one language.
    private func blocks(_ language: String) throws -> [String] {
        let text = try String(
            contentsOf: ProgramRun.repository().appendingPathComponent("README.md"),
            encoding: .utf8
        )
        return text.components(separatedBy: "```\(language)\n").dropFirst()
            .map { $0.components(separatedBy: "\n```")[0] }
    }

    @Test(.timeLimit(.minutes(5))) func theFirstEventsMakeTheFirstReport() async throws {
        let commands = try DocumentedCommands(of: "README.md").blocks
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        // What builds comes first; then the line that serves, in a terminal of its own.
        let builds = commands[0...1].flatMap { $0.text.split(separator: "\n") }
        #expect(builds.dropLast().allSatisfy { $0.hasPrefix("make ") })
        let serving = try #require(builds.last?.firstMatch(of: /^\.build\/release\/notilog dev --data (\S+)$/))
        let data = folder.appendingPathComponent(String(serving.output.1)).path
        let service = try await ServiceProcess.start(["dev", "--data", data, "--port", "0"], environment: [:])
        do {
            try await check(commands.dropFirst(2).map(\.text), service, folder)
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
    }

    private func check(_ commands: [String], _ service: ServiceProcess, _ folder: URL) async throws {
        try await eventually("dev says how to reach it", within: .seconds(30)) {
            service.log.contains("stop with Ctrl-C")
        }
        let title = "this command:"
        let path = try #require(service.log.split(separator: "\n").first { $0.hasPrefix(title) }).dropFirst(title.count)
        // One shell, as its functions and variables are used again.
        let mark = "-- next --"
        let script = (["cd '\(folder.path)'", String(path)] + commands).joined(separator: "\necho '\(mark)'\n")
            .replacing("http://127.0.0.1:8080", with: service.url)
        let run = try await NotilogCommand.runProgram("/bin/bash", ["-euc", script])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let outputs = run.output.components(separatedBy: mark + "\n").dropFirst(2)
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        try #require(outputs.count == commands.count, "\(run.output)")
        #expect(outputs[0] == (try blocks("json")[0]), "\(run.output)\(run.errors)")
        // The range and the time of the answer are others each time.
        let shown = try blocks("text")[0].split(separator: "\n", omittingEmptySubsequences: false)
        try #require(shown.count > 4)
        #expect(outputs[1].contains(shown.dropFirst().dropLast().joined(separator: "\n")), "\(outputs[1])")
        #expect(shown[0].hasPrefix("engagement  ") && outputs[1].hasPrefix("engagement  "))
        #expect(outputs[1].hasSuffix(String(try #require(shown.last?.split(separator: ";").last))), "\(outputs[1])")
        #expect(outputs[1].contains("news") && outputs[1].contains("100.0 %"))
        #expect(outputs[2].contains("news") && outputs[2].contains(#""device_id" : "5b1c9a52""#))
        #expect(outputs[3].hasSuffix(".ndjson.gz"))
    }
}
