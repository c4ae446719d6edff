import Dispatch

#if canImport(UserNotifications) && !os(macOS)
    import Foundation
    // Not needed by Apple's compilers: it brings the stand-in of `performExpiringActivity` that Linux compiles against.
    import UserNotifications
#endif

extension Notilog {
    /// Asks the system for time to finish work that began in the foreground.
    public protocol BackgroundTime: Sendable {
        /// Runs work, and asks the system not to suspend the process meanwhile. When the time is over, the work is
        /// cancelled and has one second to end.
        func run(_ reason: String, _ work: @escaping @Sendable () async -> Void)
    }

    /// The system's background time: `performExpiringActivity` on systems that suspend apps, a plain task elsewhere.
    public struct SystemBackgroundTime: BackgroundTime {
        /// How long the system is kept waiting after the time is over.
        let lastMoment: DispatchTimeInterval

        /// The system's background time.
        public init() { self.init(lastMoment: .seconds(1)) }

        init(lastMoment: DispatchTimeInterval) { self.lastMoment = lastMoment }

        /// Runs work; see ``BackgroundTime/run(_:_:)``.
        public func run(_ reason: String, _ work: @escaping @Sendable () async -> Void) {
            #if canImport(UserNotifications) && !os(macOS)
                // Unlike `beginBackgroundTask` it is there for extensions too. The assertion lasts until the block returns; at
                // the end of the time, the block is called a second time.
                let isOver = DispatchSemaphore(value: 0)
                let task = Task {
                    await work()
                    isOver.signal()
                }
                ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
                    if isExpired {
                        task.cancel()
                        // What is cancelled still hands over, which takes a moment. The system waits no longer than this.
                        _ = isOver.wait(timeout: .now() + lastMoment)
                    } else {
                        isOver.wait()
                    }
                    // For the other block, which waits too.
                    isOver.signal()
                }
            #else
                Task { await work() }
            #endif
        }
    }
}
