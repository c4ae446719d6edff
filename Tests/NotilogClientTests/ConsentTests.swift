import Foundation
import Testing

@testable import NotilogClient

/// The consent of one person, for every recorder of a folder.
@Suite("Consent")
struct ConsentTests {
    private func queue(_ folder: URL, requiresConsent: Bool = false) -> Notilog.FileQueue {
        Notilog.FileQueue(
            folder: folder,
            limits: Notilog.QueueLimits(durability: .processEnd),
            requiresConsent: requiresConsent
        )
    }

    private func recorder(_ folder: URL, requiresConsent: Bool = false) -> Notilog {
        var options = Notilog.Options()
        options.folder = folder
        options.limits.durability = .processEnd
        options.sendsAutomatically = false
        options.requiresConsent = requiresConsent
        return Notilog(url: folder, writeKey: "key", options: options)
    }

    @Test("Where the app requires it, its extension records nothing before it, without the option too")
    func required() async throws {
        try await withFolder { folder in
            let app = recorder(folder, requiresConsent: true)
            let appExtension = recorder(folder)
            #expect(!appExtension.isRecording)
            #expect(appExtension.track(.sample).reason == .noConsent)
            #expect(await appExtension.flush() == .stopped)
            app.setConsent(true)
            #expect(appExtension.isRecording)
            #expect(appExtension.track(.sample).isQueued)
        }
    }

    @Test("Queues of one folder learn from each other that it is required, in whatever order they open it")
    func requiredLater() async throws {
        try await withFolder { folder in
            let (app, other) = (queue(folder, requiresConsent: true), queue(folder))
            #expect(try other.append([.sample(0)]))
            #expect(try app.consent() == .unknown)
            #expect(try !other.append([.sample(1)]))
            #expect(try !other.permitsRecording())
            #expect(try other.oldest(9, bytes: .max).isEmpty)
            // A later process, after other changes of the state.
            let later = queue(folder)
            #expect(try !later.append([.sample(2)]))
            try later.setConsent(.granted)
            #expect(try other.append([.sample(3)]))
            #expect(try other.drain() == [0, 3])
        }
    }

    @Test("A state of before a requirement was kept in it requires nothing")
    func earlierState() throws {
        var state = QueueState(at: Date(timeIntervalSince1970: 0))
        state.consent = .refused
        let read = try #require(QueueState(file: state.bytes))
        #expect(read == state && !read.requiresConsent)
        // The byte was one of those that are not used.
        #expect(state.bytes[45...].prefix(15).allSatisfy { $0 == 0 })
        state.requiresConsent = true
        #expect(QueueState(file: state.bytes) == state && state.bytes.count == QueueState.slotBytes)
    }

    @Test("A refusal deletes what the system was to send, whoever handed it over")
    func uploads() async throws {
        try await withFolder { folder in
            let queue = queue(folder)
            #expect(try queue.append([.sample(0)]))
            let file = folder.appendingPathComponent("com.example.app.\(UUID().uuidString).upload")
            try Data("[]".utf8).write(to: file)
            try queue.setConsent(.granted)
            #expect(FileManager.default.fileExists(atPath: file.path))
            try queue.setConsent(.refused)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("A refusal holds, without the option too, after the system has deleted the folder, until consent is given")
    func purged() async throws {
        try await withFolder { folder in
            let isRefused = Guarded(false)
            let mark = RefusalMark(
                isSet: { isRefused.withLock { $0 } },
                set: { isSet in isRefused.withLock { $0 = isSet } }
            )
            func queue() -> Notilog.FileQueue {
                Notilog.FileQueue(
                    folder: folder,
                    limits: Notilog.QueueLimits(durability: .processEnd),
                    requiresConsent: false,
                    refusalMark: mark,
                    now: { Date() }
                )
            }
            let first = queue()
            #expect(try first.append([.sample(0)]))
            try FileManager.default.removeItem(at: folder)
            #expect(try first.append([.sample(1)]), "nobody refused")
            try first.setConsent(.refused)
            try FileManager.default.removeItem(at: folder)
            let next = queue()
            #expect(try !next.append([.sample(2)]))
            #expect(try next.consent() == .refused)
            // Within a process, too.
            try FileManager.default.removeItem(at: folder)
            #expect(try !next.append([.sample(3)]))
            try next.setConsent(.granted)
            try FileManager.default.removeItem(at: folder)
            #expect(try next.append([.sample(4)]))
            #expect(try queue().drain() == [4])
            // Also where the folder cannot be made.
            try FileManager.default.removeItem(at: folder)
            try Data().write(to: folder)
            #expect(throws: (any Error).self) { try queue().setConsent(.refused) }
            try FileManager.default.removeItem(at: folder)
            #expect(try !queue().append([.sample(5)]))
        }
    }

    @Test("Only where the system may delete the folder is a refusal remembered outside it", arguments: [false, true])
    func marked(isTV: Bool) {
        #expect((RefusalMark(of: URL(fileURLWithPath: "/queue"), isTV: isTV) != nil) == isTV)
    }

    @Test("A refusal that cannot be stored holds, whatever is on disk, and is stored once it can be")
    func waiting() async throws {
        try await withFolder { folder in
            let (app, other) = (queue(folder), queue(folder))
            #expect(try app.append([.sample(0)]))
            // A refusal cannot delete it.
            let blocked = folder.appendingPathComponent("n.note")
            try FileManager.default.createDirectory(at: blocked, withIntermediateDirectories: false)
            #expect(throws: Notilog.StorageError.self) { try app.setConsent(.refused) }
            try other.setConsent(.granted)
            #expect(try other.append([.sample(1)]))
            #expect(try !app.permitsRecording())
            #expect(try app.consent() == .refused)
            #expect(try !app.append([.sample(2)]))
            #expect(try app.oldest(9, bytes: .max).isEmpty)
            // What came before it could be sent otherwise.
            #expect(throws: Notilog.StorageError.self) { try app.setConsent(.granted) }
            try FileManager.default.removeItem(at: blocked)
            #expect(try !app.append([.sample(3)]))
            #expect(!app.isRefusalWaiting.withLock { $0 })
            #expect(try other.consent() == .refused)
            try app.setConsent(.granted)
            #expect(try app.append([.sample(4)]))
            #expect(try app.drain() == [4])
        }
    }
}
