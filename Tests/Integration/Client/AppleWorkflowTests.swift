import Foundation
import Testing
import Yams

/// The workflow that compiles the client by Apple's SDKs is started by a maintainer, so that only a test notices when it would
/// not begin.
struct AppleWorkflowTests {
    private struct Workflow: Decodable {
        struct Job: Decodable {
            struct Step: Decodable {
                var name: String?
                var uses: String?
                var run: String?
            }

            var runsOn: String
            var steps: [Step]

            enum CodingKeys: String, CodingKey {
                case runsOn = "runs-on"
                case steps
            }
        }

        var jobs: [String: Job]
    }

    @Test("The workflow for macOS is valid, and what it runs is there")
    func valid() async throws {
        let root = try ProgramRun.repository()
        let file = root.appendingPathComponent(".github/workflows/apple.yml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let workflow = try YAMLDecoder().decode(Workflow.self, from: text)
        #expect(text.contains("\n  workflow_dispatch:\n"))
        let job = try #require(workflow.jobs["client"])
        #expect(job.runsOn.hasPrefix("macos-"))
        let scripts = job.steps.compactMap(\.run)
        #expect(scripts.count == 3 && job.steps.allSatisfy { $0.uses != nil || $0.run != nil })
        for script in scripts {
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-n", "-c", script]
            try shell.begin()
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0, "\(script)")
        }
        let all = scripts.joined(separator: "\n")
        let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        #expect(all.contains("-scheme NotilogClient") && manifest.contains(".library(name: \"NotilogClient\""))
        for path in ["Tests/SampleApp/check"] {
            #expect(all.contains(path))
            #expect(FileManager.default.isExecutableFile(atPath: root.appendingPathComponent(path).path))
        }
        let names = [
            "NLGNotilog", "NLGOptions", "NLGExtensionRecording", "NLGLocalNotification", "NLGLegacyCallback",
            "NLGAppOpenSource", "NLGPromptAnswer",
        ]
        for name in names { #expect(all.contains(name), "the workflow does not look for \(name)") }
        #expect(try Self.exposed(in: root) == names.sorted())
    }

    /// The names that stand in the header for Objective-C. It has none of a type that is nested in another, or in an extension of
    /// a Swift class.
    private static func exposed(in root: URL) throws -> [String] {
        let folder = root.appendingPathComponent("Sources/NotilogClient")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".swift") }.flatMap { path in
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            let lines = text.components(separatedBy: "\n")
            return lines.indices.compactMap { index -> String? in
                guard let begin = lines[index].range(of: "@objc("),
                    let name = lines[index][begin.upperBound...].split(separator: ")").first.map(String.init)
                else { return nil }
                let declaration = lines[index...].first { $0.contains("public ") } ?? ""
                // Four spaces are those of the `#if` around the file.
                let isAtTopLevel = ["public final class \(name):", "public enum \(name):"].contains {
                    declaration.hasPrefix($0) || declaration.hasPrefix("    " + $0)
                }
                #expect(isAtTopLevel, "\(path): \(name) is nested, or has another name")
                return name
            }
        }.sorted()
    }
}
