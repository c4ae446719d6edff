public import Foundation

extension Notilog {
    /// How much was recorded since the uploader was last notified.
    struct Wakes {
        var isReported = false
        var events = 0
        /// Whether an attempt is about to begin.
        var isAttempting = false
    }

    /// Whether an event is sent at once, because the app may be suspended soon: the person has just acted, or the
    /// system woke the app in the background for a push, a Live Activity or a token.
    static func isUrgent(_ event: Event) -> Bool {
        switch event.kind {
        case "action_response", "dismissal", "live_activity", "token": true
        case "delivery": event.fields["source"] == .string(DeliverySource.backgroundWake.rawValue)
        default: false
        }
    }

    /// Seconds after which unsent events are handed over to the system.
    private static let timeBeforeHandover: TimeInterval = 8

    /// Signals the uploader once that events are queued, however many arrive before it wakes.
    func wake(events: Int) {
        let isFirst = wakes.withLock { wakes in
            wakes.events += events
            defer { wakes.isReported = true }
            return !wakes.isReported
        }
        guard isFirst else { return }
        let batch = options.batchEvents
        Task { [uploader, wakes] in
            let isBatchFull = wakes.withLock { wakes in
                wakes.isReported = false
                guard wakes.events >= batch else { return false }
                wakes.events = 0
                return true
            }
            await uploader.notice(isBatchFull: isBatchFull)
        }
    }

    /// Sends what waits at once, in background time. It runs once, however many callers ask before it begins.
    func sendAtOnce(_ reason: String) {
        let begins = wakes.withLock { wakes in
            defer { wakes.isAttempting = true }
            return !wakes.isAttempting
        }
        guard begins else { return }
        options.backgroundTime.run(reason) { [uploader, handover, wakes, clock = options.clock] in
            wakes.withLock { $0.isAttempting = false }
            guard let handover else {
                _ = await uploader.attempt(joins: true)
                return
            }
            // The time that the system gives may end before a request does to which nobody answers.
            let result = await Self.attempt(uploader, within: Self.timeBeforeHandover, clock, joins: true)
            guard result != .sent else { return }
            await handover.begin(notBefore: uploader.opensAt)
        }
    }

    /// Sends what waits, for at most this number of seconds. What is left is sent later. During the wait after a failed
    /// attempt, it returns at once.
    ///
    /// Use it when somebody waits: in a service extension before its content handler, or in the app before a completion
    /// handler.
    @discardableResult
    public func flush(within seconds: TimeInterval) async -> FlushResult {
        isRecording ? await Self.attempt(uploader, within: seconds, options.clock) : .stopped
    }

    /// An attempt that ends within this number of seconds, or when the task is cancelled.
    private static func attempt(
        _ uploader: Uploader,
        within seconds: TimeInterval,
        _ clock: any DeviceClock,
        joins: Bool = false
    ) async -> FlushResult {
        // Whichever is first answers: a transport may be slow to cancel.
        let waiter = Guarded<CheckedContinuation<FlushResult, Never>?>(nil)
        let answer: @Sendable (FlushResult) -> Void = { result in
            let continuation = waiter.withLock { waiter in
                defer { waiter = nil }
                return waiter
            }
            continuation?.resume(returning: result)
        }
        let attempt = Guarded<Task<Void, Never>?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.withLock { $0 = continuation }
                let sending = Task { answer(await uploader.attempt(joins: joins)) }
                attempt.withLock { $0 = sending }
                let alarm = Task {
                    guard (try? await clock.sleep(seconds: seconds)) != nil else { return }
                    sending.cancel()
                    answer(.stopped)
                }
                Task {
                    await sending.value
                    alarm.cancel()
                }
                // It may have been cancelled when there was nothing to cancel yet.
                guard Task.isCancelled else { return }
                sending.cancel()
                answer(.stopped)
            }
        } onCancel: {
            let sending = attempt.withLock { $0 }
            sending?.cancel()
            answer(.stopped)
        }
    }

    /// Sends what waits, for at most this number of seconds. If the app has background uploads, the rest is handed over
    /// to the system, because the process may end before the next call.
    func flushOrHandOver(within seconds: TimeInterval) async {
        guard await flush(within: seconds) != .sent else { return }
        await handover?.begin(notBefore: uploader.opensAt)
    }

    /// Observes the network, and when the app enters the background and returns.
    func follow() {
        let background = Lifecycle(options.notifications, Lifecycle.background) { [weak self] in
            self?.logDiagnosis()
            self?.sendAtOnce("The app's events are sent.")
        }
        let foreground = Lifecycle(options.notifications, Lifecycle.foreground) { [weak self] in
            self?.logDiagnosis()
            self?.wake(events: 0)
        }
        lifecycles.withLock { $0 += [background, foreground] }
        let changes = Guarded<[Notilog.Network]>([])
        options.connectivity.observe { [weak uploader] network in
            guard let uploader else { return }
            changes.withLock { $0.append(network) }
            Task { await uploader.heed(changes) }
        }
    }
}
