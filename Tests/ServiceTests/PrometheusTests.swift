import Metrics
import Testing

@testable import Service

struct PrometheusTests {
    @Test func countersGaugesAndHistogramsAreRendered() async {
        let metrics = PrometheusMetrics()
        Counter(label: "app.events", dimensions: [("kind", "a\"b\\c\nd")], factory: metrics).increment(by: 3)
        Counter(label: "app.events", dimensions: [("kind", "a\"b\\c\nd")], factory: metrics).increment()
        Gauge(label: "queue-depth", factory: metrics).record(2.5)
        let timer = Timer(label: "commit", factory: metrics)
        timer.recordNanoseconds(700_000)
        timer.recordNanoseconds(20_000_000_000)
        let text = await metrics.render()
        #expect(text.contains("# TYPE app_events_total counter\napp_events_total{kind=\"a\\\"b\\\\c\\nd\"} 4\n"))
        #expect(text.contains("# TYPE queue_depth gauge\nqueue_depth 2.5\n"))
        #expect(text.contains("# TYPE commit_seconds histogram\n"))
        #expect(text.contains("commit_seconds_bucket{le=\"0.0005\"} 0\ncommit_seconds_bucket{le=\"0.001\"} 1\n"))
        #expect(text.contains("commit_seconds_bucket{le=\"10\"} 1\ncommit_seconds_bucket{le=\"+Inf\"} 2\n"))
        #expect(text.contains("commit_seconds_count 2\n"))
    }

    @Test func endingsAreNotDoubled() async {
        let metrics = PrometheusMetrics()
        Counter(label: "x_total", factory: metrics).increment()
        Timer(label: "y_seconds", factory: metrics).recordNanoseconds(1)
        let text = await metrics.render()
        #expect(text.contains("x_total 1"))
        #expect(text.contains("y_seconds_count 1"))
        #expect(!text.contains("x_total_total"))
    }

    @Test func samplersSetGaugesBeforeTheyAreRead() async {
        let metrics = PrometheusMetrics()
        metrics.sample { Gauge(label: "sampled", factory: metrics).record(7) }
        #expect(await metrics.render().contains("sampled 7\n"))
    }

    @Test func ofTwoKindsOfOneNameTheFirstIsShown() async {
        let metrics = PrometheusMetrics()
        Gauge(label: "same_total", factory: metrics).record(1)
        Counter(label: "same", factory: metrics).increment(by: 5)
        #expect(await metrics.render().contains("same_total 1\n"))
    }
}
