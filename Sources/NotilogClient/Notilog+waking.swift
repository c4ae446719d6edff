import Foundation

extension Notilog {
    /// How much was recorded since the courier was last told.
    struct Wakes {
        var isTold = false
        var events = 0
    }

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
}
