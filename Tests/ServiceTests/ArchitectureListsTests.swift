import Foundation
import NotificationEvents
import Reports
import Schema
import Testing

/// The lists of `docs/architecture.md` are whole: what names every kind or every report has to name the next one too.
struct ArchitectureListsTests {
    @Test("what names every kind of event is in the list of a new kind, and what the list has names every kind")
    func kinds() throws {
        let list = try ArchitecturePage().list(of: "An event kind")
        let kinds = EventKind.all.map(\.name)
        let files = try Self.filesNaming(kinds)
        #expect(files.subtracting(list).isEmpty)
        #expect(files.contains("sql/log/kinds.sql") && files.contains("Tests/DecodingTests/IdentityTests.swift"))
        let ofSome: Set = [
            "sql/log/erased_data.sql", "Tests/Integration/Erasure/ErasedDataTests.swift",
            "Tests/Integration/Law/RandomEvents.swift", "Sources/Simulator/Device.swift", "docs/erasure.md",
            "Tests/Integration/Fixtures/events/v1",
        ]
        for path in list.subtracting(files).subtracting(ofSome) { #expect(path.contains("/Kinds/"), "\(path)") }
        for kind in kinds {
            let sample = ArchitecturePage.root.appendingPathComponent(
                "Tests/Integration/Fixtures/events/v1/\(kind).json"
            )
            #expect(FileManager.default.fileExists(atPath: sample.path), "\(kind)")
        }
    }

    @Test("what names every report is in the list of a new report")
    func reports() throws {
        let list = try ArchitecturePage().list(of: "A report")
        let files = try Self.filesNaming(ReportCatalogue(folder: ReleaseFolder.locate()).reports.map(\.name))
        #expect(files.contains("docs/dashboards.md"))
        #expect(files.subtracting(list).isEmpty)
    }

    @Test("what every report answers, the peers of the bench are asked too, but for the list of notifications")
    func peers() throws {
        let reports = try ReportCatalogue(folder: ReleaseFolder.locate()).reports.map(\.name)
        for name in reports where name != "notifications" {
            for peer in ["duckdb", "clickhouse"] {
                let query = ArchitecturePage.root.appendingPathComponent("Benchmarks/\(peer)/\(name).sql")
                #expect(FileManager.default.fileExists(atPath: query.path), "\(peer): \(name)")
            }
        }
    }

    /// The files with all of these names, as the database or as Swift writes them.
    private static func filesNaming(_ names: [String]) throws -> Set<String> {
        var found: Set<String> = []
        for folder in ["Sources", "Tests", "dashboards", "docs", "sql"] {
            let base = ArchitecturePage.root.appendingPathComponent(folder)
            let files = try #require(FileManager.default.enumerator(atPath: base.path))
            for case let path as String in files {
                guard let text = try? String(contentsOf: base.appendingPathComponent(path), encoding: .utf8) else {
                    continue
                }
                guard names.allSatisfy({ text.contains($0) || text.contains(camelCase($0)) }) else { continue }
                let words = Set(text.split { !$0.isLetter && $0 != "_" }.map(String.init))
                if names.allSatisfy({ words.contains($0) || words.contains(camelCase($0)) }) {
                    found.insert("\(folder)/\(path)")
                }
            }
        }
        return found
    }

    private static func camelCase(_ name: String) -> String {
        let parts = name.split(separator: "_")
        return parts.prefix(1).joined() + parts.dropFirst().map(\.capitalized).joined()
    }
}
