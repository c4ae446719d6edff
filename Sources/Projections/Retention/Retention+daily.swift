internal import Logging
public import Pacing
internal import Postgres

extension Retention {
    /// Runs every day, or in an hour after a run that found tables in use. A run that is interrupted is resumed by the next.
    ///
    /// - Parameters:
    ///   - keeps: how long events are kept after their receipt.
    ///   - now: the clock that stamps `received_at`, in microseconds since 1970.
    ///   - check: how often to read it.
    public func daily(
        keeping keeps: Duration,
        now: @escaping @Sendable () -> Int64 = SystemClock.microseconds,
        check: Duration = .seconds(60)
    ) -> Recurring {
        let day = Duration.seconds(86_400)
        return Recurring(
            "drop old partitions",
            every: .clock(day, now: now, check: check),
            retry: { Self.isInUse($0) ? .seconds(3600) : day },
            logger: logger
        ) {
            var dropped = 0
            do {
                try await run(horizon: try await horizon(keeping: keeps, now: now())) { _ in dropped += 1 }
            } catch let error as RetentionError where error.isBusy {
                // Another process drops them.
            }
            return dropped
        }
    }

    /// Whether an open transaction was in the way.
    private static func isInUse(_ error: any Error) -> Bool {
        (error as? RetentionError)?.isLocked == true || (error as? PostgresError)?.isContention == true
    }
}
