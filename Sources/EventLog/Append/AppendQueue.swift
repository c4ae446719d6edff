internal import Pacing
internal import Synchronization

/// Submissions that wait for a writer, of each app in the order in which they came, and bounded in events and in bytes.
///
/// Writers take everything that waits, up to a maximum: under load each commit carries what arrived during the last. Apps
/// take turns of some hundred events, so that what one sends waits behind no more than a turn of each other's. Where there
/// is no room, an app below its equal share displaces the app with the most events, whose newest submissions are refused.
final class AppendQueue: Sendable {
    struct Limits: Sendable {
        var batchEvents: Int
        var queuedEvents: Int
        var queuedBytes: Int
        /// Events of one app's turn.
        var turnEvents = 250
    }

    private struct State {
        var lines = AppendLines()
        var idleWriters: [CheckedContinuation<[Submission]?, Never>] = []
        var connectedWriters = 0
        var isClosed = false
        var stored = DrainRate()
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Events that wait.
    var depth: Int { state.withLock { $0.lines.events } }

    /// About how long it takes to store what waits, in seconds.
    var wait: Double { state.withLock { $0.stored.seconds(for: $0.lines.events) } }

    /// Puts a submission at the end of its app's line, or says why not.
    func push(_ submission: Submission) -> AppendError? {
        typealias Outcome = (
            error: AppendError?, wake: CheckedContinuation<[Submission]?, Never>?, turnedAway: [Submission]
        )
        let (outcome, wait): (Outcome, Double) = state.withLock { state in
            guard !state.isClosed else { return ((.stopped, nil, []), 0) }
            if let writer = state.idleWriters.popLast() {
                state.stored.done(submission.events.count)
                return ((nil, writer, []), 0)
            }
            let wait = state.stored.seconds(for: state.lines.events + submission.events.count)
            // One submission always fits into an empty queue, however large.
            var turnedAway: [Submission] = []
            while isFull(state.lines, submission), !state.lines.isEmpty {
                guard let last = state.lines.removeLast(for: submission, limits) else {
                    return ((.overloaded(wait: wait), nil, turnedAway), wait)
                }
                turnedAway.append(last)
            }
            state.lines.append(submission)
            return ((nil, nil, turnedAway), wait)
        }
        outcome.wake?.resume(returning: [submission])
        for submission in outcome.turnedAway {
            submission.continuation.resume(throwing: AppendError.overloaded(wait: wait))
        }
        return outcome.error
    }

    private func isFull(_ lines: AppendLines, _ submission: Submission) -> Bool {
        lines.events + submission.events.count > limits.queuedEvents
            || lines.bytes + submission.bytes > limits.queuedBytes
    }

    /// Waits for submissions and takes them; nil when the queue is closed and empty.
    func next() async -> [Submission]? {
        await withCheckedContinuation { continuation in
            typealias Outcome = (isReady: Bool, batch: [Submission]?)
            let outcome: Outcome = state.withLock { state in
                if !state.lines.isEmpty { return (true, take(&state)) }
                if state.isClosed { return (true, nil) }
                state.idleWriters.append(continuation)
                return (false, nil)
            }
            if outcome.isReady { continuation.resume(returning: outcome.batch) }
        }
    }

    private func take(_ state: inout State) -> [Submission] {
        let taken = state.lines.take(limits.batchEvents, turnEvents: limits.turnEvents)
        state.stored.done(taken.reduce(0) { $0 + $1.events.count })
        return taken
    }

    /// Refuses submissions that have waited too long for a writer, for example when every writer waits for a frozen server.
    func turnAwayLate(now: ContinuousClock.Instant = .now) {
        let (late, wait) = state.withLock { state in
            (
                state.lines.removeAll { now - $0.since >= Submission.patience },
                state.stored.seconds(for: state.lines.events)
            )
        }
        for submission in late { submission.continuation.resume(throwing: AppendError.overloaded(wait: wait)) }
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
            return state.lines.removeAll { _ in true }
        }
        for submission in waiting { submission.continuation.resume(throwing: error) }
    }
}
