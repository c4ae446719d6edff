internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// `GET /metrics`, in Prometheus' text format.
struct MetricsEndpoint: Sendable {
    let metrics: PrometheusMetrics

    var routes: [Route] {
        [
            .open("/metrics", isQuiet: true, isForProbes: true) { _, _ in
                Response(
                    status: .ok,
                    headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: await metrics.render()))
                )
            }
        ]
    }
}
