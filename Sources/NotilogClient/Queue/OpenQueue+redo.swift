import Foundation

/// A change of a note with its resulting events, kept until both are done. A kill leaves both or neither.
struct Redo: Equatable {
    /// The name of the note. The new note is ready beside the old one.
    var note: String
    /// The events, as they stand in a segment.
    var frames: [UInt8]

    /// The file: a CRC-32 of what follows, the length of the name, the name, the frames.
    var bytes: [UInt8] {
        let name = Array(note.utf8)
        var content: [UInt8] = []
        content.append(UInt32(name.count))
        content += name + frames
        var bytes: [UInt8] = []
        bytes.append(CRC32.checksum(content))
        return bytes + content
    }

    init(note: String, frames: [UInt8]) {
        self.note = note
        self.frames = frames
    }

    /// `nil` unless the file is whole.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8, CRC32.checksum(bytes[4...]) == bytes.number(UInt32.self, at: 0) else { return nil }
        let length = Int(bytes.number(UInt32.self, at: 4))
        guard length <= bytes.count - 8 else { return nil }
        note = String(decoding: bytes[8..<8 + length], as: UTF8.self)
        frames = Array(bytes[(8 + length)...])
    }
}

extension OpenQueue {
    private var redoPath: String { folder.appendingPathComponent("redo").path }

    /// Writes the file next to its final place.
    func prepare(_ redo: Redo) throws {
        let (path, attributes) = (redoPath + ".next", FileProtection.ofFile)
        guard FileManager.default.createFile(atPath: path, contents: Data(redo.bytes), attributes: attributes) else {
            throw Notilog.StorageError(operation: "a change cannot be written", code: 0)
        }
    }

    /// From here on the change counts. This process or the next one makes it.
    func commit(_ redo: Redo) throws {
        try QueueFile.retry("rename") { rename(redoPath + ".next", redoPath) }
    }

    /// Makes the change.
    func complete(_ redo: Redo, limits: Notilog.QueueLimits) throws {
        do {
            if !redo.frames.isEmpty { try append(redo.frames, limits: limits) }
        } catch {
            // The receipt says no: nobody may make the change later.
            try removeRedo()
            throw error
        }
        do {
            try keepPreparedNote(redo.note)
        } catch let error as Notilog.StorageError where error.code == ENOENT {
            // It was kept before the process ended.
        }
        try removeRedo()
    }

    /// Makes a change that a killed process left behind.
    func redo(limits: Notilog.QueueLimits) throws {
        guard access(redoPath, F_OK) == 0 else { return }
        let bytes = (try? Data(contentsOf: URL(fileURLWithPath: redoPath))).map { Array($0) } ?? []
        // What a loss of power left of the file is of a change that nobody has a receipt for.
        guard var redo = Redo(bytes) else { return try removeRedo() }
        redo.frames = try missing(redo.frames)
        do {
            try complete(redo, limits: limits)
        } catch let error as Notilog.StorageError where error.code == ENOSPC {
            // Without room there is neither the change nor its events. What waits must be sent all the same, to make some.
        }
    }

    /// The frames that are not in the queue yet. Every process looks for a change before it does anything else, so
    /// these frames are the last ones.
    private func missing(_ frames: [UInt8]) throws -> [UInt8] {
        var present: Set<UUID> = []
        for segment in segments.suffix(2) {
            let bytes = try bytes(segment)
            var offset = 0
            while let start = Frame.next(bytes, from: offset), let payload = Frame.payload(bytes, at: start) {
                present.insert(Frame.decode(bytes, payload, segment: segment).id)
                offset = payload.upperBound
            }
        }
        var (missing, offset) = ([UInt8](), 0)
        while let payload = Frame.payload(frames, at: offset) {
            let id = Frame.decode(frames, payload, segment: 0).id
            if !present.contains(id) { missing += frames[offset..<payload.upperBound] }
            offset = payload.upperBound
        }
        return missing
    }

    private func removeRedo() throws {
        guard unlink(redoPath) == 0 || errno == ENOENT else {
            throw Notilog.StorageError(operation: "unlink", code: errno)
        }
    }
}
