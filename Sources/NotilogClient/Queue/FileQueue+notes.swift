public import Foundation

extension Notilog.FileQueue {
    /// The device id that is kept here. The first call creates a random one.
    public func deviceID() throws -> String {
        try locked { queue in
            // An id that cannot be read now is not replaced: the device would be another one from then on.
            if let data = try queue.note(OpenQueue.deviceIDNote),
                let id = UUID(uuidString: String(decoding: data, as: UTF8.self))
            {
                return id.uuidString.lowercased()
            }
            let id = UUID().uuidString.lowercased()
            try queue.prepareNote(OpenQueue.deviceIDNote, Data(id.utf8), limits.durability)
            try queue.keepPreparedNote(OpenQueue.deviceIDNote)
            if limits.durability == .powerLoss { try QueueFile.synchronise(folder: folder.path) }
            return id
        }
    }

    /// Changes a note stored under a name, and appends the resulting events to the queue; see
    /// ``EventStorage/change(_:_:)``.
    public func change(_ name: String, _ change: (Data?) -> Notilog.NoteChange) throws -> Bool {
        try locked { queue in
            guard isPermitted(queue.state.consent) else { return false }
            // A note that cannot be read is begun anew: the events are worth more than what was remembered.
            let change = change((try? queue.note(name)) ?? nil)
            let frames = try frames(of: change.events)
            guard let note = change.note else {
                try put(frames, in: queue)
                return true
            }
            // What may fail for want of room is done before the events are in the queue, or a receipt would say no to them.
            try queue.prepareNote(name, note, limits.durability)
            guard !frames.isEmpty else {
                try queue.keepPreparedNote(name)
                return true
            }
            let redo = Redo(note: name, frames: frames)
            try queue.prepare(redo)
            try queue.commit(redo)
            try queue.complete(redo, limits: limits)
            return true
        }
    }
}

extension OpenQueue {
    static let deviceIDNote = "device-id"

    func removeNotes(except kept: String) throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasSuffix(".note") && name != kept + ".note" {
            let path = folder.appendingPathComponent(name).path
            guard unlink(path) == 0 || errno == ENOENT else {
                throw Notilog.StorageError(operation: "unlink", code: errno)
            }
        }
    }

    private func file(_ note: String) -> URL {
        folder.appendingPathComponent(note + ".note")
    }

    /// A note; `nil` if there is none.
    func note(_ name: String) throws(Notilog.StorageError) -> Data? {
        do {
            return try Data(contentsOf: file(name))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw Notilog.StorageError(operation: "a note cannot be read", code: 0)
        }
    }

    /// Writes the new note beside the old one. It is whole when it replaces the old one, even after a loss of power.
    func prepareNote(_ name: String, _ data: Data, _ durability: Notilog.QueueLimits.Durability) throws {
        let prepared = prepared(name)
        let attributes = FileProtection.ofFile
        guard FileManager.default.createFile(atPath: prepared.path, contents: data, attributes: attributes) else {
            throw Notilog.StorageError(operation: "a note cannot be written", code: 0)
        }
        if durability == .powerLoss { try QueueFile(prepared.path).synchronise() }
    }

    /// Replaces the old note.
    func keepPreparedNote(_ name: String) throws {
        try QueueFile.retry("rename") { rename(prepared(name).path, file(name).path) }
    }

    private func prepared(_ name: String) -> URL {
        file(name + ".next")
    }
}
