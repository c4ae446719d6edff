import Foundation

@testable import NotilogClient

/// A folder of one test's own, gone afterwards.
func withFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("notilog-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// A clock that shows what a test says, and notes who waits how long. A wait ends when the time is moved there.
final class TestClock: Notilog.DeviceClock {
    struct State {
        var now = Date(timeIntervalSince1970: 1_767_225_600)
        var sleepers: [(id: Int, seconds: TimeInterval, until: Date, wake: CheckedContinuation<Void, any Error>)] = []
        var waits: [TimeInterval] = []
        var next = 0
    }

    let state = Guarded(State())

    var now: Date { state.withLock { $0.now } }
    /// Every wait that was begun, in order. One that was cancelled before it ran is noted when it runs: late.
    var waits: [TimeInterval] { state.withLock { $0.waits } }
    /// The waits that go on.
    var current: [TimeInterval] { state.withLock { $0.sleepers.map(\.seconds) } }

    func sleep(seconds: TimeInterval) async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                state.withLock { state in
                    state.waits.append(seconds)
                    if Task.isCancelled {
                        continuation.resume(throwing: CancellationError())
                    } else {
                        state.sleepers.append((id, seconds, state.now.addingTimeInterval(seconds), continuation))
                    }
                }
            }
        } onCancel: {
            state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return }
                state.sleepers.remove(at: index).wake.resume(throwing: CancellationError())
            }
        }
    }

    func advance(_ seconds: TimeInterval) {
        let woken = state.withLock { state in
            state.now += seconds
            let now = state.now
            defer { state.sleepers.removeAll { $0.until <= now } }
            return state.sleepers.filter { $0.until <= now }
        }
        for sleeper in woken { sleeper.wake.resume() }
    }
}

/// Answers as it is told, and keeps what it was sent.
final class TestTransport: Notilog.Transport {
    struct Away: Error {}

    let requests = Guarded<[Notilog.OutgoingRequest]>([])
    private let answer: @Sendable (Int, Notilog.OutgoingRequest) async throws -> Notilog.IncomingAnswer

    /// - Parameter answer: the answer to the request of that number, from 0.
    init(_ answer: @escaping @Sendable (Int, Notilog.OutgoingRequest) async throws -> Notilog.IncomingAnswer) {
        self.answer = answer
    }

    func send(_ request: Notilog.OutgoingRequest) async throws -> Notilog.IncomingAnswer {
        let number = requests.withLock { requests in
            requests.append(request)
            return requests.count - 1
        }
        return try await answer(number, request)
    }

    var count: Int { requests.withLock { $0.count } }
}

extension Notilog.OutgoingRequest {
    var events: [[String: Any]] {
        (try? JSONSerialization.jsonObject(with: plainBody)) as? [[String: Any]] ?? []
    }
}

extension Notilog.IncomingAnswer {
    static func taken(_ count: Int) -> Notilog.IncomingAnswer {
        let body = #"{"accepted":\#(count),"duplicate":0,"rejected":0,"position":\#(count),"results":[]}"#
        return Notilog.IncomingAnswer(status: 200, body: Data(body.utf8))
    }
}

extension Notilog.Context {
    static let sample = Notilog.Context(platform: "ios", zone: TimeZone(secondsFromGMT: 0) ?? .current)
}

extension Notilog.Event {
    static let sample = Notilog.Event("open_settings", at: Date(timeIntervalSince1970: 1_767_225_600))
}

extension Notilog.QueuedEvent {
    static func sample(_ number: Int, bytes: Int = 60, at date: Date = Date()) -> Notilog.QueuedEvent {
        let json = #"{"n":\#(number),"x":""#
        return Notilog.QueuedEvent(
            id: .version7(at: date),
            queuedAt: date,
            json: Data((json + String(repeating: "x", count: max(0, bytes - json.utf8.count - 2)) + "\"}").utf8)
        )
    }

    var number: Int? {
        ((try? JSONSerialization.jsonObject(with: json)) as? [String: Any])?["n"] as? Int
    }
}

extension Notilog.FileQueue {
    /// The numbers of all samples that wait, taken out in batches.
    func drain(_ count: Int = 50) throws -> [Int] {
        var numbers: [Int] = []
        while case let events = try oldest(count, bytes: .max), let last = events.last {
            numbers += events.compactMap(\.number)
            try remove(through: last.position)
        }
        return numbers
    }
}
