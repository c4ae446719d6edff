internal import Foundation
internal import Postgres

/// The folder of a cursor's files. A hidden file in it names the cursor. It works on a thread of its own, like its files,
/// because disks block.
actor ExportFolder {
    nonisolated let path: String
    private let executor = ThreadExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The name of the file that names the folder's cursor.
    static let markName = ".notilog-cursor"

    /// The mode of the files: only the exporting user, and a group that loads them, may read what people did.
    static let fileMode: mode_t = 0o640

    /// The folder's cursor, and how far its files go.
    struct Mark: Codable, Equatable {
        var cursor: String
        var cursorID: String
        /// The last number in any of its files, whether or not they still exist.
        var delivered: Int64

        enum CodingKeys: String, CodingKey {
            case cursor, delivered
            case cursorID = "cursor_id"
        }
    }

    init(_ path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    nonisolated func path(of file: String) -> String { path + "/" + file }

    /// Creates the folder and those around it if they are missing, and checks that files can be created in it.
    ///
    /// - Throws: ``ExportError`` that says what to do.
    func prepare() throws(ExportError) {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
            guard isFolder.boolValue else { throw .system("used as a folder", path, ENOTDIR) }
        } else {
            try make(URL(fileURLWithPath: path))
        }
        guard access(path, W_OK | X_OK) == 0 else { throw .system("written to", path) }
    }

    private func make(_ folder: URL) throws(ExportError) {
        let parent = folder.deletingLastPathComponent()
        if parent.path != folder.path, !FileManager.default.fileExists(atPath: parent.path) { try make(parent) }
        // Another run may make the same folder.
        guard mkdir(folder.path, 0o750) == 0 || errno == EEXIST else { throw .system("created", path) }
    }

    /// The folder's cursor; `nil` if it has none.
    ///
    /// - Throws: ``ExportError`` if the file cannot be read or is damaged.
    func mark() throws(ExportError) -> Mark? {
        let name = path(of: Self.markName)
        guard FileManager.default.fileExists(atPath: name) else { return nil }
        guard let data = FileManager.default.contents(atPath: name) else { throw .system("read", name) }
        guard let mark = try? JSONDecoder().decode(Mark.self, from: data) else {
            throw ExportError(
                .folder,
                "\(name) is damaged: use another folder with --output, and another cursor"
            )
        }
        return mark
    }

    /// Records the folder's cursor.
    func setMark(_ mark: Mark) throws(ExportError) {
        try save(Self.encoded(mark), as: Self.markName, cursor: mark.cursor)
    }

    /// Records the cursor of a folder that has none.
    ///
    /// - Returns: false if another run has recorded its own since.
    func setFirstMark(_ mark: Mark) throws(ExportError) -> Bool {
        let temporary = try write(Self.encoded(mark), toBe: Self.markName, cursor: mark.cursor)
        // A new name takes no file's place; a rename would.
        guard link(temporary, path(of: Self.markName)) == 0 else {
            if errno == EEXIST {
                unlink(temporary)
                return false
            }
            // Not every file system gives a file two names.
            try rename(temporary, to: Self.markName)
            return true
        }
        unlink(temporary)
        try sync()
        return true
    }

    private static func encoded(_ mark: Mark) -> [UInt8] {
        (try? JSONEncoder().encode(mark)).map(Array.init) ?? []
    }

    /// A file that gets its final name later.
    func makeFile(_ name: String, cursor: String, gzip: Bool) throws(ExportError) -> ExportFile {
        try ExportFile(
            path: path(of: Self.temporaryName(name, cursor: cursor)),
            name: path(of: name),
            gzip: gzip,
            executor: executor
        )
    }

    /// A name that no other process uses, and that identifies the cursor.
    private static func temporaryName(_ name: String, cursor: String) -> String {
        ".\(cursor)~\(name).\(UUID().uuidString.lowercased())"
    }

    /// Removes files that killed runs of a cursor left.
    func removeLeavings(of cursor: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasPrefix(".\(cursor)~") { unlink(path(of: name)) }
    }

    /// Writes a small file under a temporary name, syncs it, renames it, and syncs the folder.
    func save(_ bytes: [UInt8], as name: String, cursor: String) throws(ExportError) {
        try rename(try write(bytes, toBe: name, cursor: cursor), to: name)
    }

    /// Writes a small file that gets its final name later, and syncs it.
    ///
    /// - Returns: its temporary name, with the folder.
    private func write(_ bytes: [UInt8], toBe name: String, cursor: String) throws(ExportError) -> String {
        let temporary = path(of: Self.temporaryName(name, cursor: cursor))
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, ExportFolder.fileMode)
        guard descriptor >= 0 else { throw .system("created", path(of: name)) }
        let failure = writeAll(bytes, to: descriptor) ?? (fsync(descriptor) == 0 ? nil : errno)
        close(descriptor)
        if let failure {
            unlink(temporary)
            throw .system("written", path(of: name), failure)
        }
        return temporary
    }

    /// Gives a file its final name, and syncs the folder.
    func rename(_ temporary: String, to name: String) throws(ExportError) {
        guard Foundation.rename(temporary, path(of: name)) == 0 else {
            let number = errno
            unlink(temporary)
            throw .system("renamed", path(of: name), number)
        }
        try sync()
    }

    /// Syncs the names of the folder's files.
    private func sync() throws(ExportError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("opened", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system("written to disk", path) }
    }

    /// The manifest of that name, if it and the file that it names are complete.
    func manifest(_ name: String) -> ExportManifest? {
        guard let manifest = ExportManifest.read(path(of: name)),
            FileDigest.ofFile(path(of: manifest.file)) == manifest.sha256
        else { return nil }
        return manifest
    }

    /// Whether a file of that name exists.
    func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path(of: name))
    }
}
