public import Foundation

extension Notilog.FileQueue {
    /// The device id that is kept here. If there is none, a random one is created.
    public func deviceID() throws -> String {
        try locked { queue in try queue.deviceID(limits.durability) }
    }

    /// Forgets the device id and the notes; see ``EventStorage/resetDeviceID()``.
    public func resetDeviceID() throws {
        try locked { queue in try queue.resetDeviceID(limits.durability) }
    }

    /// Changes a note stored under a name, and appends the resulting events to the queue; see
    /// ``EventStorage/change(_:_:)``.
    public func change(_ name: String, _ change: (Data?) -> Notilog.NoteChange) throws -> Bool {
        try locked { queue in
            guard permits(queue.state) else { return false }
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
    private static let deviceIDNote = "device-id"
    private static let noteSuffix = ".note"

    /// The device id. If there is none, a random one is created.
    func deviceID(_ durability: Notilog.QueueLimits.Durability) throws -> String {
        if let known = knownDeviceID, known.generation == state.generation { return known.id }
        let id: String
        // An id that cannot be read now is not replaced: the device would be another one from then on.
        if let data = try note(Self.deviceIDNote),
            let stored = UUID(uuidString: String(decoding: data, as: UTF8.self))
        {
            id = stored.uuidString.lowercased()
        } else {
            id = UUID().uuidString.lowercased()
            try prepareNote(Self.deviceIDNote, Data(id.utf8), durability)
            try keepPreparedNote(Self.deviceIDNote)
            if durability == .powerLoss { try QueueFile.synchronise(folder: folder.path) }
        }
        knownDeviceID = (id, state.generation)
        return id
    }

    /// Forgets the device id and everything that is remembered under it.
    func resetDeviceID(_ durability: Notilog.QueueLimits.Durability) throws {
        // Another generation first, so that no process goes on with the id that it has in memory. If this one is killed
        // in between, they read the old one again.
        try save()
        // The id goes last: a new device must not be told of the old one's notifications.
        try removeNotesOfDevice()
        try removeFiles { $0 == Self.deviceIDNote + Self.noteSuffix }
        knownDeviceID = nil
        guard durability == .powerLoss else { return }
        try synchroniseState()
        try QueueFile.synchronise(folder: folder.path)
    }

    /// Deletes what is remembered of notifications and activities, but not the device id.
    func removeNotesOfDevice() throws {
        try removeFiles { $0.hasSuffix(Self.noteSuffix) && $0 != Self.deviceIDNote + Self.noteSuffix }
    }

    /// Deletes the files with such names. One that cannot be deleted does not keep the others from it.
    func removeFiles(_ isToGo: (String) -> Bool) throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var failure: Notilog.StorageError?
        for name in names where isToGo(name) {
            guard unlink(folder.appendingPathComponent(name).path) != 0, errno != ENOENT else { continue }
            failure = Notilog.StorageError(operation: "unlink", code: errno)
        }
        if let failure { throw failure }
    }

    private func file(_ note: String) -> URL {
        folder.appendingPathComponent(note + Self.noteSuffix)
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
