import Foundation
import Testing

@testable import Exports

struct ExportFolderTests {
    private func withFolder(_ body: (ExportFolder) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-folder-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let folder = ExportFolder(url.path)
        try await folder.prepare()
        try await body(folder)
    }

    /// Two runs may find a new folder without a cursor at the same time.
    @Test func theFirstCursorOfAFolderStays() async throws {
        try await withFolder { folder in
            #expect(try await folder.mark() == nil)
            let first = ExportFolder.Mark(cursor: "a", cursorID: "1", delivered: 0)
            #expect(try await folder.setFirstMark(first))
            let second = ExportFolder.Mark(cursor: "b", cursorID: "2", delivered: 0)
            #expect(try await !folder.setFirstMark(second))
            #expect(try await folder.mark() == first)
            let later = ExportFolder.Mark(cursor: "a", cursorID: "1", delivered: 7)
            try await folder.setMark(later)
            #expect(try await folder.mark() == later)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == [ExportFolder.markName], "nothing temporary is left")
        }
    }
}
