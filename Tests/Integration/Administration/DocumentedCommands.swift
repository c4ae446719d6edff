import Foundation

/// The commands of a document, in their order.
struct DocumentedCommands {
    struct Block {
        var text: String
        /// Why it is not run, where the line above it says so: `<!-- not run: … -->`.
        var reason: String?
    }

    let blocks: [Block]

    /// - Parameters:
    ///   - name: the document, in the repository.
    ///   - heading: only the section below it.
    init(of name: String, below heading: String? = nil) throws {
        var text = try String(contentsOf: ProgramRun.repository().appendingPathComponent(name), encoding: .utf8)
        if let heading {
            let sections = text.components(separatedBy: "\n## ")
            text = sections.first { "## \($0)".hasPrefix(heading + "\n") } ?? ""
        }
        var blocks: [Block] = []
        var open: [Substring]?
        var before: Substring = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = open {
                open = line == "```" ? nil : lines + [line]
                if open == nil {
                    let reason = before.firstMatch(of: /<!-- not run: (.+) -->/).map { String($0.output.1) }
                    blocks.append(Block(text: lines.joined(separator: "\n"), reason: reason))
                    before = ""
                }
            } else if line == "```sh" {
                open = []
            } else {
                before = line
            }
        }
        self.blocks = blocks
    }
}
