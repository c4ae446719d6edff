internal import Foundation

/// The folder with Notilog's SQL: `migrations`, `log`, `projections`, `reports`.
public struct ReleaseFolder: Sendable, Equatable {
    /// The folder's absolute path.
    public let path: String

    /// - Parameter path: the folder that holds `migrations`.
    public init(path: String) {
        self.path = path
    }

    /// Finds the folder without regard to the working directory.
    ///
    /// `NOTILOG_SHARE` (the folder that holds `sql`) comes first; else each folder above the executable is tried for
    /// `share/notilog/sql` (installed) and `sql/migrations` (built in the repository).
    ///
    /// - Throws: ``SchemaError``, which says what was tried.
    public static func locate() throws(SchemaError) -> ReleaseFolder {
        if let share = ProcessInfo.processInfo.environment["NOTILOG_SHARE"], !share.isEmpty {
            for candidate in [share + "/sql", share] where isReleaseFolder(candidate) {
                return ReleaseFolder(path: candidate)
            }
            throw SchemaError(
                "NOTILOG_SHARE does not hold sql/migrations; set it to the share/notilog folder"
            )
        }
        let executables =
            [executablePath, CommandLine.arguments.first].compactMap { $0 } + Bundle.allBundles.map(\.bundlePath)
        for executable in executables {
            var folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath().deletingLastPathComponent()
            while folder.path != "/" {
                for candidate in [folder.path + "/share/notilog/sql", folder.path + "/sql"]
                where isReleaseFolder(candidate) {
                    return ReleaseFolder(path: candidate)
                }
                folder.deleteLastPathComponent()
            }
        }
        throw SchemaError(
            "the SQL files were not found beside the executable; set NOTILOG_SHARE to the share/notilog folder"
        )
    }

    private static var executablePath: String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    }

    private static func isReleaseFolder(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/migrations")
    }

    /// A file's text.
    ///
    /// - Throws: ``SchemaError``.
    public func read(_ relativePath: String) throws(SchemaError) -> String {
        guard let data = FileManager.default.contents(atPath: path + "/" + relativePath),
            let text = String(validating: data, as: UTF8.self)
        else { throw SchemaError("sql/\(relativePath) cannot be read") }
        return text
    }

    /// The text of a file that is installed beside `sql`, such as `docs/openapi.yaml`.
    ///
    /// - Throws: ``SchemaError``.
    public func readShared(_ relativePath: String) throws(SchemaError) -> String {
        let shared = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard let data = FileManager.default.contents(atPath: shared + "/" + relativePath),
            let text = String(validating: data, as: UTF8.self)
        else { throw SchemaError("\(relativePath) is missing beside the SQL files") }
        return text
    }

    /// The names in a subfolder, sorted; empty where there is no such folder.
    public func list(_ relativePath: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + relativePath)) ?? [])
            .filter { !$0.hasPrefix(".") }.sorted()
    }
}
