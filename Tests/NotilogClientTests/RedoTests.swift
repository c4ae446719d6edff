import Foundation
import Testing

@testable import NotilogClient

/// A change of a note and the events that result from it, in a process that is killed at each step.
@Suite("A change of a note, and its events")
struct RedoTests {
    /// The last step before the kill.
    enum Step: CaseIterable, Sendable {
        case notePrepared, redoPrepared, committed, partlyAppended, appended, noteKept
    }

    private static let limits = Notilog.QueueLimits(durability: .processEnd)

    /// Does the steps of a change up to one, as ``Notilog/FileQueue/change(_:_:)`` does them, and no more.
    private func change(_ queue: Notilog.FileQueue, _ events: [Notilog.QueuedEvent], until step: Step) throws {
        let frames = try queue.frames(of: events)
        let redo = Redo(note: "n", frames: frames)
        try queue.locked { open in
            try open.prepareNote("n", Data("new".utf8), Self.limits.durability)
            if step == .notePrepared { return }
            try open.prepare(redo)
            if step == .redoPrepared { return }
            try open.commit(redo)
            switch step {
            case .partlyAppended: try open.append(Array(frames.dropLast(10)), limits: Self.limits)
            case .appended: try open.append(frames, limits: Self.limits)
            case .noteKept:
                try open.append(frames, limits: Self.limits)
                try open.keepPreparedNote("n")
            default: break
            }
        }
    }

    @Test(
        "A kill at any step leaves the events and the change, or neither, and each event once",
        arguments: Step.allCases
    )
    func killed(step: Step) async throws {
        try await withFolder { folder in
            let events = [Notilog.QueuedEvent.sample(2), .sample(3)]
            do {
                let queue = Notilog.FileQueue(folder: folder, limits: Self.limits)
                #expect(try queue.append([.sample(1)]))
                #expect(try queue.change("n") { _ in Notilog.NoteChange(note: Data("old".utf8)) })
                try change(queue, events, until: step)
            }
            let next = Notilog.FileQueue(folder: folder, limits: Self.limits)
            var note: String?
            #expect(
                try next.change("n") { data in
                    note = data.map { String(decoding: $0, as: UTF8.self) }
                    return Notilog.NoteChange(events: [.sample(4)])
                }
            )
            let isDone = step != .notePrepared && step != .redoPrepared
            #expect(note == (isDone ? "new" : "old"))
            #expect(try next.drain() == (isDone ? [1, 2, 3, 4] : [1, 4]))
            // Nobody makes it a second time.
            #expect(try next.append([.sample(5)]))
            #expect(try Notilog.FileQueue(folder: folder, limits: Self.limits).drain() == [5])
        }
    }

    @Test("A process that has the queue open already makes the change of one that was killed")
    func beside() async throws {
        try await withFolder { folder in
            let (app, other) = (
                Notilog.FileQueue(folder: folder, limits: Self.limits),
                Notilog.FileQueue(folder: folder, limits: Self.limits)
            )
            #expect(try app.append([.sample(1)]))
            try change(other, [.sample(2)], until: .committed)
            #expect(try app.drain() == [1, 2])
        }
    }

    @Test("A file that a loss of power damaged is of a change without a receipt", arguments: [0, 7, 20])
    func damaged(bytes: Int) async throws {
        try await withFolder { folder in
            let queue = Notilog.FileQueue(folder: folder, limits: Self.limits)
            try change(queue, [.sample(1)], until: .committed)
            let file = folder.appendingPathComponent("redo")
            try Data(contentsOf: file).prefix(bytes).write(to: file)
            #expect(try queue.status().events == 0)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("Consent that is taken back takes a change of before with it")
    func refused() async throws {
        try await withFolder { folder in
            let queue = Notilog.FileQueue(folder: folder, limits: Self.limits)
            try change(queue, [.sample(1)], until: .committed)
            try queue.setConsent(.refused)
            #expect(try queue.status().events == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.hasPrefix("redo") || $0.hasSuffix(".note") })
        }
    }
}
