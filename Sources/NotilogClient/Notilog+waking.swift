public import Foundation

extension Notilog {
    /// How much was recorded since the courier was last told.
    struct Wakes {
        var isTold = false
        var events = 0
        /// Whether an attempt is about to begin.
        var isAttempting = false
    }

    /// The events that are sent at once: the person has just acted, and the app may be suspended before long.
    static let urgentKinds: Set<String> = ["action_response", "dismissal"]

    /// Signals the courier that events are queued; once, however many events arrive before it wakes.
    func wake(events: Int) {
        let tells = wakes.withLock { wakes in
            wakes.events += events
            defer { wakes.isTold = true }
            return !wakes.isTold
        }
        guard tells else { return }
        let batch = options.batchEvents
        Task { [courier, wakes] in
            let isBatchFull = wakes.withLock { wakes in
                wakes.isTold = false
                guard wakes.events >= batch else { return false }
                wakes.events = 0
                return true
            }
            await courier.notice(isBatchFull: isBatchFull)
        }
    }

    /// Sends what waits at once, in time that the system is asked for; once, however many ask for it before it begins.
    func sendAtOnce(_ reason: String) {
        let begins = wakes.withLock { wakes in
            defer { wakes.isAttempting = true }
            return !wakes.isAttempting
        }
        guard begins else { return }
        options.backgroundTime.run(reason) { [courier, wakes] in
            wakes.withLock { $0.isAttempting = false }
            _ = await courier.attempt(joins: true)
        }
    }

    /// Sends what waits, for so many seconds at most; what is left is sent later. Within the wait after a failed attempt it
    /// returns at once.
    ///
    /// For moments in which somebody waits: a service extension before its content handler, the app before a completion
    /// handler.
    @discardableResult
    public func flush(within seconds: TimeInterval) async -> FlushResult {
        let (courier, clock) = (courier, options.clock)
        // Whichever is first answers: a transport may be slow to cancel.
        let waiter = Guarded<CheckedContinuation<FlushResult, Never>?>(nil)
        let answer: @Sendable (FlushResult) -> Void = { result in
            let continuation = waiter.withLock { waiter in
                defer { waiter = nil }
                return waiter
            }
            continuation?.resume(returning: result)
        }
        return await withCheckedContinuation { continuation in
            waiter.withLock { $0 = continuation }
            let sending = Task { answer(await courier.attempt()) }
            let alarm = Task {
                guard (try? await clock.sleep(seconds: seconds)) != nil else { return }
                sending.cancel()
                answer(.stopped)
            }
            Task {
                await sending.value
                alarm.cancel()
            }
        }
    }

    /// Follows the app into the background and back, and the network.
    func follow() {
        lifecycle.withLock {
            $0 = Lifecycle(
                options.notifications,
                onBackground: { [weak self] in
                    self?.logDiagnosis()
                    self?.sendAtOnce("The app's events are sent.")
                },
                onForeground: { [weak self] in
                    self?.logDiagnosis()
                    self?.wake(events: 0)
                }
            )
        }
        options.connectivity.observe { [weak courier] network in
            Task { await courier?.network(is: network) }
        }
    }
}
