internal import CoreMetrics
internal import Synchronization

/// How often values fell into each bucket.
final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
    private struct State {
        var counts: [Int64]
        var sum = 0.0
    }

    /// Seconds, from half a millisecond to ten seconds.
    static let durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Numbers of things, from one to ten thousand.
    static let sizeBounds = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]

    private let bounds: [Double]
    private let state: Mutex<State>

    /// - Parameter bounds: the upper bounds of the buckets, each included, rising.
    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) {
        record(Double(value))
    }

    func record(_ value: Double) {
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) {
        record(Double(duration) / 1e9)
    }

    func write(to text: inout String, name: String, labels: String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        // A series that was never used writes nothing.
        guard counts.contains(where: { $0 > 0 }) else { return }
        let prefix = labels.isEmpty ? "" : labels + ","
        var total: Int64 = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? prometheusNumber(bounds[index]) : "+Inf"
            text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)\n"
        }
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        text += "\(name)_sum\(braces) \(prometheusNumber(sum))\n\(name)_count\(braces) \(total)\n"
    }
}
