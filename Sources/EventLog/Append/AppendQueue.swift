internal import Synchronization

/// Submissions that wait for a writer: bounded in events and in bytes, first come, first served.
///
/// Writers take everything that waits, up to a maximum: under load each commit carries what arrived during the last.
final class AppendQueue: Sendable {
    struct Limits: Sendable {
        var batchEvents: Int
        var queuedEvents: Int
        var queuedBytes: Int
    }

    private struct State {
        var waiting: [Submission] = []
        var events = 0
        var bytes = 0
        var idleWriters: [CheckedContinuation<[Submission]?, Never>] = []
        var connectedWriters = 0
        var isClosed = false
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Events that wait.
    var depth: Int { state.withLock { $0.events } }

    /// Puts a submission at the end, or says why not.
    func push(_ submission: Submission) -> AppendError? {
        typealias Outcome = (error: AppendError?, wake: CheckedContinuation<[Submission]?, Never>?)
        let outcome: Outcome = state.withLock { state in
            guard !state.isClosed else { return (.stopped, nil) }
            if let writer = state.idleWriters.popLast() { return (nil, writer) }
            // One submission always fits into an empty queue, however large.
            let isFull =
                state.events + submission.events.count > limits.queuedEvents
                || state.bytes + submission.bytes > limits.queuedBytes
            guard !isFull || state.waiting.isEmpty else { return (.overloaded, nil) }
            state.waiting.append(submission)
            state.events += submission.events.count
            state.bytes += submission.bytes
            return (nil, nil)
        }
        outcome.wake?.resume(returning: [submission])
        return outcome.error
    }

    /// Waits for submissions and takes them; nil when the queue is closed and empty.
    func next() async -> [Submission]? {
        await withCheckedContinuation { continuation in
            typealias Outcome = (isReady: Bool, batch: [Submission]?)
            let outcome: Outcome = state.withLock { state in
                if !state.waiting.isEmpty { return (true, take(&state)) }
                if state.isClosed { return (true, nil) }
                state.idleWriters.append(continuation)
                return (false, nil)
            }
            if outcome.isReady { continuation.resume(returning: outcome.batch) }
        }
    }

    private func take(_ state: inout State) -> [Submission] {
        var count = 0
        var end = 0
        while end < state.waiting.count {
            let next = state.waiting[end].events.count
            if end > 0 && count + next > limits.batchEvents { break }
            count += next
            end += 1
        }
        return take(end, &state)
    }

    /// Takes the first so many.
    private func take(_ count: Int, _ state: inout State) -> [Submission] {
        let taken = Array(state.waiting.prefix(count))
        state.waiting.removeFirst(count)
        state.events -= taken.reduce(0) { $0 + $1.events.count }
        state.bytes -= taken.reduce(0) { $0 + $1.bytes }
        return taken
    }

    /// Turns away who has waited for a writer for too long, as where every writer waits for a server that stands still.
    func turnAwayLate(now: ContinuousClock.Instant = .now) {
        let late = state.withLock { state in
            take(state.waiting.prefix { now - $0.since >= Submission.patience }.count, &state)
        }
        for submission in late { submission.continuation.resume(throwing: AppendError.overloaded) }
    }

    /// Takes no more; writers end when the queue is empty.
    func close() {
        let writers = state.withLock { state in
            state.isClosed = true
            defer { state.idleWriters = [] }
            return state.idleWriters
        }
        for writer in writers { writer.resume(returning: nil) }
    }

    func writerConnected() {
        state.withLock { $0.connectedWriters += 1 }
    }

    func writerDisconnected() {
        state.withLock { $0.connectedWriters -= 1 }
    }

    /// Turns away everybody who waits, unless some other writer can serve them.
    func failAllWaiting(_ error: AppendError) {
        let waiting = state.withLock { state -> [Submission] in
            guard state.connectedWriters == 0 else { return [] }
            defer {
                state.waiting = []
                state.events = 0
                state.bytes = 0
            }
            return state.waiting
        }
        for submission in waiting { submission.continuation.resume(throwing: error) }
    }
}
