internal import Foundation

/// The folder that a cursor's files go to. A hidden file in it says whose it is.
struct ExportFolder: Sendable {
    let path: String

    /// The name of the file that says whose the folder is.
    static let markName = ".notilog-cursor"

    struct Mark: Codable, Equatable {
        var cursor: String
        var cursorID: String

        enum CodingKeys: String, CodingKey {
            case cursor
            case cursorID = "cursor_id"
        }
    }

    /// Makes the folder where it is missing, and sees that files can be made in it.
    ///
    /// - Throws: ``ExportError`` that says what to do.
    init(_ path: String) throws(ExportError) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: self.path, isDirectory: &isFolder) {
            guard isFolder.boolValue else { throw .system("used as a folder", self.path, ENOTDIR) }
        } else if mkdir(self.path, 0o755) != 0 {
            throw .system("made", self.path)
        }
        guard access(self.path, W_OK | X_OK) == 0 else { throw .system("written to", self.path) }
    }

    func path(of file: String) -> String { path + "/" + file }

    /// Whose it is; `nil` where nobody's.
    var mark: Mark? {
        FileManager.default.contents(atPath: path(of: Self.markName)).map {
            (try? JSONDecoder().decode(Mark.self, from: $0)) ?? Mark(cursor: "another", cursorID: "")
        }
    }

    /// Takes the folder for a cursor.
    ///
    /// - Throws: ``ExportError`` where it is another cursor's already.
    func claim(_ mark: Mark) throws(ExportError) {
        if let found = self.mark {
            if found == mark { return }
            throw taken(by: found.cursor, not: mark.cursor)
        }
        let bytes = (try? JSONEncoder().encode(mark)).map(Array.init) ?? []
        try place(bytes, as: Self.markName, over: temporaryName(Self.markName, cursor: mark.cursor))
    }

    func taken(by owner: String, not cursor: String) -> ExportError {
        let whose = owner == cursor ? "an earlier cursor named \(owner)" : "cursor \(owner)"
        return ExportError(
            .otherCursor,
            "the folder \(path) holds the files of \(whose): name a folder of cursor \(cursor)'s own with --output"
        )
    }

    /// A name that no other process uses, and that says whose leavings it is.
    func temporaryName(_ name: String, cursor: String) -> String {
        ".\(cursor)~\(name).\(UUID().uuidString.lowercased())"
    }

    /// Removes what killed runs of a cursor left.
    func removeLeavings(of cursor: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasPrefix(".\(cursor)~") { unlink(path(of: name)) }
    }

    /// Writes a small file under a temporary name, puts it on disk, and gives it its name.
    func place(_ bytes: [UInt8], as name: String, over temporary: String) throws(ExportError) {
        let descriptor = open(path(of: temporary), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system("made", path(of: temporary)) }
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        let failure: Int32? = written == bytes.count && fsync(descriptor) == 0 ? nil : written < 0 ? errno : ENOSPC
        close(descriptor)
        if let failure {
            unlink(path(of: temporary))
            throw .system("written", path(of: name), failure)
        }
        try rename(temporary, to: name)
    }

    /// Gives a file its final name.
    func rename(_ temporary: String, to name: String) throws(ExportError) {
        guard Foundation.rename(path(of: temporary), path(of: name)) == 0 else {
            let number = errno
            unlink(path(of: temporary))
            throw .system("put in place", path(of: name), number)
        }
    }

    /// Puts the folder's names on disk.
    func synchronise() throws(ExportError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("opened", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system("written to disk", path) }
    }
}
