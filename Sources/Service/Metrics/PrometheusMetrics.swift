public import CoreMetrics
internal import Synchronization

/// Keeps metrics in memory and renders them as Prometheus text (version 0.0.4).
///
/// Counters end in `_total`; timers are histograms of seconds and end in `_seconds`; recorders are histograms, or gauges
/// where they do not aggregate. A label's dots become underscores.
public final class PrometheusMetrics: MetricsFactory {
    private struct Family {
        let kind: MetricKind
        var series: [String: any MetricSeries] = [:]
    }

    private let families = Mutex<[String: Family]>([:])
    private let samplers = Mutex<[@Sendable () async -> Void]>([])

    /// Makes an empty registry.
    public init() {}

    /// Adds something that sets its gauges just before they are read.
    public func sample(_ sampler: @escaping @Sendable () async -> Void) {
        samplers.withLock { $0.append(sampler) }
    }

    /// Every metric, in Prometheus' text format.
    public func render() async -> String {
        for sampler in samplers.withLock({ $0 }) { await sampler() }
        let families = families.withLock { $0 }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            if let help = Self.help[name] { text += "# HELP \(name) \(help)\n" }
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(to: &text, name: name, labels: labels)
            }
        }
        return text
    }

    /// Finds a series, or makes it. Where the name is taken by another kind, the series counts but is not rendered.
    private func series<Series: MetricSeries>(
        _ name: String,
        _ kind: MetricKind,
        _ dimensions: [(String, String)],
        _ make: () -> Series
    ) -> Series {
        let labels = prometheusLabels(dimensions)
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            if let known = family.series[labels] as? Series { return known }
            let new = make()
            guard family.kind == kind else { return new }
            family.series[labels] = new
            families[name] = family
            return new
        }
    }

    private func remove(_ handler: AnyObject) {
        families.withLock { families in
            for name in Array(families.keys) {
                let kept = families[name]?.series.filter { $0.value !== handler }
                families[name]?.series = kept ?? [:]
            }
        }
    }
}

extension PrometheusMetrics {
    /// Makes a counter: `<label>_total`.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        var name = prometheusName(label)
        if !name.hasSuffix("_total") { name += "_total" }
        return series(name, .counter, dimensions) { CounterSeries() }
    }

    /// Makes a gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(prometheusName(label), .gauge, dimensions) { GaugeSeries() }
    }

    /// Makes a histogram of sizes, or a gauge where values are not to be aggregated.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return series(prometheusName(label), .gauge, dimensions) { GaugeSeries() } }
        return series(prometheusName(label), .histogram, dimensions) {
            HistogramSeries(bounds: HistogramSeries.sizeBounds)
        }
    }

    /// Makes a histogram of seconds: `<label>_seconds`.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        var name = prometheusName(label)
        if !name.hasSuffix("_seconds") { name += "_seconds" }
        return series(name, .histogram, dimensions) { HistogramSeries(bounds: HistogramSeries.durationBounds) }
    }

    /// Forgets a counter.
    public func destroyCounter(_ handler: any CounterHandler) {
        remove(handler)
    }

    /// Forgets a gauge.
    public func destroyMeter(_ handler: any MeterHandler) {
        remove(handler)
    }

    /// Forgets a histogram or gauge.
    public func destroyRecorder(_ handler: any RecorderHandler) {
        remove(handler)
    }

    /// Forgets a histogram.
    public func destroyTimer(_ handler: any TimerHandler) {
        remove(handler)
    }
}
