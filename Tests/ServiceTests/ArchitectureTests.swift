import Administration
import Foundation
import Testing

/// `docs/architecture.md` is true: its files exist, every target is in its picture and imports only targets above it.
struct ArchitectureTests {
    @Test func itsFilesExist() throws {
        let paths = try ArchitecturePage().paths
        #expect(paths.count > 60)
        for path in paths {
            #expect(
                FileManager.default.fileExists(atPath: ArchitecturePage.root.appendingPathComponent(path).path),
                "\(path)"
            )
        }
    }

    @Test func everyTargetIsThere() throws {
        let picture = try ArchitecturePage().picture.joined(separator: "\n")
        let words = Set(picture.matches(of: /\w+/).map { String($0.output) })
        #expect(Set(try ArchitecturePage.targets()).subtracting(words).isEmpty)
    }

    @Test func targetsImportOnlyThoseAboveThem() throws {
        // "Hashing, Gzip, JSON  digests (CLibCrypto), …"
        let names = try ArchitecturePage().picture.map {
            $0.prefix(upTo: $0.firstRange(of: "  ")?.lowerBound ?? $0.endIndex)
        }
        let ranks = names.enumerated().flatMap { rank, line in
            line.split(whereSeparator: { " ,()".contains($0) }).map { (String($0), rank) }
        }
        let rank = Dictionary(uniqueKeysWithValues: ranks)
        #expect(rank.count > 15)
        // Targets in C import none of ours.
        let targets = try ArchitecturePage.targets().filter { !$0.hasPrefix("C") }
        for target in targets {
            let own = try #require(rank[target], "\(target) begins no line")
            for imported in try Self.imports(of: target) where targets.contains(imported) {
                let other = try #require(rank[imported])
                #expect(other < own, "\(target) imports \(imported)")
            }
        }
    }

    /// "Only `Postgres` imports `CLibPQ`, only `Decoding` `CSimdJSON`, …"
    @Test func whatOneTargetAloneImports() throws {
        let said = try ArchitecturePage().text.matches(of: /[Oo]nly `(\w+)` (?:imports )?`?(\w+)`?/)
        #expect(said.count == 3)
        for match in said {
            let (target, library) = (String(match.output.1), String(match.output.2))
            let importers = try ArchitecturePage.targets().filter { try Self.imports(of: $0).contains(library) }
            #expect(importers == [target], "\(library)")
        }
    }

    /// NOTIFY fails where a session lets the queue fill, and what was changed with it: one function looks at the queue first.
    @Test func oneFunctionNotifies() throws {
        let notifying = try ["Sources", "sql"].flatMap { try Self.files(in: $0) }.filter {
            $0.text.contains("pg_notify(")
        }
        #expect(notifying.map { $0.name } == ["notify_keys.sql"])
        let text = try #require(notifying.first?.text)
        #expect(text.contains("'\(Administration.channel)'"))
        #expect(text.contains("WHERE pg_notification_queue_usage() < 0.5"))
    }

    /// The files in Swift and SQL below a folder.
    private static func files(in folder: String) throws -> [(name: String, text: String)] {
        let base = ArchitecturePage.root.appendingPathComponent(folder)
        return try FileManager.default.subpathsOfDirectory(atPath: base.path).map { base.appendingPathComponent($0) }
            .filter { ["swift", "sql"].contains($0.pathExtension) }
            .map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
    }

    private static func imports(of target: String) throws -> Set<String> {
        let folder = ArchitecturePage.root.appendingPathComponent("Sources/\(target)")
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
