internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes

/// HTTP/1 connections that answer small requests on their own event loop. This saves waking another thread for each request,
/// and the event loop again for its answer.
///
/// A request with a small body never keeps a thread busy for long. Every other request is answered on the threads of Swift's
/// global executor, so that none delays the connections of its event loop.
struct EventLoopChannel: HTTPChannelHandler {
    let responder: Responder
    private let base: HTTP1Channel

    /// The largest body of a small request, in bytes.
    static let smallBody = 16 << 10

    init(responder: @escaping Responder, configuration: HTTP1Channel.Configuration) {
        self.responder = responder
        base = HTTP1Channel(
            responder: { request, writer, channel in
                if Self.isSmall(request) { return try await responder(request, writer, channel) }
                var writer: ResponseWriter? = writer
                try await withTaskExecutorPreference(globalConcurrentExecutor) {
                    guard let writer = writer.take() else { return }
                    try await responder(request, writer, channel)
                }
            },
            configuration: configuration
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }

    /// Whether the request has a small body, which is not compressed: those with events, mostly.
    static func isSmall(_ request: Request) -> Bool {
        guard request.method == .post, let length = request.headers.value(.contentLength).flatMap(Int.init) else {
            return false
        }
        return length <= smallBody && !request.headers.contains(.contentEncoding)
    }
}

/// Runs tasks on an event loop.
final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
