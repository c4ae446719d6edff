internal import Pacing
internal import Synchronization

/// Submissions that wait for a writer, of each app in the order in which they came, and bounded in events and in bytes.
///
/// Writers take everything that waits, up to a maximum: under load each commit carries what arrived during the last. Few events
/// wait for the busy writer, because a commit costs nearly as much for one event as for a hundred. Another writer joins once
/// many events wait, or once some have waited for a while. Apps take turns of some hundred events: an app's events wait behind
/// at most one turn of each other app. If there is no room, an app below its equal share displaces the newest submissions of
/// the app with the most events.
final class AppendQueue: Sendable {
    struct Limits: Sendable {
        var batchEvents: Int
        var queuedEvents: Int
        var queuedBytes: Int
        /// Events of one app's turn.
        var turnEvents = 250
        /// A second writer starts once this many events wait.
        var joinEvents = 250
        /// A second writer also starts once events have waited this long, when another comes: the first may be slow.
        var joinAfter = Duration.milliseconds(2)
        /// If none comes, late events are looked for this often: the first writer may be stuck. Each look costs a timer.
        var lookEvery = Duration.milliseconds(20)
        /// Once no writer has been connected for so long, nothing waits for one any more.
        var outage = Duration.seconds(3)
    }

    private typealias Writer = CheckedContinuation<[Submission]?, Never>

    private struct State {
        var lines = AppendLines()
        var idleWriters: [(number: Int, writer: Writer)] = []
        /// Writers that work on a batch.
        var busyWriters: Set<Int> = []
        /// Whether the task that checks for late events is running.
        var isWatched = false
        var connectedWriters = 0
        /// Since when no writer has been connected, and why none can connect.
        var outage: (since: ContinuousClock.Instant, error: AppendError?)?
        var isClosed = false
        var stored = DrainRate()
    }

    /// A writer that was idle, and its batch.
    private struct Start {
        let writer: Writer
        let batch: [Submission]
    }

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Events that wait.
    var depth: Int { state.withLock { $0.lines.events } }

    /// Writers that wait for events.
    var idleWriters: Int { state.withLock { $0.idleWriters.count } }

    /// Whether no writer is connected, and one has failed to connect: somebody has to go on trying.
    var isWithoutWriters: Bool { state.withLock { !$0.isClosed && $0.outage?.error != nil } }

    /// About how long it takes to store what waits, in seconds.
    var wait: Double { state.withLock { $0.stored.seconds(for: $0.lines.events) } }

    /// Puts a submission at the end of its app's line, or says why not.
    func push(_ submission: Submission) -> AppendError? {
        var starts: [Start] = []
        var displaced: [Submission] = []
        var wait = 0.0
        let (error, watches): (AppendError?, Bool) = state.withLock { state in
            guard !state.isClosed else { return (.stopped, false) }
            if let outage = state.outage, let error = outage.error, .now - outage.since >= limits.outage {
                return (error, false)
            }
            // One submission always fits into an empty queue, however large.
            while isFull(state.lines, submission), !state.lines.isEmpty {
                if let start = startWriter(&state) {
                    starts.append(start)
                    continue
                }
                wait = state.stored.seconds(for: state.lines.events + submission.events.count)
                guard let last = state.lines.removeLast(for: submission, limits) else {
                    return (.overloaded(wait: wait), false)
                }
                displaced.append(last)
            }
            state.lines.append(submission)
            if needsWriter(state) || isLate(state, now: submission.since), let start = startWriter(&state) {
                starts.append(start)
            }
            return (nil, beginsWatch(&state))
        }
        for start in starts { start.writer.resume(returning: start.batch) }
        for submission in displaced {
            submission.continuation.resume(throwing: AppendError.overloaded(wait: wait))
        }
        if watches { watch() }
        return error
    }

    private func isFull(_ lines: AppendLines, _ submission: Submission) -> Bool {
        lines.events + submission.events.count > limits.queuedEvents
            || lines.bytes + submission.bytes > limits.queuedBytes
    }

    /// Waits for submissions and takes them; nil when the queue is closed and empty.
    ///
    /// - Parameters:
    ///   - number: the writer's, which has written its last batch.
    ///   - caller: the writer, whose thread this does not leave.
    func next(for number: Int, caller: isolated (any Actor)? = #isolation) async -> [Submission]? {
        await withCheckedContinuation { continuation in
            typealias Outcome = (isReady: Bool, batch: [Submission]?, watches: Bool)
            let outcome: Outcome = state.withLock { state in
                state.busyWriters.remove(number)
                if needsWriter(state) { return (true, take(&state, for: number), false) }
                if state.isClosed { return (true, nil, false) }
                state.idleWriters.append((number, continuation))
                return (false, nil, beginsWatch(&state))
            }
            if outcome.isReady { continuation.resume(returning: outcome.batch) }
            if outcome.watches { watch() }
        }
    }

    /// Whether a writer should take what waits, rather than leave it to those that are busy.
    private func needsWriter(_ state: State) -> Bool {
        guard !state.lines.isEmpty else { return false }
        return state.busyWriters.isEmpty || state.isClosed || state.lines.events >= limits.joinEvents
    }

    private func isLate(_ state: State, now: ContinuousClock.Instant) -> Bool {
        state.lines.since.map { now - $0 >= limits.joinAfter } ?? false
    }

    /// Gives what waits to a writer that is idle.
    private func startWriter(_ state: inout State) -> Start? {
        guard !state.lines.isEmpty, let (number, writer) = state.idleWriters.popLast() else { return nil }
        return Start(writer: writer, batch: take(&state, for: number))
    }

    private func take(_ state: inout State, for number: Int) -> [Submission] {
        let taken = state.lines.take(limits.batchEvents, turnEvents: limits.turnEvents)
        state.stored.done(taken.reduce(0) { $0 + $1.events.count })
        state.busyWriters.insert(number)
        return taken
    }

    /// Whether the caller is to start ``watch()``: events wait, and so does a writer.
    private func beginsWatch(_ state: inout State) -> Bool {
        guard !state.isWatched, !state.lines.isEmpty, !state.idleWriters.isEmpty else { return false }
        state.isWatched = true
        return true
    }

    private func watch() {
        Task {
            repeat {
                try? await ContinuousClock().sleep(for: limits.lookEvery)
            } while startForLate()
        }
    }

    /// Gives events that have waited for a while to a writer that is idle.
    ///
    /// - Returns: whether to look again: events wait, and so does a writer.
    @discardableResult
    func startForLate(now: ContinuousClock.Instant = .now) -> Bool {
        let (start, looksAgain): (Start?, Bool) = state.withLock { state in
            let start = isLate(state, now: now) ? startWriter(&state) : nil
            state.isWatched = !state.lines.isEmpty && !state.idleWriters.isEmpty
            return (start, state.isWatched)
        }
        if let start { start.writer.resume(returning: start.batch) }
        return looksAgain
    }

    /// Refuses submissions that have waited too long for a writer, for example when every writer waits for a frozen server.
    func failLate(now: ContinuousClock.Instant = .now) {
        let (late, wait) = state.withLock { state in
            (
                state.lines.removeAll { now - $0.since >= Submission.writerTimeout },
                state.stored.seconds(for: state.lines.events)
            )
        }
        for submission in late { submission.continuation.resume(throwing: AppendError.overloaded(wait: wait)) }
    }

    /// Takes no more; writers end when the queue is empty.
    func close() {
        let (start, writers) = state.withLock { state in
            state.isClosed = true
            let start = startWriter(&state)
            defer { state.idleWriters = [] }
            return (start, state.idleWriters)
        }
        if let start { start.writer.resume(returning: start.batch) }
        for (_, writer) in writers { writer.resume(returning: nil) }
    }

    func writerConnected() {
        state.withLock { state in
            state.connectedWriters += 1
            state.outage = nil
        }
    }

    func writerDisconnected() {
        state.withLock { state in
            state.connectedWriters -= 1
            if state.connectedWriters == 0 { state.outage = (.now, nil) }
        }
    }

    /// Fails all waiting submissions, unless another writer is connected. After a while those that come are refused at once.
    func failAllWaiting(_ error: AppendError) {
        let waiting = state.withLock { state -> [Submission] in
            guard state.connectedWriters == 0 else { return [] }
            state.outage = (state.outage?.since ?? .now, error)
            return state.lines.removeAll { _ in true }
        }
        for submission in waiting { submission.continuation.resume(throwing: error) }
    }
}
