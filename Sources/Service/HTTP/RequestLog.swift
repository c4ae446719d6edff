internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Pacing

/// Logs one line per request once the whole answer is sent: id, method, route, status and duration. It never logs the path,
/// which contains device ids.
struct RequestLog {
    /// Limits lines about requests without an active key: anybody can send as many as they like.
    private let unauthenticated = RepeatedLines(linesAMinute: 60)

    /// - Parameter isOnSpareSeat: whether its connection has a spare seat, on which no key is checked.
    func write(
        _ route: Route,
        _ method: HTTPRequest.Method,
        _ status: HTTPResponse.Status,
        _ duration: Duration,
        _ context: ServiceContext,
        isComplete: Bool = true,
        isOnSpareSeat: Bool = false
    ) {
        let level: Logger.Level =
            switch status.code {
            case 500...: .warning
            case 400...: .info
            default: route.isQuiet ? .debug : .info
            }
        guard context.logger.logLevel <= level else { return }
        let milliseconds = duration / .milliseconds(1)
        var metadata: Logger.Metadata = [
            "method": "\(method.rawValue)", "status": "\(status.code)",
            "duration_ms": "\((milliseconds * 100).rounded() / 100)",
        ]
        // The client saw 200, and an answer without its end.
        if !isComplete { metadata["broken_off"] = "true" }
        if status == .unauthorized || isOnSpareSeat || (route.isOpen && status.code >= 400) {
            guard let left = unauthenticated.admit("\(status.code)") else { return }
            if left > 0 { metadata["left_out"] = "\(left)" }
        }
        context.logger.log(level: level, "request", metadata: Self.fields(route, metadata))
    }

    static func fields(_ route: Route, _ more: Logger.Metadata) -> Logger.Metadata {
        more.merging(["route": "\(route.template)"]) { new, _ in new }
    }
}
