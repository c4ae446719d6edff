import Foundation

/// The queue's folder with its files open. Its owner holds the folder's lock while it calls.
final class OpenQueue {
    let folder: URL
    let lockFile: QueueFile
    private let stateFile: QueueFile
    private let refusalMark: RefusalMark?
    var state: QueueState
    /// The segments, oldest first.
    var segments: [UInt64] = []
    /// The last segment, open for appending.
    var active: Active?
    /// The device id, and the generation of the state in which it was read. In another one it may have been reset.
    var knownDeviceID: (id: String, generation: UInt64)?
    private var isKnown = false

    /// The segment that is written to.
    struct Active {
        var number: UInt64
        var file: QueueFile
        /// Up to this offset, the segment is known to hold only whole frames.
        var checkedBytes: Int
    }

    init(folder: URL, refusalMark: RefusalMark?, at date: Date) throws {
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: FileProtection.ofFolder
            )
        } catch {
            throw Notilog.StorageError(operation: "the queue's folder cannot be made", code: 0)
        }
        #if canImport(Darwin)
            // Events restored onto another device would be sent twice, and under a device id that is not its own.
            var (folder, values) = (folder, URLResourceValues())
            values.isExcludedFromBackup = true
            try? folder.setResourceValues(values)
        #endif
        self.folder = folder
        self.refusalMark = refusalMark
        lockFile = try QueueFile(folder.appendingPathComponent("lock").path)
        stateFile = try QueueFile(folder.appendingPathComponent("state").path)
        state = QueueState(at: date)
    }

    func path(_ segment: UInt64) -> String {
        let digits = String(segment, radix: 16)
        return folder.appendingPathComponent(
            String(repeating: "0", count: 16 - digits.count) + digits + ".segment"
        ).path
    }

    /// Takes in what another process has changed.
    func refresh(at date: Date) throws {
        guard let state = QueueState(file: try stateFile.read()) else {
            // A folder that is new, or has lost its state: whatever segments are there are sent, from the first.
            state = QueueState(at: date)
            if refusalMark?.isSet() == true { state.consent = .refused }
            try list()
            if let first = segments.first { state.head = Notilog.QueuePosition(segment: first) }
            try save()
            isKnown = true
            return
        }
        guard !isKnown || state.generation != self.state.generation else { return }
        self.state = state
        try list()
        isKnown = true
        // Killed between saying so and doing so.
        try removeBeforeHead()
    }

    private func list() throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw Notilog.StorageError(operation: "list", code: ENOENT)
        }
        segments = names.compactMap { name in
            name.hasSuffix(".segment") ? UInt64(name.dropLast(".segment".count), radix: 16) : nil
        }.sorted()
        if let active, segments.last != active.number { self.active = nil }
    }

    /// Stores the state as the next generation.
    func save() throws {
        state.generation += 1
        try stateFile.put(state.bytes, at: state.slotOffset)
    }

    func synchroniseState() throws {
        try stateFile.synchronise()
    }

    func removeBeforeHead() throws {
        while let first = segments.first, first < state.head.segment {
            try delete(first)
        }
    }

    func delete(_ segment: UInt64) throws {
        if active?.number == segment { active = nil }
        // Gone already is as good.
        guard unlink(path(segment)) == 0 || errno == ENOENT else {
            throw Notilog.StorageError(operation: "unlink", code: errno)
        }
        segments.removeAll { $0 == segment }
    }

    /// The contents of a segment from a byte on; empty if the segment is gone.
    func bytes(_ segment: UInt64, from offset: Int = 0) throws -> [UInt8] {
        if let active, active.number == segment { return try active.file.read(from: offset) }
        guard access(path(segment), F_OK) == 0 else { return [] }
        return try QueueFile(path(segment)).read(from: offset)
    }

    /// The size of each segment.
    func sizes() throws -> [(segment: UInt64, bytes: Int)] {
        try segments.map { segment in
            var status = stat()
            try QueueFile.retry("stat") { stat(path(segment), &status) }
            return (segment, Int(status.st_size))
        }
    }
}
