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

    @Test func requestsAreBounded() {
        let admission = Admission(requests: 2, bytes: 100)
        #expect(admission.enter())
        #expect(admission.enter())
        #expect(!admission.enter())
        admission.leave()
        #expect(admission.enter())
    }

    @Test func bytesAreBoundedAndGivenBack() throws {
        let admission = Admission(requests: 2, bytes: 100)
        do {
            var first = Holding(admission)
            // One alone is let in, however large.
            try first.hold(500)
            try first.hold(60)
            var second = Holding(admission)
            try second.hold(40)
            var isRefused = false
            do {
                try second.hold(41)
            } catch {
                isRefused = true
            }
            #expect(isRefused)
            #expect(admission.load == (0, 100))
            // What is given back may be had again.
            try first.hold(50)
            try second.hold(50)
        }
        #expect(admission.load == (0, 0))
    }
}
