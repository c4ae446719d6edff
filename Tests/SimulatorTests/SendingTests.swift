import Simulator
import Testing

/// When and how often events are sent.
@Suite struct SendingTests {
    private let sample: Sample

    init() async {
        sample = await Sample.shared
    }

    @Test func eventsComeInTheOrderOfSending() {
        let times = sample.events.map(\.sent.sentAt)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(times.allSatisfy { $0 >= sample.parameters.start && $0 < sample.parameters.end })
    }

    @Test func aRetryIsTheSameLineAgain() {
        var seen: Set<[UInt8]> = []
        var retries = 0
        for event in sample.events {
            let isNew = seen.insert(Array(event.sent.line)).inserted
            guard isNew != event.sent.isRetry else {
                Issue.record("a retry is new, or what is not a retry was there before")
                return
            }
            retries += event.sent.isRetry ? 1 : 0
        }
        let share = Double(retries) / Double(sample.events.count)
        #expect((0.003..<0.02).contains(share))
    }

    @Test func anIdentifierNamesOneEvent() {
        var seen: Set<String> = []
        #expect(
            sample.events.allSatisfy {
                $0.sent.isRetry || $0["id"].map { seen.insert($0.string ?? "").inserted } ?? true
            }
        )
    }

    @Test func eventsAreSentAfterTheyOccur() {
        for event in sample.events {
            guard let time = event.occurredAt else { continue }
            let lag = Double(event.sent.sentAt + event.sent.clockSkew) / 1_000_000 - time.seconds
            guard lag > -0.001 else {
                Issue.record("an event is sent \(-lag) s before it occurs")
                return
            }
        }
    }

    @Test func someReportDaysLate() {
        let late = sample.events.filter {
            guard let time = $0.occurredAt, !$0.sent.isRetry else { return false }
            return Double($0.sent.sentAt + $0.sent.clockSkew) / 1_000_000 - time.seconds > 86_400
        }
        #expect((0.002..<0.05).contains(Double(late.count) / Double(sample.events.count)))
    }

    @Test func someClocksAreWrong() {
        let devices = Set(sample.events.map(\.device))
        let skewed = Set(sample.events.filter { $0.sent.clockSkew != 0 }.map(\.device))
        #expect((0.008..<0.035).contains(Double(skewed.count) / Double(devices.count)))
        #expect(sample.events.allSatisfy { $0.sent.source == .app || $0.sent.clockSkew == 0 })
    }

    @Test func volumeIsLinear() {
        let perDeviceAndDay = Double(sample.events.count) / Double(sample.parameters.devices * sample.parameters.days)
        #expect((3.4..<4.4).contains(perDeviceAndDay))
        var half = sample.parameters
        half.devices /= 2
        let count = Simulation(half).counts().values.reduce(0, +)
        #expect((0.46..<0.54).contains(Double(count) / Double(sample.events.count)))
    }
}
