import Foundation
import Schema

/// A copy of the SQL files that a test may change, as another release would.
struct ProjectionFolder: Sendable {
    let sql: ReleaseFolder

    static func with<Value>(
        caller: isolated (any Actor)? = #isolation,
        _ body: (ProjectionFolder) async throws -> Value
    ) async throws -> Value {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-sql-\(UUID().uuidString)")
        try FileManager.default.copyItem(atPath: ReleaseFolder.locate().path, toPath: path.path)
        defer { try? FileManager.default.removeItem(at: path) }
        return try await body(ProjectionFolder(sql: ReleaseFolder(path: path.path)))
    }

    func replace(_ old: String, with new: String, in file: String) throws {
        let text = try sql.read(file)
        guard text.contains(old) else { throw LawError("\(file) does not hold the text to replace") }
        try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: url(file))
    }

    func append(_ text: String, to file: String) throws {
        try Data((try sql.read(file) + text).utf8).write(to: url(file))
    }

    private func url(_ file: String) -> URL { URL(fileURLWithPath: sql.path).appendingPathComponent(file) }
}
