import Foundation
import Schema

/// The SQL files of a release after this one, in a folder of its own.
struct NextRelease: Sendable {
    /// What goes into `NOTILOG_SHARE`.
    let share: String
    /// This release's newest migration.
    let current: Int
    /// The next release's migration.
    var version: Int { current + 1 }

    /// Runs a test with a release that adds a table and a column, replaces every function's body, and gives `log.append`
    /// and a report one more parameter.
    ///
    /// - Parameter header: what its migration begins with; `%d` is this release's newest migration.
    static func with(
        header: String = "-- oldest service: %d",
        _ body: (NextRelease) async throws -> Void
    ) async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-next-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let folder = try ReleaseFolder.locate()
        let sql = root.appendingPathComponent("sql")
        let own = URL(fileURLWithPath: folder.path)
        try FileManager.default.copyItem(at: own, to: sql)
        try FileManager.default.copyItem(
            at: own.deletingLastPathComponent().appendingPathComponent("docs"),
            to: root.appendingPathComponent("docs")
        )
        let current = folder.list("migrations").compactMap { Int($0.prefix { $0 != "_" }) }.max() ?? 0
        let release = NextRelease(share: root.path, current: current)
        try Data(
            """
            \(header.replacingOccurrences(of: "%d", with: String(current)))
            ALTER TABLE log.quarantine ADD COLUMN note text;
            CREATE TABLE notilog.next_release (n integer);
            """.utf8
        ).write(to: sql.appendingPathComponent("migrations/\(String(format: "%04d", release.version))_next.sql"))
        try release.change(
            "log/append.sql",
            "data_texts text[] DEFAULT NULL,\n  OUT",
            to: "data_texts text[] DEFAULT NULL, notes text[] DEFAULT NULL,\n  OUT"
        )
        try release.change(
            "reports/settings.sql",
            "as_of timestamptz DEFAULT now())",
            to: "as_of timestamptz DEFAULT now(), more text DEFAULT NULL)"
        )
        for file in folder.list("log") { try release.change("log/\(file)", "\n", to: "\n-- next release\n") }
        return try await body(release)
    }

    private struct NotThere: Error, CustomStringConvertible {
        let description: String
    }

    private func change(_ file: String, _ old: String, to new: String) throws {
        let url = URL(fileURLWithPath: "\(share)/sql/\(file)")
        let text = try String(contentsOf: url, encoding: .utf8)
        guard let range = text.range(of: old) else { throw NotThere(description: "\(file) has no \(old)") }
        try Data(text.replacingCharacters(in: range, with: new).utf8).write(to: url)
    }
}
