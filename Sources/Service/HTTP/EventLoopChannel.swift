internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// HTTP/1 connections that answer small requests on their own event loop. This saves waking another thread for each request,
/// and the event loop again for its answer.
///
/// A request with a small body never keeps a thread busy for long. Every other request is answered on the threads of Swift's
/// global executor, so that none delays the connections of its event loop.
struct EventLoopChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// What a connection is made of.
    struct Configuration: Sendable {
        /// Handlers between HTTP's parts and what answers them.
        var handlers: @Sendable () -> [any ChannelHandler] = { [] }
        /// How long it may stay open without a request; nil for ever.
        var idle: Duration?
        /// What a request's head may be.
        var limits = NIOHTTPDecoderLimitConfiguration()
        /// Answers requests with events that come whole; nil if Hummingbird answers all.
        var events: EventsHandler.Answer?
    }

    let responder: Responder
    private let configuration: Configuration

    /// The largest body of a small request, in bytes.
    static let smallBody = 16 << 10
    /// The most bytes that NIO's decoder keeps without reading them, as it does after a request to upgrade.
    private static let unreadBytes = 64 << 10

    init(responder: @escaping Responder, configuration: Configuration) {
        self.responder = { request, writer, channel in
            if Self.isSmall(request.head) { return try await responder(request, writer, channel) }
            var writer: ResponseWriter? = writer
            try await withTaskExecutorPreference(globalConcurrentExecutor) {
                guard let writer = writer.take() else { return }
                try await responder(request, writer, channel)
            }
        }
        self.configuration = configuration
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            // Hummingbird takes one request after the other, and answers what is not HTTP.
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(
                ByteToMessageHandler(
                    HTTPRequestDecoder(limitConfiguration: configuration.limits),
                    maximumBufferSize: Self.unreadBytes
                )
            )
            try pipeline.addHandler(FramingHandler())
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandlers(configuration.handlers())
            try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: configuration.idle, logger: logger))
            if let events = configuration.events {
                try pipeline.addHandler(EventsHandler(on: channel.eventLoop, answer: events))
            }
            return try Value(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await handleHTTP(asyncChannel: value, logger: logger)
        }
    }

    /// Whether a request has a small body, which is not compressed: those with events, mostly.
    static func isSmall(_ head: HTTPRequest) -> Bool {
        guard head.method == .post, let length = head.headerFields.value(.contentLength).flatMap(Int.init) else {
            return false
        }
        return length <= smallBody && !head.headerFields.contains(.contentEncoding)
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
