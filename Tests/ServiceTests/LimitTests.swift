import EventLog
import Synchronization
import Testing

@testable import Service

struct LimitTests {
    @Test func aBucketLetsInWhatItEarned() throws {
        let start = ContinuousClock.now
        let bucket = TokenBucket(perSecond: 10, now: start)
        #expect(bucket.wait(now: start) == nil)
        bucket.spend(30, now: start)
        let wait = try #require(bucket.wait(now: start))
        #expect(abs(wait - 2) < 0.01)
        #expect(bucket.wait(now: start + .seconds(1)) != nil)
        #expect(bucket.wait(now: start + .milliseconds(2100)) == nil)
    }

    @Test func aBucketSavesNoMoreThanASecond() {
        let start = ContinuousClock.now
        let bucket = TokenBucket(perSecond: 5, now: start)
        let later = start + .seconds(3600)
        bucket.spend(5, now: later)
        #expect(bucket.wait(now: later) != nil)
    }

    @Test func slotsAreSharedOut() throws {
        let slots = Slots(limit: 3, appLimit: 2)
        var held = [try slots.take(1), try slots.take(1)]
        #expect(throws: Problem.self) { try slots.take(1) }
        held.append(try slots.take(2))
        #expect(throws: Problem.self) { try slots.take(3) }
        held.removeFirst()
        held.append(try slots.take(3))
        #expect(held.count == 3)
    }

    @Test func requestsAreBounded() throws {
        let admission = Admission(.init(requests: 3, bytes: 100))
        try admission.enter(1)
        try admission.enter(1)
        // Three quarters are one app's; the rest waits for others.
        #expect(throws: Problem.self) { try admission.enter(1) }
        try admission.enter(2)
        #expect(throws: Problem.self) { try admission.enter(3) }
        admission.leave(1)
        try admission.enter(1)
    }

    private final class Cuts: Sendable {
        let names = Mutex<[String]>([])

        func cut(_ name: String) -> @Sendable () -> Void {
            { self.names.withLock { $0.append(name) } }
        }
    }

    @Test func aBodyStillComingMakesRoomForAnAppBelowItsShare() throws {
        let admission = Admission(.init(requests: 10, bytes: 100))
        let cuts = Cuts()
        var whole = Holding(admission, app: 1)
        try whole.hold(40)
        whole.awaitMore(cutOff: cuts.cut("whole"))
        try whole.complete()
        var coming = Holding(admission, app: 1)
        try coming.hold(50)
        coming.awaitMore(cutOff: cuts.cut("coming"))
        // The same app has no share to claim.
        #expect(throws: Problem.self) {
            var third = Holding(admission, app: 1)
            try third.hold(20)
        }
        #expect(cuts.names.withLock { $0 } == [])
        var other = Holding(admission, app: 2)
        try other.hold(20)
        #expect(cuts.names.withLock { $0 } == ["coming"], "not one that is whole")
        #expect(admission.load.bytes == 60)
        // What is cut off holds nothing more, and gives nothing back twice.
        var isRejected = false
        do { try coming.hold(55) } catch { isRejected = true }
        #expect(isRejected)
        _ = consume coming
        #expect(admission.load.bytes == 60)
        // Nor is more than a share had from others.
        isRejected = false
        do { try other.hold(61) } catch { isRejected = true }
        #expect(isRejected)
    }

    @Test func bytesAreBoundedAndGivenBack() throws {
        let admission = Admission(.init(requests: 2, bytes: 100))
        do {
            var first = Holding(admission, app: 1)
            // One alone is let in, however large.
            try first.hold(500)
            try first.hold(60)
            var second = Holding(admission, app: 1)
            try second.hold(40)
            var isRejected = false
            do {
                try second.hold(41)
            } catch {
                isRejected = true
            }
            #expect(isRejected)
            #expect(admission.load == (0, 100))
            // What is given back may be had again.
            try first.hold(50)
            try second.hold(50)
        }
        #expect(admission.load == (0, 0))
    }
}
