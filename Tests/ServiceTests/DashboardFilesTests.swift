import Foundation
import HTTPTypes
import Postgres
import Reports
import Testing

@testable import Service

/// What can be told of the dashboard from its files alone.
struct DashboardFilesTests {
    private static func folder() throws -> URL {
        URL(fileURLWithPath: try SQLFolder.locate().path).deletingLastPathComponent()
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
        for report in try ReportCatalogue(folder: try SQLFolder.locate()).reports {
            #expect(scripts.contains("context.query(\"\(report.name)\""), "\(report.name) is in no view")
        }
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
            DashboardFolder(path: path.path, libraryPlaces: ["/nowhere.js"]).files.keys.sorted()
                == ["app/a.js", "index.html"]
        )
        try Data("chart".utf8).write(to: library)
        let found = DashboardFolder(path: path.path, libraryPlaces: ["/nowhere.js", library.path]).files
        let tag = DashboardFile(Array("chart".utf8), contentType: "text/javascript").tag
        #expect(found["lib/chart.min.js"]?.tag == tag)
        #expect(DashboardFolder(path: path.path + "-none").files.isEmpty)
    }

    @Test func encodingsAndTagsAreReadAsTheyAreMeant() {
        func takesGzip(_ header: String) -> Bool {
            HTTPFields([HTTPField(name: .acceptEncoding, value: header)]).acceptsGzip
        }
        #expect(takesGzip("deflate, gzip;q=0.5") && takesGzip("*"))
        #expect(!takesGzip("gzip;q=0") && !takesGzip("identity") && !takesGzip(""))
        #expect(DashboardFile.names("\"a\"", in: "\"b\", W/\"a\"") && !DashboardFile.names("\"a\"", in: "\"ab\""))
    }
}
