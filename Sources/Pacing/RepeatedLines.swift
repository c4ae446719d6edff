internal import Synchronization

/// Keeps a failure that goes on from filling the log: of one message, the first lines of each minute are written, and the others
/// counted.
public final class RepeatedLines: Sendable {
    private struct Minute {
        var began: ContinuousClock.Instant
        var written = 0
        var left = 0
    }

    private let minutes = Mutex<[String: Minute]>([:])

    private let linesAMinute: Int

    /// With no line written yet.
    ///
    /// - Parameter linesAMinute: the most of one message that are written.
    public init(linesAMinute: Int = 3) {
        self.linesAMinute = linesAMinute
    }

    /// Messages that are told apart; beyond it all are forgotten, and so written.
    static let messages = 1_000

    /// - Parameter message: what the line says, without what differs from time to time.
    /// - Returns: how many lines like it were left out before; nil where it is to be left out too.
    public func admit(_ message: String, now: ContinuousClock.Instant = .now) -> Int? {
        minutes.withLock { minutes in
            guard var minute = minutes[message], now - minute.began < .seconds(60) else {
                let left = minutes[message]?.left ?? 0
                if minutes.count >= Self.messages { minutes = [:] }
                minutes[message] = Minute(began: now, written: 1)
                return left
            }
            defer { minutes[message] = minute }
            guard minute.written < linesAMinute else {
                minute.left += 1
                return nil
            }
            minute.written += 1
            return 0
        }
    }
}
