internal import CoreMetrics
internal import Synchronization

/// A value that goes up and down.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    private let value = Mutex<Double>(0)

    func set(_ value: Int64) {
        set(Double(value))
    }

    func set(_ value: Double) {
        self.value.withLock { $0 = value }
    }

    func increment(by amount: Double) {
        value.withLock { $0 += amount }
    }

    func decrement(by amount: Double) {
        value.withLock { $0 -= amount }
    }

    func record(_ value: Int64) {
        set(value)
    }

    func record(_ value: Double) {
        set(value)
    }

    func write(to text: inout String, name: String, labels: String) {
        text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(prometheusNumber(value.withLock { $0 }))\n"
    }
}
