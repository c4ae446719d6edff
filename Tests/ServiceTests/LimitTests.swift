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

    @Test func admissionIsBounded() {
        let admission = Admission(requests: 2, bytes: 100)
        // One alone is let in, however large.
        #expect(admission.enter(bytes: 500))
        #expect(!admission.enter(bytes: 1))
        admission.leave(bytes: 500)
        #expect(admission.enter(bytes: 60))
        #expect(admission.enter(bytes: 40))
        #expect(!admission.enter(bytes: 0))
        admission.leave(bytes: 60)
        admission.leave(bytes: 40)
        #expect(admission.load == (0, 0))
    }
}
