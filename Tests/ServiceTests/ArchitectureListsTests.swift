import Foundation
import NotificationEvents
import Reports
import Schema
import Testing

/// The lists of `docs/architecture.md` are whole: a file that names most kinds, or most reports, has to name the next one
/// too.
struct ArchitectureListsTests {
    /// The share of the names that are most of them.
    private static let most = 0.8

    /// What the list of a kind has that does not name every kind, and why.
    private static let ofSomeKinds = [
        "Sources/NotificationEvents/Kinds/EventKind+OpenSettings.swift": "the file of one kind",
        "Tests/Integration/Fixtures/events/v1": "a folder with a file for each kind",
        "Tests/Integration/Erasure/ErasedDataTests.swift": "fields",
        "sql/log/erased_data.sql": "fields with personal data",
        "Sources/EventLog/Append/EventColumn.swift": "kinds that the log keeps as text",
        "Sources/Folds/Notification/NotificationFacts.swift": "has names of its own for some kinds",
        "Sources/Simulator/Device.swift": "calls what sends a kind",
        "Tests/Integration/Law/RandomEvents.swift": "kinds with fields",
        "sql/reports/_live_activities_counts.sql": "kinds that devices send and projections keep",
        "Tests/Integration/Reports/Model/ReportModel+liveActivities.swift": "the same",
        "Tests/Integration/Reports/LiveActivitiesTests.swift": "the same",
        "sql/reports/_instrumentation_event_counts.sql": "kinds that only providers send",
        "Tests/Integration/Reports/Model/ReportModel+instrumentation.swift": "the same",
        "Sources/NotilogClient/Mapping": "a folder; kinds that the client records",
        "Sources/NotilogClient/Notilog+outcomes.swift": "an example",
        "Sources/NotilogClient/Apple/ObjectiveC+outcomes.swift": "an example",
        "Tests/NotilogClientAppleTests/FaceTests.swift": "kinds that the client records",
        "Sources/NotilogClient/NotilogClient.docc/Mappings.md": "kinds that the client records",
        "Tests/NotilogClientTests/MappingRows+outcomes.swift": "an example",
        "Tests/Conformance/vectors.json": "kinds that the client records",
        "Tests/Conformance/README.md": "calls, which make the kinds",
        "Tests/NotilogClientTests/ConformanceTests.swift": "kinds that the client records",
        "Tests/NotilogClientTests/CallbackPlayer.swift": "calls, which make the kinds",
        "Tests/Integration/Client/Scenarios": "a folder; kinds of the scenarios",
        "docs/scenarios.md": "kinds of the scenarios",
        "Sources/NotilogClient/Notilog+waking.swift": "kinds that are sent at once",
        "Tests/NotilogClientTests/SendingAtOnceTests.swift": "kinds that are sent at once",
        "Sources/NotilogWebClient/notilog.js": "kinds that web pages record",
        "docs/clients.md": "kinds that web pages record",
        "docs/erasure.md": "fields",
        "docs/semantics.md": "kinds whose terms need a definition",
        "docs/CHANGELOG.md": "kinds since the first release",
    ]

    @Test("what names most kinds of event is in the list of a new kind, and what the list has names every kind")
    func kinds() throws {
        let list = try ArchitecturePage().list(of: "An event kind")
        let kinds = EventKind.all.map(\.name)
        let every = Self.files(naming: 1, of: kinds)
        #expect(Self.files(naming: Self.most, of: kinds).subtracting(list).isEmpty)
        #expect(every.contains("sql/log/kinds.sql") && every.contains("Tests/DecodingTests/IdentityTests.swift"))
        #expect(list.subtracting(every).subtracting(Self.ofSomeKinds.keys).isEmpty)
        for kind in kinds {
            let sample = ArchitecturePage.root.appendingPathComponent(
                "Tests/Integration/Fixtures/events/v1/\(kind).json"
            )
            #expect(FileManager.default.fileExists(atPath: sample.path), "\(kind)")
        }
    }

    @Test("what names most reports is in the list of a new report")
    func reports() throws {
        let list = try ArchitecturePage().list(of: "A report")
        let reports = try ReportCatalogue(folder: ReleaseFolder.locate()).reports.map(\.name)
        #expect(Self.files(naming: 1, of: reports).contains("docs/dashboards.md"))
        #expect(Self.files(naming: Self.most, of: reports).subtracting(list).isEmpty)
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

    /// The files that name at least this share of the names, as the database or as Swift writes them.
    private static func files(naming share: Double, of names: [String]) -> Set<String> {
        let forms = names.map { (plain: Substring($0), camelCase: Substring(camelCase($0))) }
        let files = words.filter { file in
            let named = forms.count { file.value.contains($0.plain) || file.value.contains($0.camelCase) }
            return Double(named) >= share * Double(names.count)
        }
        return Set(files.keys)
    }

    /// The words of every file, by its path.
    private static let words: [String: Set<Substring>] = {
        var found: [String: Set<Substring>] = [:]
        for folder in ["Sources", "Tests", "dashboards", "docs", "sql"] {
            let base = ArchitecturePage.root.appendingPathComponent(folder)
            for path in (try? FileManager.default.subpathsOfDirectory(atPath: base.path)) ?? [] {
                let file = base.appendingPathComponent(path)
                guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
                found["\(folder)/\(path)"] = Set(text.utf8.split { !$0.isOfName }.map { Substring($0) })
            }
        }
        return found
    }()

    private static func camelCase(_ name: String) -> String {
        let parts = name.split(separator: "_")
        return parts.prefix(1).joined() + parts.dropFirst().map(\.capitalized).joined()
    }
}

extension UInt8 {
    /// Whether it may be part of a name: a letter, or an underscore.
    fileprivate var isOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
