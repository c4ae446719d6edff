import Foundation
import HTTPTypes
import NIOCore
import Postgres
import Reports
import Schema
import Testing

@testable import Service

/// What can be told of the dashboard from its files alone.
struct DashboardFilesTests {
    private static func folder() throws -> URL {
        URL(fileURLWithPath: try ReleaseFolder.locate().path).deletingLastPathComponent()
            .appendingPathComponent("dashboards/web")
    }

    private static func words(_ language: String) throws -> [String: String] {
        let data = try Data(contentsOf: try folder().appendingPathComponent("text/\(language).json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
    }

    private static func scripts() throws -> String {
        let names = try FileManager.default.subpathsOfDirectory(atPath: try folder().path)
        return try names.filter { $0.hasSuffix(".js") }
            .map { try String(contentsOf: try folder().appendingPathComponent($0), encoding: .utf8) }.joined()
    }

    @Test func bothLanguagesHaveTheSameWordsAndPlaceholders() throws {
        let (english, chinese) = (try Self.words("en"), try Self.words("zh-Hans"))
        #expect(Set(english.keys) == Set(chinese.keys))
        for (key, text) in english {
            let places = { (text: String) in Set(text.matches(of: /\{\w+\}/).map { String($0.output) }) }
            #expect(places(text) == places(chinese[key] ?? ""), "\(key)")
            #expect(!text.isEmpty)
        }
    }

    @Test func everyWordThatIsAskedForIsThere() throws {
        let english = try Self.words("en")
        let asked = try Self.scripts().matches(of: /\bt\(\s*"([^"]+)"/).map { String($0.output.1) }
        #expect(asked.count > 200)
        for key in asked { #expect(english[key] != nil, "\(key)") }
    }

    @Test func everyReportIsShown() throws {
        let scripts = try Self.scripts()
        let catalogue = try ReportCatalogue(folder: try ReleaseFolder.locate())
        for report in catalogue.reports + catalogue.listings {
            #expect(scripts.contains("context.query(\"\(report.name)\""), "\(report.name) is in no view")
        }
        let alerts = try String(contentsOf: Self.folder().appendingPathComponent("views/alerts.js"), encoding: .utf8)
        for report in catalogue.reports {
            #expect(alerts.contains(" \(report.name): \""), "an alert of \(report.name) leads nowhere")
        }
    }

    /// What the first view imports is named by the page, so that it is all asked for at once instead of import by import.
    @Test func whatTheFirstViewNeedsIsNamedByThePage() throws {
        let folder = try Self.folder()
        var needed: Set<String> = ["lib/chart.min.js"]
        var next = ["app/main.js", "views/overview.js"]
        while let name = next.popLast() {
            guard needed.insert(name).inserted else { continue }
            let script = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            for found in script.matches(of: /\bfrom "([^"]+)";/) {
                let file = folder.appendingPathComponent(name).deletingLastPathComponent()
                    .appendingPathComponent(String(found.output.1)).standardizedFileURL
                next.append(String(file.path.dropFirst(folder.standardizedFileURL.path.count + 1)))
            }
        }
        let page = try String(contentsOf: folder.appendingPathComponent("index.html"), encoding: .utf8)
        let named = page.matches(of: /<link rel="modulepreload" href="dashboard\/([^"]+)">/).map { String($0.output.1) }
        #expect(Set(named) == needed.subtracting(["app/main.js"]) && named.count == Set(named).count)
    }

    /// No file imports one of a layer above its own.
    @Test func importsPointDownwards() throws {
        let folder = try Self.folder()
        let layers = ["lib", "text", "data", "parts", "views", "app"]
        var count = 0
        for (height, layer) in layers.enumerated().dropFirst() {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(layer).path)
            for name in names where name.hasSuffix(".js") {
                let file = folder.appendingPathComponent("\(layer)/\(name)")
                let script = try String(contentsOf: file, encoding: .utf8)
                for found in script.matches(of: /(?:from |import\()["`]\.\.\/([a-z]+)\//) {
                    let imported = try #require(layers.firstIndex(of: String(found.output.1)), "\(layer)/\(name)")
                    #expect(imported < height, "\(layer)/\(name) imports \(layers[imported])")
                    count += 1
                }
            }
        }
        #expect(count > 100)
    }

    /// A file that changes gives all of them other addresses.
    @Test func theVersionIsThatOfEveryFile() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("dashboard-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: path) }
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        let page = #"<script src="dashboard/a.js"></script>"#
        try Data(page.utf8).write(to: path.appendingPathComponent("index.html"))
        try Data("1".utf8).write(to: path.appendingPathComponent("a.js"))
        let first = DashboardFolder(path: path.path, libraryPaths: [])
        #expect(first.version == DashboardFolder(path: path.path, libraryPaths: []).version)
        let served = first.page.map { String(buffer: $0.body) }
        #expect(served == page.replacing("dashboard/", with: "dashboard/\(first.version)/"))
        try Data("2".utf8).write(to: path.appendingPathComponent("a.js"))
        #expect(first.version != DashboardFolder(path: path.path, libraryPaths: []).version)
    }

    /// The page's policy would refuse them, and nobody would see why.
    @Test func nothingIsInlineOrMadeOfText() throws {
        let page = try String(contentsOf: try Self.folder().appendingPathComponent("index.html"), encoding: .utf8)
        #expect(!page.contains("<style") && !page.contains("style=") && !page.contains("onclick"))
        #expect(page.matches(of: /<script(?![^>]*\bsrc=)/).isEmpty)
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
            #expect(!(try Self.scripts()).contains(way), "\(way)")
        }
    }

    @Test func everyFileIsServedAndHiddenOnesAreNot() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("dashboard-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: path) }
        for name in ["index.html", "app/a.js", "app/.secret.js", ".git/config.json", "app/notes.txt"] {
            let file = path.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("x".utf8).write(to: file)
        }
        let library = path.appendingPathComponent("elsewhere.js")
        #expect(
            DashboardFolder(path: path.path, libraryPaths: ["/nowhere.js"]).files.keys.sorted()
                == ["app/a.js", "index.html"]
        )
        try Data("chart".utf8).write(to: library)
        let found = DashboardFolder(path: path.path, libraryPaths: ["/nowhere.js", library.path]).files
        let tag = StoredBody(Array("chart".utf8), contentType: "text/javascript").tag
        #expect(found["lib/chart.min.js"]?.tag == tag)
        #expect(DashboardFolder(path: path.path + "-none").files.isEmpty)
    }

    @Test func encodingsAndTagsAreReadAsTheyAreMeant() {
        func takesGzip(_ header: String) -> Bool {
            HTTPFields([HTTPField(name: .acceptEncoding, value: header)]).acceptsGzip
        }
        #expect(takesGzip("deflate, gzip;q=0.5") && takesGzip("*"))
        #expect(!takesGzip("gzip;q=0") && !takesGzip("identity") && !takesGzip(""))
        #expect(StoredBody.names("\"a\"", in: "\"b\", W/\"a\"") && !StoredBody.names("\"a\"", in: "\"ab\""))
    }
}
