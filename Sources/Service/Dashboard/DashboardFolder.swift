internal import Foundation
internal import Hashing
internal import NotificationEvents
internal import Schema

/// The dashboard's files, read once. A request finds a file by its name, and can get no file but these.
struct DashboardFolder: Sendable {
    /// Files by their path below the folder, such as `views/overview.js`.
    let files: [String: StoredBody]
    /// A hash of all files: it changes with any of them, and is the same on every instance.
    let version: String
    /// `index.html`. It names every other file under ``version``, so that browsers may cache those for ever.
    let page: StoredBody?

    /// Types by the ends of names; a file of any other kind is left out.
    private static let types = [
        "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml",
    ]

    /// The library of charts, and its paths in Debian's package libjs-chart.js if it is not installed with the page.
    private static let library = (
        name: "lib/chart.min.js",
        paths: ["/usr/share/javascript/chart.js/chart.min.js", "/usr/share/nodejs/chart.js/dist/chart.min.js"]
    )

    /// The files in `dashboards/web` beside the SQL files; none where there is no such folder.
    init(beside folder: ReleaseFolder) {
        self.init(path: URL(fileURLWithPath: folder.path).deletingLastPathComponent().path + "/dashboards/web")
    }

    /// - Parameter path: the folder that holds `index.html`.
    init(path: String, libraryPaths: [String] = Self.library.paths) {
        var files: [String: StoredBody] = [:]
        var html = ""
        let root = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? [] {
            guard !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { continue }
            files[name] = Self.read(root + "/" + name)
        }
        if let data = FileManager.default.contents(atPath: root + "/index.html") {
            html = String(decoding: data, as: UTF8.self)
        }
        if !files.isEmpty, files[Self.library.name] == nil {
            files[Self.library.name] = libraryPaths.lazy.compactMap(Self.read).first
        }
        var digest = SHA256()
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            digest.update(Array("\(name) \(file.tag)\n".utf8))
        }
        self.files = files
        let version = String(hexadecimal: digest.bytes.prefix(8))
        self.version = version
        page = files["index.html"].map { file in
            let text = html.replacingOccurrences(of: "\"dashboard/", with: "\"dashboard/\(version)/")
            return StoredBody(Array(text.utf8), contentType: file.contentType)
        }
    }

    private static func read(_ path: String) -> StoredBody? {
        let end = path.split(separator: ".").last.map(String.init) ?? ""
        guard let type = types[end], let data = FileManager.default.contents(atPath: path) else { return nil }
        return StoredBody([UInt8](data), contentType: type)
    }
}
