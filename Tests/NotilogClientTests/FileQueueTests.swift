import Foundation
import Testing

@testable import NotilogClient

@Suite("The queue file")
struct FileQueueTests {
    private func queue(
        _ folder: URL,
        bytes: Int = 64 << 10,
        age: TimeInterval = 1000,
        requiresConsent: Bool = false,
        clock: TestClock = TestClock()
    ) -> Notilog.FileQueue {
        Notilog.FileQueue(
            folder: folder,
            limits: Notilog.QueueLimits(bytes: bytes, age: age, durability: .processEnd),
            requiresConsent: requiresConsent,
            now: { clock.now }
        )
    }

    @Test("gives events back in their order, over many segments and a new start")
    func order() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let first = queue(folder, bytes: 1 << 20, clock: clock)
            for number in 0..<500 {
                let isQueued = try first.append([.sample(number, bytes: 500, at: clock.now)])
                #expect(isQueued)
            }
            #expect(try first.status().events == 500)
            let second = queue(folder, bytes: 1 << 20, clock: clock)
            #expect(try second.drain() == Array(0..<500))
            #expect(try first.oldest(1, bytes: .max).isEmpty)
            #expect(try first.append([.sample(500, at: clock.now)]))
            #expect(try second.drain() == [500])
        }
    }

    @Test("stays within its bytes: the oldest give way and are counted")
    func bounded() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let queue = queue(folder, clock: clock)
            for number in 0..<2000 {
                #expect(try queue.append([.sample(number, bytes: 300, at: clock.now)]))
                let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                let size = try files.reduce(0) { total, name in
                    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
                    return total + (attributes[.size] as? Int ?? 0)
                }
                #expect(size <= 64 << 10)
            }
            let status = try queue.status()
            #expect(status.events + Int(status.dropped) == 2000)
            #expect(status.bytes > 48 << 10)
            let left = try queue.drain()
            #expect(left == Array((2000 - status.events)..<2000))
        }
    }

    @Test("drops what is too old, and counts it")
    func age() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let queue = queue(folder, age: 100, clock: clock)
            let isQueued = try queue.append([.sample(0, at: clock.now), .sample(1, at: clock.now)])
            #expect(isQueued)
            clock.advance(60)
            #expect(try queue.append([.sample(2, at: clock.now)]))
            clock.advance(60)
            #expect(try queue.drain() == [2])
            #expect(try queue.dropped() == 2)
        }
    }

    @Test("cut at any byte, keeps every event before the cut and all that come after", arguments: [1, 11, 13, 40, 99])
    func torn(cut: Int) async throws {
        try await withFolder { folder in
            let clock = TestClock()
            #expect(try queue(folder, clock: clock).append((0..<5).map { .sample($0, at: clock.now) }))
            let path = try segments(folder)[0]
            let size = try Data(contentsOf: path).count
            try FileHandle(forWritingTo: path).truncate(atOffset: UInt64(size - cut))
            let after = queue(folder, clock: clock)
            #expect(try after.append([.sample(5, at: clock.now)]))
            #expect(try after.append([.sample(6, at: clock.now)]))
            let left = try after.drain()
            let whole = 5 - (cut + 95) / 96
            #expect(left == Array(0..<whole) + [5, 6])
            #expect(try after.status().damaged == 1)
        }
    }

    @Test("with a byte turned over, loses that event alone", arguments: [3, 7, 11, 30, 95])
    func flipped(byte: Int) async throws {
        try await withFolder { folder in
            let clock = TestClock()
            #expect(try queue(folder, clock: clock).append((0..<4).map { .sample($0, at: clock.now) }))
            let path = try segments(folder)[0]
            var data = try Data(contentsOf: path)
            data[96 + byte] ^= 0x40
            try data.write(to: path)
            let after = queue(folder, clock: clock)
            #expect(try after.drain() == [0, 2, 3])
            #expect(try after.status().damaged == 1)
        }
    }

    @Test("with its state lost, gives everything again")
    func stateless() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let first = queue(folder, clock: clock)
            #expect(try first.append((0..<4).map { .sample($0, at: clock.now) }))
            let events = try first.oldest(2, bytes: .max)
            try first.remove(through: try #require(events.last).position)
            try Data([1, 2, 3]).write(to: folder.appendingPathComponent("state"))
            #expect(try queue(folder, clock: clock).drain() == [0, 1, 2, 3])
        }
    }

    @Test("with one copy of its state torn, goes on from the other")
    func tornState() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let first = queue(folder, clock: clock)
            #expect(try first.append((0..<4).map { .sample($0, at: clock.now) }))
            let path = folder.appendingPathComponent("state")
            for slot in [0, 64] {
                try first.remove(through: try #require(try first.oldest(1, bytes: .max).last).position)
                var state = try Data(contentsOf: path)
                let whole = state
                state[slot + 20] ^= 1
                try state.write(to: path)
                // One at most is sent again.
                #expect(try queue(folder, clock: clock).oldest(1, bytes: .max).first?.number ?? 9 <= 2)
                try whole.write(to: path)
            }
        }
    }

    @Test("whose folder is taken away, starts over")
    func removed() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let queue = queue(folder, clock: clock)
            #expect(try queue.append([.sample(0, at: clock.now)]))
            try FileManager.default.removeItem(at: folder)
            #expect(try queue.append([.sample(1, at: clock.now)]))
            #expect(try FileQueueTests().queue(folder, clock: clock).drain() == [1])
        }
    }

    @Test("whose folder is taken away while events are sent, keeps those that come after")
    func removedWhileSending() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let queue = queue(folder, clock: clock)
            #expect(try queue.append([.sample(0, at: clock.now)]))
            let sent = try #require(try queue.oldest(9, bytes: .max).last)
            try FileManager.default.removeItem(at: folder)
            clock.advance(1)
            #expect(try queue.append([.sample(1, at: clock.now)]))
            try queue.remove(through: sent.position)
            #expect(try queue.drain() == [1])
        }
    }

    @Test("shared by two, loses and doubles nothing")
    func shared() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let queues = [queue(folder, bytes: 1 << 20, clock: clock), queue(folder, bytes: 1 << 20, clock: clock)]
            let drained = Guarded<[Int]>([])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, queue) in queues.enumerated() {
                    group.addTask {
                        for number in 0..<300 {
                            _ = try queue.append([.sample(index * 300 + number, bytes: 400, at: clock.now)])
                            if number % 50 == 49 {
                                let events = try queue.oldest(40, bytes: .max)
                                drained.withLock { $0 += events.compactMap(\.number) }
                                if let last = events.last { try queue.remove(through: last.position) }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let rest = try queues[0].drain()
            // Both may have been given the same ones at the same time: the service takes the second as a repeat.
            #expect(Set(drained.withLock { $0 } + rest) == Set(0..<600))
            #expect(Set(rest).count == rest.count)
        }
    }

    @Test("empties itself when consent is taken back, for every process, and takes nothing until it is given")
    func consent() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let (app, appExtension) = (queue(folder, clock: clock), queue(folder, clock: clock))
            #expect(try app.append([.sample(0, at: clock.now)]))
            #expect(try appExtension.append([.sample(1, at: clock.now)]))
            let sending = try app.oldest(9, bytes: .max)
            try appExtension.setConsent(.refused)
            #expect(try segments(folder).isEmpty)
            #expect(try !app.append([.sample(2, at: clock.now)]))
            #expect(try app.oldest(9, bytes: .max).isEmpty)
            try app.remove(through: try #require(sending.last).position)
            try app.setConsent(.granted)
            #expect(try appExtension.append([.sample(3, at: clock.now)]))
            #expect(try app.drain() == [3])
        }
    }

    @Test("takes nothing before consent where that is required")
    func required() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let queue = queue(folder, requiresConsent: true, clock: clock)
            let isQueued = try queue.append([.sample(0, at: clock.now)])
            #expect(!isQueued)
            try queue.setConsent(.granted)
            #expect(try queue.append([.sample(1, at: clock.now)]))
            #expect(try self.queue(folder, requiresConsent: true, clock: clock).drain() == [1])
        }
    }

    @Test("keeps one device id for all who use it")
    func deviceID() async throws {
        try await withFolder { folder in
            let id = try queue(folder).deviceID()
            #expect(UUID(uuidString: id) != nil)
            #expect(try queue(folder).deviceID() == id)
            let other = try queue(folder.appendingPathComponent("other")).deviceID()
            #expect(other != id)
            // The same, if it survives a loss of power.
            let durable = Notilog.FileQueue(folder: folder)
            #expect(try durable.deviceID() == id)
            #expect(try durable.change("n") { _ in Notilog.NoteChange(note: Data("n".utf8)) })
            let new = folder.appendingPathComponent("new")
            let newID = try Notilog.FileQueue(folder: new).deviceID()
            #expect(try queue(new).deviceID() == newID)
        }
    }

    @Test("does not replace a device id that cannot be read now")
    func unreadableDeviceID() async throws {
        try await withFolder { folder in
            let id = try queue(folder).deviceID()
            let file = folder.appendingPathComponent("device-id.note")
            try FileManager.default.removeItem(at: file)
            // A link to itself: the system opens it for nobody.
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
            #expect(throws: Notilog.StorageError.self) { try queue(folder).deviceID() }
            var options = Notilog.Options()
            options.folder = folder
            options.sendsAutomatically = false
            let notilog = Notilog(url: folder, writeKey: "key", options: options)
            // Until it can be read, all of the process' events have one id.
            #expect(notilog.deviceID != id && notilog.deviceID == notilog.deviceID)
            try FileManager.default.removeItem(at: file)
            try Data(id.utf8).write(to: file)
            #expect(notilog.deviceID == id)
        }
    }

    @Test("puts what comes of a change and keeps the change as one, or does neither")
    func change() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let queue = queue(folder, clock: clock)
            func add(_ number: UInt8) throws -> Bool {
                try queue.change("n") { data in
                    Notilog.NoteChange(note: (data ?? Data()) + [number], events: [.sample(Int(number), at: clock.now)])
                }
            }
            func kept() throws -> [UInt8] {
                var kept: [UInt8] = []
                let isPermitted = try queue.change("n") { data in
                    kept = Array(data ?? Data())
                    return Notilog.NoteChange()
                }
                return isPermitted ? kept : [0]
            }
            var isPermitted = try add(1)
            isPermitted = try add(2) && isPermitted
            var found = try kept()
            #expect(isPermitted && found == [1, 2])
            // What is to be kept cannot be written.
            let blocked = folder.appendingPathComponent("n.next.note")
            try FileManager.default.createDirectory(at: blocked, withIntermediateDirectories: false)
            #expect(throws: Notilog.StorageError.self) { try add(3) }
            try FileManager.default.removeItem(at: blocked)
            // The event cannot.
            let large = Notilog.NoteChange(note: Data([9]), events: [.sample(4, bytes: 9 << 20, at: clock.now)])
            #expect(throws: Notilog.StorageError.self) { try queue.change("n") { _ in large } }
            found = try kept()
            let numbers = try queue.drain()
            #expect(found == [1, 2] && numbers == [1, 2])
            try queue.setConsent(.refused)
            isPermitted = try add(5)
            #expect(!isPermitted)
            try queue.setConsent(.granted)
            found = try kept()
            #expect(found.isEmpty)
            let isEmpty = try queue.drain().isEmpty
            #expect(isEmpty)
        }
    }

    @Test("that cannot be written says so")
    func unwritable() throws {
        let queue = Notilog.FileQueue(folder: URL(fileURLWithPath: "/dev/null/notilog"))
        #expect(throws: Notilog.StorageError.self) { try queue.append([.sample(0)]) }
    }

    private func segments(_ folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "segment" }
            .sorted { $0.path < $1.path }
    }
}
