import Foundation
import Testing

@testable import NotilogClient

/// What is new of a Live Activity.
@Suite("Live Activities")
struct ActivityIndexTests {
    @Test("Each change is told once, however often a stream repeats it")
    func changes() {
        var index = ActivityIndex()
        let told = [
            index.see("a", .active, content: 1), index.see("a", .active, content: 1),
            index.see("a", .active, content: nil),
            index.see("a", nil, content: 2), index.see("a", nil, content: 2), index.see("a", .stale, content: nil),
            index.see("a", .active, content: 3), index.see("a", .ended, content: 4), index.see("a", nil, content: 4),
            index.see("a", .active, content: nil), index.see("a", .dismissed, content: nil),
            index.see("a", .ended, content: nil), index.see("a", nil, content: 5),
        ]
        #expect(
            told == [[.started], [], [], [.updated], [], [.stale], [.updated], [.ended], [], [], [.dismissed], [], []]
        )
    }

    @Test("One that the app hears of when it is over has started too, and one that is planned has not")
    func late() {
        var index = ActivityIndex()
        #expect(index.see("a", .ended, content: 1) == [.started, .ended])
        #expect(index.see("b", nil, content: 1) == [])
        #expect(index.see("b", .active, content: 1) == [.started])
    }

    @Test("The index has a bound, and forgets the oldest")
    func bound() {
        var index = ActivityIndex()
        for number in 0..<1000 { _ = index.see("\(number)", .active, content: nil) }
        #expect(index.known.count == ActivityIndex.limit)
        #expect(index.see("999", .active, content: nil) == [])
    }

    @Test("A process that is started again knows what was told, and says of the start alone who started it")
    func persisted() async throws {
        try await withFolder { folder in
            func recorder() -> Notilog {
                var options = Notilog.Options()
                options.folder = folder
                options.limits.durability = .processEnd
                options.sendsAutomatically = false
                options.context = { .sample }
                return Notilog(url: folder, writeKey: "key", deviceID: "d", options: options)
            }
            let activity = Notilog.LiveActivity(
                id: "a",
                attributesType: "Ride",
                state: .started,
                startedBy: .push,
                updatesBy: .token
            )
            #expect(recorder().recordChange(of: activity, .active, content: 1).map(\.isQueued) == [true])
            let notilog = recorder()
            #expect(notilog.recordChange(of: activity, .active, content: 1).isEmpty)
            #expect(notilog.recordChange(of: activity, .ended, content: 2).map(\.isQueued) == [true])
            let events = try notilog.storage.oldest(10, bytes: .max).map { event in
                try #require(try JSONSerialization.jsonObject(with: event.json) as? [String: Any])
            }
            #expect(events.map { $0["state"] as? String } == ["started", "ended"])
            #expect(events.map { $0["started_by"] as? String } == ["push", nil])
            #expect(events.map { $0["updates_by"] as? String } == ["token", nil])
            #expect(events.allSatisfy { $0["attributes_type"] as? String == "Ride" })
        }
    }

    @Test("Who comes while the gate is closed waits until it is open")
    func gate() async throws {
        let (gate, passed) = (Gate(), Guarded(0))
        await gate.passed()
        let waiting = gate.closed {
            let task = Task {
                await gate.passed()
                passed.withLock { $0 += 1 }
            }
            gate.closed {}
            #expect(passed.withLock { $0 } == 0)
            return task
        }
        await waiting.value
        #expect(passed.withLock { $0 } == 1)
    }
}
