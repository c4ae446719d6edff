import Logging
import NotificationEvents
import Synchronization
import Testing

@testable import Ingestion

/// A time of day that jumped counts only where PostgreSQL's clock agrees.
struct ReceiptClockTests {
    private struct NoAnswer: Error {}

    /// This machine's clock and PostgreSQL's, both set by hand.
    private final class Clocks: Sendable {
        static let start: Int64 = 1_800_000_000_000_000
        let machine = Mutex(Clocks.start)
        let postgres = Mutex<Int64?>(Clocks.start)
        let asked = Mutex(0)

        func receiptClock() -> ReceiptClock {
            ReceiptClock(
                now: { self.machine.withLock { $0 } },
                logger: Logger(label: "test.clock") { _ in SwiftLogNoOpLogHandler() }
            ) {
                self.asked.withLock { $0 += 1 }
                guard let now = self.postgres.withLock({ $0 }) else { throw NoAnswer() }
                return .init(now: now, floor: Clocks.start - 1_000_000_000_000)
            }
        }

        func set(machine: Int64, postgres: Int64?) {
            self.machine.withLock { $0 = machine }
            self.postgres.withLock { $0 = postgres }
        }
    }

    @Test func aClockThatGoesOnIsComparedOnce() async throws {
        let clocks = Clocks()
        let clock = clocks.receiptClock()
        for _ in 0..<3 { #expect(try await clock.time() == Timestamp(microseconds: Clocks.start)) }
        #expect(clocks.asked.withLock { $0 } == 1)
        #expect(try await clock.problem() == nil)
    }

    @Test(arguments: [2, -2] as [Int64])
    func aJumpAgainstPostgresIsRefused(hours: Int64) async throws {
        let clocks = Clocks()
        let clock = clocks.receiptClock()
        _ = try await clock.time()
        clocks.set(machine: Clocks.start + hours * 3_600_000_000, postgres: Clocks.start)
        let error = await #expect(throws: IngestionError.self) { try await clock.time() }
        guard case .clock(let problem)? = error else {
            Issue.record("not a clock that is wrong: \(String(describing: error))")
            return
        }
        #expect(problem.contains(hours > 0 ? "ahead of PostgreSQL's" : "behind PostgreSQL's"))
        #expect(try await clock.problem() == problem)
        clocks.set(machine: Clocks.start, postgres: Clocks.start)
        #expect(try await clock.time() == Timestamp(microseconds: Clocks.start))
    }

    @Test func aJumpOfBothCounts() async throws {
        let clocks = Clocks()
        let clock = clocks.receiptClock()
        _ = try await clock.time()
        let later = Clocks.start + 86_400_000_000
        clocks.set(machine: later, postgres: later)
        #expect(try await clock.time() == Timestamp(microseconds: later))
    }

    @Test func whatRetentionDroppedIsNotReceivedAgain() async throws {
        let clocks = Clocks()
        let early = Clocks.start - 2_000_000_000_000
        clocks.set(machine: early, postgres: early)
        let clock = clocks.receiptClock()
        await #expect(throws: IngestionError.self) { try await clock.time() }
    }

    @Test func aJumpThatNobodyCanJudgeIsRefused() async throws {
        let clocks = Clocks()
        let clock = clocks.receiptClock()
        _ = try await clock.time()
        clocks.set(machine: Clocks.start + 120_000_000, postgres: nil)
        await #expect(throws: IngestionError.clockUnknown) { try await clock.time() }
        #expect(try await clock.problem() == nil)
    }
}
