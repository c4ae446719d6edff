import Foundation
import Testing

/// `docs/architecture.md`, read for the tests that hold it.
struct ArchitecturePage {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    let text: String

    init() throws {
        text = try String(contentsOf: Self.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
    }

    /// The lines of its first block: the targets, each below those that it imports.
    var picture: [Substring] {
        get throws {
            let blocks = text.components(separatedBy: "```")
            return try #require(blocks.count > 1 ? blocks[1] : nil).split(separator: "\n")
        }
    }

    /// The files and folders that it names.
    var paths: Set<String> { Self.paths(in: text) }

    /// What the list of a change names, such as `An event kind`.
    func list(of change: String) throws -> Set<String> {
        let paragraph = text.components(separatedBy: "\n\n").first { $0.hasPrefix("**\(change)**") }
        return Self.paths(in: try #require(paragraph, "no list of \(change)"))
    }

    private static func paths(in text: String) -> Set<String> {
        Set(text.matches(of: /`([A-Za-z.]+\/[^`<{ ]+)`/).map { String($0.output.1) })
    }

    /// The folders of Sources.
    static func targets() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("Sources").path)
            .filter { !$0.hasPrefix(".") }
    }
}
