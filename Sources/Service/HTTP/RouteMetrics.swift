internal import HTTPTypes
internal import Metrics

/// How often a route was asked, what it answered, and how long it took.
struct RouteMetrics: Sendable {
    private let timers: [Timer]

    init(_ route: Route, factory: any MetricsFactory) {
        timers = (1...5).map { hundreds in
            Timer(
                label: "notilog_http_request_duration_seconds",
                dimensions: [
                    ("method", route.method.rawValue), ("route", route.template), ("status", "\(hundreds)xx"),
                ],
                factory: factory
            )
        }
    }

    func record(_ status: HTTPResponse.Status, _ duration: Duration) {
        let index = min(max(status.code / 100, 1), 5) - 1
        timers[index].record(duration: duration)
    }
}
