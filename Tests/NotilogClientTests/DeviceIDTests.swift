import Foundation
import Testing

@testable import NotilogClient

/// The name of the installation, which an erasure or another person's turn makes useless.
@Suite("The device id")
struct DeviceIDTests {
    private func recorder(
        _ folder: URL,
        deviceID: String? = nil,
        _ set: (inout Notilog.Options) -> Void = { _ in }
    ) -> Notilog {
        var options = Notilog.Options()
        options.folder = folder
        options.limits.durability = .processEnd
        options.sendsAutomatically = false
        options.context = { .sample }
        set(&options)
        return Notilog(url: folder, writeKey: "key", deviceID: deviceID, options: options)
    }

    /// The ids of the queued events, in their order.
    private func ids(_ notilog: Notilog) throws -> [String] {
        try notilog.storage.oldest(99, bytes: .max).compactMap { event in
            ((try? JSONSerialization.jsonObject(with: event.json)) as? [String: Any])?["device_id"] as? String
        }
    }

    @Test("A reset gives another one to every recorder of the folder, and leaves that of queued events")
    func reset() async throws {
        try await withFolder { folder in
            let (app, other) = (recorder(folder), recorder(folder))
            let before = app.deviceID
            #expect(other.deviceID == before)
            #expect(app.track(.sample).isQueued)
            #expect(app.resetDeviceID())
            #expect(other.track(.sample).isQueued)
            #expect(app.track(.sample).isQueued)
            let after = app.deviceID
            #expect(after != before && UUID(uuidString: after) != nil)
            #expect(other.deviceID == after && recorder(folder).deviceID == after)
            let found = try ids(app)
            #expect(found == [before, after, after])
        }
    }

    @Test("A reset reaches a queue that has the id in memory, and survives a loss of power")
    func queues() async throws {
        try await withFolder { folder in
            let (app, other) = (Notilog.FileQueue(folder: folder), Notilog.FileQueue(folder: folder))
            let before = try app.deviceID()
            #expect(try other.deviceID() == before)
            try app.resetDeviceID()
            let after = try other.deviceID()
            #expect(after != before)
            #expect(try app.deviceID() == after)
            try other.resetDeviceID()
            #expect(try app.deviceID() != after)
        }
    }

    private static func look(_ note: Data?, _ isForgotten: Guarded<Bool>) -> Notilog.NoteChange {
        isForgotten.withLock { $0 = note == nil }
        return Notilog.NoteChange()
    }

    @Test("A reset forgets what was remembered under the old one")
    func notes() async throws {
        try await withFolder { folder in
            let notilog = recorder(folder)
            let storage = notilog.storage
            let note = Notilog.NoteChange(note: Data("n".utf8))
            let isKept = try storage.change("n", { _ in note })
            #expect(isKept)
            #expect(notilog.resetDeviceID())
            let isForgotten = Guarded(false)
            let isPermitted = try storage.change("n", { data in Self.look(data, isForgotten) })
            #expect(isPermitted)
            #expect(isForgotten.withLock { $0 })
        }
    }

    @Test("A reset forgets the ids of requests on their way and of taps")
    func ofNotifications() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let notilog = recorder(folder) { $0.clock = clock }
            func stamped() -> String? { Notilog.Mark(userInfo: notilog.stamp([:], identifier: "r"))?.id }
            func tapped() -> String? {
                let content = Notilog.Content(payload: ["aps": ["alert": "x"]])
                let request = Notilog.Request(identifier: "", content: content, trigger: Notilog.Trigger(.push))
                let tap = Notilog.Delivered(request, date: nil)
                return notilog.taps.withLock { $0.identified(tap, at: clock.now) }.request.content.mark?.id
            }
            let before = [stamped(), tapped()]
            #expect(!before.contains(nil))
            #expect([stamped(), tapped()] == before)
            #expect(notilog.resetDeviceID())
            #expect(stamped() != before[0])
            #expect(tapped() != before[1])
        }
    }

    @Test("After withdrawal, erasure and a new consent, events have another one")
    func agreeAgain() async throws {
        try await withFolder { folder in
            let notilog = recorder(folder) { $0.requiresConsent = true }
            notilog.setConsent(true)
            #expect(notilog.track(.sample).isQueued)
            notilog.setConsent(false)
            // It stays for the erasure, however often it is asked for.
            let erased = notilog.deviceID
            #expect(notilog.deviceID == erased)
            #expect(notilog.resetDeviceID())
            notilog.setConsent(true)
            #expect(notilog.track(.sample).isQueued)
            let found = try ids(notilog)
            #expect(found.count == 1 && found != [erased] && found == [notilog.deviceID])
        }
    }

    @Test("One of the app's own stays")
    func fixed() async throws {
        try await withFolder { folder in
            let notilog = recorder(folder, deviceID: "mine")
            #expect(!notilog.resetDeviceID())
            #expect(notilog.deviceID == "mine")
        }
    }

    @Test("One that cannot be forgotten is reported")
    func unforgettable() async throws {
        try await withFolder { folder in
            // A folder in its place cannot be deleted as a file.
            let file = folder.appendingPathComponent("device-id.note")
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            let reports = Guarded(0)
            let notilog = recorder(folder) { options in
                options.onReport = { _ in reports.withLock { $0 += 1 } }
            }
            #expect(!notilog.resetDeviceID())
            #expect(reports.withLock { $0 } == 1)
        }
    }

    @Test("There is none on disk before consent is given")
    func beforeConsent() async throws {
        try await withFolder { folder in
            let notilog = recorder(folder) { $0.requiresConsent = true }
            let file = folder.appendingPathComponent("device-id.note").path
            #expect(notilog.track(.sample).reason == .noConsent)
            // With a change of the index of notifications.
            #expect(notilog.record(Notilog.Request(identifier: "r")).reason == .noConsent)
            #expect(!FileManager.default.fileExists(atPath: file))
            notilog.setConsent(true)
            #expect(notilog.track(.sample).isQueued)
            #expect(FileManager.default.fileExists(atPath: file))
        }
    }

    @Test("Who hears that it cannot be read may ask for it, and hears it once")
    func listener() async throws {
        try await withFolder { folder in
            // A link to itself: the system opens it for nobody.
            let file = folder.appendingPathComponent("device-id.note")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
            let (held, heard) = (Guarded<Notilog?>(nil), Guarded<[String]>([]))
            let notilog = recorder(folder) { options in
                options.onReport = { _ in
                    guard let id = held.withLock({ $0 })?.deviceID else { return }
                    heard.withLock { $0.append(id) }
                }
            }
            held.withLock { $0 = notilog }
            let id = notilog.deviceID
            #expect(notilog.deviceID == id)
            #expect(heard.withLock { $0 } == [id])
            held.withLock { $0 = nil }
        }
    }
}
