public import Foundation

extension Notilog.FileQueue {
    /// The device id that is kept here. The first call creates a random one.
    public func deviceID() throws -> String {
        try locked { queue in
            if let data = queue.note(OpenQueue.deviceIDNote),
                let id = UUID(uuidString: String(decoding: data, as: UTF8.self))
            {
                return id.uuidString.lowercased()
            }
            let id = UUID().uuidString.lowercased()
            try queue.setNote(OpenQueue.deviceIDNote, Data(id.utf8))
            return id
        }
    }

    /// Changes a note stored under a name, and appends the resulting events to the queue; see
    /// ``EventStorage/change(_:_:)``.
    public func change(_ name: String, _ change: (Data?) -> Notilog.NoteChange) throws -> Bool {
        try locked { queue in
            guard isPermitted(queue.state.consent) else { return false }
            let change = change(queue.note(name))
            let frames = try frames(of: change.events)
            guard let note = change.note else {
                try put(frames, in: queue)
                return true
            }
            // What may fail for want of room is done before the events are in the queue, or a receipt would say no to them.
            try queue.prepareNote(name, note)
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

    func note(_ name: String) -> Data? {
        try? Data(contentsOf: file(name))
    }

    func setNote(_ name: String, _ data: Data) throws {
        try prepareNote(name, data)
        try keepPreparedNote(name)
    }

    /// Writes the new note beside the old one.
    func prepareNote(_ name: String, _ data: Data) throws {
        let prepared = prepared(name)
        let attributes = FileProtection.ofFile
        guard FileManager.default.createFile(atPath: prepared.path, contents: data, attributes: attributes) else {
            throw Notilog.StorageError(operation: "a note cannot be written", code: 0)
        }
    }

    /// Replaces the old note.
    func keepPreparedNote(_ name: String) throws {
        try QueueFile.retry("rename") { rename(prepared(name).path, file(name).path) }
    }

    private func prepared(_ name: String) -> URL {
        file(name + ".next")
    }
}
