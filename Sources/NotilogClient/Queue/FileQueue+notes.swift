public import Foundation

extension FileQueue {
    /// The device id that is kept here; the first call makes one at random.
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

    /// What was kept under this name.
    public func note(_ name: String) throws -> Data? {
        try locked { queue in queue.note(name) }
    }

    /// Keeps something small under a name.
    public func setNote(_ name: String, _ data: Data) throws {
        try locked { queue in try queue.setNote(name, data) }
    }
}

extension OpenQueue {
    static let deviceIDNote = "device-id"

    func removeNotes(except kept: String) throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasSuffix(".note") && name != kept + ".note" {
            let path = folder.appendingPathComponent(name).path
            guard unlink(path) == 0 || errno == ENOENT else { throw StorageError(operation: "unlink", code: errno) }
        }
    }

    private func file(_ note: String) -> URL {
        folder.appendingPathComponent(note + ".note")
    }

    func note(_ name: String) -> Data? {
        try? Data(contentsOf: file(name))
    }

    func setNote(_ name: String, _ data: Data) throws {
        do {
            try data.write(to: file(name), options: .atomic)
        } catch {
            throw StorageError(operation: "a note cannot be written", code: 0)
        }
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            try? FileManager.default.setAttributes(
                [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
                ofItemAtPath: file(name).path
            )
        #endif
    }
}
