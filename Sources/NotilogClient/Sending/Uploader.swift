import Foundation

/// Takes events from the queue to the service, one request at a time.
actor Uploader {
    struct Settings: Sendable {
        var url: URL
        var writeKey: String
        var batchEvents: Int
        var batchBytes: Int
        var backoff: Notilog.Backoff
        /// Seconds between an event and the request that carries it.
        var delay: TimeInterval
        /// The same in Low Data Mode.
        var lowDataDelay: TimeInterval
        var random: @Sendable () -> Double
    }

    /// An event that was refused by itself, with nothing taken before it in the same pass.
    private struct Suspect {
        var event: Notilog.QueuedEvent
        var status: Int
        var code: String?
        var retryAfter: TimeInterval?

        var rejection: Notilog.Report {
            .rejected(
                id: event.id,
                status: status,
                code: code ?? "refused",
                message: "the service answered \(status)"
            )
        }
    }

    /// So many events are tried one by one until something is taken.
    private static let maxSuspects = 8

    let settings: Settings
    let storage: any Notilog.EventStorage
    let transport: any Notilog.Transport
    let clock: any Notilog.DeviceClock
    let report: @Sendable (Notilog.Report) -> Void
    /// The service let the app in.
    let onTaken: @Sendable () -> Void

    private var failures = 0
    /// Until this is over nothing is sent, not even by a flush, because the service asked for that.
    private var closed = Pause.none
    /// Until this is over only a flush sends: the wait after a failure.
    private var retry = Pause.none
    private(set) var network = Notilog.Network.open
    /// The number of passes that have not begun.
    private(set) var waitingPasses = 0
    private var timer: (id: Int, at: Date, task: Task<Void, Never>)?
    private var timers = 0
    /// The newest pass.
    private var pass: Task<Notilog.FlushResult, Never>?
    /// All passes that have not ended. Each waits for the one before it.
    private var passes: Set<Task<Notilog.FlushResult, Never>> = []
    private var reportedDrops: UInt64?

    init(
        _ settings: Settings,
        storage: any Notilog.EventStorage,
        transport: any Notilog.Transport,
        clock: any Notilog.DeviceClock,
        report: @escaping @Sendable (Notilog.Report) -> Void,
        onTaken: @escaping @Sendable () -> Void
    ) {
        self.settings = settings
        self.storage = storage
        self.transport = transport
        self.clock = clock
        self.report = report
        self.onTaken = onTaken
    }

    /// Something is in the queue. It is sent soon, or at once if it fills a batch.
    func notice(isBatchFull: Bool) {
        // A wait after a failure stands.
        guard failures == 0 else { return }
        schedule(in: network == .offline ? settings.backoff.limit : isBatchFull ? 0 : delay)
    }

    private var delay: TimeInterval { network == .lowData ? settings.lowDataDelay : settings.delay }

    /// Takes the changes of the network that have come, in their order: the calls may come in another.
    func heed(_ changes: Guarded<[Notilog.Network]>) {
        let all = changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
        for network in all { turn(to: network) }
    }

    /// The network changed. If it is back, this ends the wait after a failure, but not a wait that the service asked
    /// for.
    private func turn(to network: Notilog.Network) {
        defer { self.network = network }
        switch (self.network, network) {
        case (_, .offline):
            // Not for ever, should the system be wrong.
            reschedule(in: settings.backoff.limit)
        case (.open, .lowData):
            if failures == 0 { reschedule(in: settings.lowDataDelay) }
        case (.offline, _), (.lowData, .open):
            // Devices that come back together do not send together.
            let jitter = min(settings.backoff.base * settings.random(), settings.delay)
            schedule(in: max(jitter, closed.rest(at: clock.now)))
        default: break
        }
    }

    private func reschedule(in seconds: TimeInterval) {
        timer?.task.cancel()
        timer = nil
        schedule(in: seconds)
    }

    /// Sends what waits, unless an attempt has just failed.
    ///
    /// - Parameter joins: whether to leave it to a pass that has yet to begin.
    func attempt(joins: Bool = false) async -> Notilog.FlushResult {
        let wait = wait(afterBackoff: true)
        guard wait <= 0 else { return .waiting(seconds: wait) }
        guard !joins || waitingPasses == 0 else { return .waiting(seconds: 0) }
        return await send(afterBackoff: true)
    }

    /// Sends everything that waits now, unless the service asked for a wait.
    func flush() async -> Notilog.FlushResult {
        let wait = closed.rest(at: clock.now)
        if wait > 0, pass == nil {
            schedule(in: wait)
            return .waiting(seconds: wait)
        }
        return await send()
    }

    /// The seconds until something may be sent: those that the service asked for, and after a failure those of the
    /// backoff, unless somebody asks to flush.
    private func wait(afterBackoff: Bool) -> TimeInterval {
        let now = clock.now
        return max(closed.rest(at: now), afterBackoff && failures > 0 ? retry.rest(at: now) : 0)
    }

    /// The end of a wait that the service asked for; `nil` if there is none, or it is over.
    var opensAt: Date? { closed.rest(at: clock.now) > 0 ? closed.end : nil }

    /// Stops what is being sent, and what is planned.
    func stop() {
        timer?.task.cancel()
        timer = nil
        for pass in passes { pass.cancel() }
        failures = 0
    }

    private func schedule(in seconds: TimeInterval) {
        let at = clock.now.addingTimeInterval(seconds)
        if let timer, timer.at <= at { return }
        timer?.task.cancel()
        timers += 1
        let id = timers
        let task = Task { [weak self, clock] in
            guard (try? await clock.sleep(seconds: seconds)) != nil else { return }
            await self?.fire(id)
        }
        timer = (id, at, task)
    }

    private func fire(_ id: Int) async {
        guard timer?.id == id else { return }
        timer = nil
        // It is the end of a backoff, or of a delay while nothing had failed: that may fail now.
        _ = await send(afterBackoff: failures == 0)
    }

    /// One pass through the queue. A caller that comes during a pass waits for it and for the next one.
    ///
    /// - Parameter afterBackoff: whether it sends nothing during the wait after a failure.
    private func send(afterBackoff: Bool = false) async -> Notilog.FlushResult {
        let before = pass
        waitingPasses += 1
        let current = Task { [weak self] in
            _ = await before?.value
            return await self?.drain(afterBackoff: afterBackoff) ?? .stopped
        }
        pass = current
        passes.insert(current)
        let result = await withTaskCancellationHandler {
            await current.value
        } onCancel: {
            current.cancel()
        }
        passes.remove(current)
        if pass == current { pass = nil }
        switch result {
        case .sent: break
        case .waiting(let seconds): schedule(in: seconds)
        // The caller stopped waiting; the events still have to be sent.
        case .stopped: schedule(in: settings.delay)
        }
        return result
    }

    private func drain(afterBackoff: Bool) async -> Notilog.FlushResult {
        waitingPasses -= 1
        guard !Task.isCancelled else { return .stopped }
        // The pass that it waited for may have failed.
        let wait = wait(afterBackoff: afterBackoff)
        guard wait <= 0 else { return .waiting(seconds: wait) }
        var allowed = settings.batchEvents
        // Where everything is refused, no event is at fault: something on the way may damage requests. So an event goes
        // only if something was taken in the same pass.
        var isTaking = false
        var suspects: [Suspect] = []
        while true {
            guard !Task.isCancelled else { return .stopped }
            let events: [Notilog.QueuedEvent]
            do {
                events = try oldest(allowed, after: suspects)
                try reportDrops()
            } catch {
                report(.storage(String(describing: error)))
                return failed(status: nil, retryAfter: nil)
            }
            guard let last = events.last else { return suspects.last.map { barred(by: $0) } ?? .sent }
            let (verdict, retryAfter) = await deliver(events)
            guard !Task.isCancelled else { return .stopped }
            switch verdict {
            case .taken(let rejections):
                failures = 0
                (closed, retry) = (.none, .none)
                onTaken()
                guard remove(through: last.position) else { return failed(status: nil, retryAfter: nil) }
                for suspect in suspects { report(suspect.rejection) }
                (isTaking, suspects) = (true, [])
                for rejection in rejections {
                    report(
                        .rejected(
                            id: events[rejection.index].id,
                            status: 422,
                            code: rejection.code,
                            message: rejection.message
                        )
                    )
                }
                allowed = min(settings.batchEvents, allowed * 2)
            case .rejected where events.count > 1:
                // One of them is what it does not take; the others must not go with it.
                allowed = events.count / 2
            case .rejected(let status, let code):
                let suspect = Suspect(event: last, status: status, code: code, retryAfter: retryAfter)
                guard isTaking else {
                    suspects.append(suspect)
                    guard suspects.count < Self.maxSuspects else { return barred(by: suspect) }
                    // The next one tells whether it is the event.
                    allowed = 1
                    continue
                }
                guard remove(through: last.position) else { return failed(status: nil, retryAfter: nil) }
                report(suspect.rejection)
                allowed = min(settings.batchEvents, allowed * 2)
            case .barred(let status, let code):
                return barred(status, code, retryAfter: retryAfter)
            case .unsure(let status):
                return failed(status: status, retryAfter: retryAfter)
            case nil:
                return failed(status: nil, retryAfter: nil)
            }
        }
    }

    /// The oldest events after those that are under suspicion, which stay in the queue meanwhile.
    private func oldest(_ count: Int, after suspects: [Suspect]) throws -> [Notilog.QueuedEvent] {
        guard !suspects.isEmpty else { return try storage.oldest(count, bytes: settings.batchBytes) }
        // Few, and one by one. By their ids: another process may have removed some meanwhile.
        let events = try storage.oldest(suspects.count + count, bytes: .max)
        return Array(events.filter { event in !suspects.contains { $0.event.id == event.id } }.prefix(count))
    }

    private func deliver(_ events: [Notilog.QueuedEvent]) async -> (Verdict?, retryAfter: TimeInterval?) {
        let request = Envelope.request(events, settings, sentAt: clock.now)
        guard let answer = try? await transport.send(request) else { return (nil, nil) }
        let retryAfter = RetryAfter.seconds(answer.headers["retry-after"], now: clock.now)
        return (Verdict(answer, count: events.count), retryAfter)
    }

    private func barred(by suspect: Suspect) -> Notilog.FlushResult {
        barred(suspect.status, suspect.code, retryAfter: suspect.retryAfter)
    }

    private func barred(_ status: Int, _ code: String?, retryAfter: TimeInterval?) -> Notilog.FlushResult {
        report(.barred(status: status, code: code))
        return failed(status: status, retryAfter: retryAfter ?? settings.backoff.limit / 10)
    }

    private func failed(status: Int?, retryAfter: TimeInterval?) -> Notilog.FlushResult {
        failures += 1
        let delay = settings.backoff.delay(failures: failures, retryAfter: retryAfter, random: settings.random())
        retry = Pause(delay, from: clock.now)
        closed = retryAfter == nil ? .none : retry
        report(.delayed(status: status, seconds: delay))
        return .waiting(seconds: delay)
    }

    private func remove(through position: Notilog.QueuePosition) -> Bool {
        do {
            try storage.remove(through: position)
            return true
        } catch {
            report(.storage(String(describing: error)))
            return false
        }
    }

    private func reportDrops() throws {
        let dropped = try storage.dropped()
        defer { reportedDrops = dropped }
        guard let reportedDrops, dropped > reportedDrops else { return }
        report(.dropped(Int(dropped - reportedDrops)))
    }
}
