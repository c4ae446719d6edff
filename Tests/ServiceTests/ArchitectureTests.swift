import Foundation
import Testing

/// `docs/architecture.md` is true: its files exist, and its targets import only targets above them.
struct ArchitectureTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func page() throws -> String {
        try String(contentsOf: root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
    }

    @Test func itsFilesExist() throws {
        let paths = try Self.page().matches(of: /`([A-Za-z.]+\/[^`<{ ]+)`/).map { String($0.output.1) }
        #expect(paths.count > 60)
        for path in Set(paths) {
            #expect(FileManager.default.fileExists(atPath: Self.root.appendingPathComponent(path).path), "\(path)")
        }
    }

    @Test func targetsImportOnlyThoseAboveThem() throws {
        let blocks = try Self.page().components(separatedBy: "```")
        let lines = try #require(blocks.count > 1 ? blocks[1] : nil).split(separator: "\n")
        // "CLibPQ ← Postgres    libpq for Swift: …"
        let names = lines.map { $0.prefix(upTo: $0.firstRange(of: "  ")?.lowerBound ?? $0.endIndex) }
        let ranks = names.enumerated().flatMap { rank, line in
            line.split(whereSeparator: { " ,←".contains($0) }).map { (String($0), rank) }
        }
        let rank = Dictionary(uniqueKeysWithValues: ranks)
        #expect(rank.count > 15)
        for (target, own) in rank where !target.hasPrefix("C") {
            for imported in try Self.imports(of: target) {
                guard let other = rank[imported] else { continue }
                let isBeside = other == own && target == "Postgres"
                #expect(other < own || isBeside, "\(target) imports \(imported)")
            }
        }
    }

    private static func imports(of target: String) throws -> Set<String> {
        let folder = root.appendingPathComponent("Sources/\(target)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /(?m)^ *(?:public |package |internal |private )?import (\w+)/) {
                found.insert(String(match.output.1))
            }
        }
        return found
    }
}
