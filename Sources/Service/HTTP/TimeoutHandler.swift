internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// How long a connection may keep the service waiting.
struct ConnectionTimeouts: Sendable {
    /// From a request's head to the end of its body.
    var body: TimeAmount = .seconds(30)
    /// The same, once the service is being stopped.
    var bodyWhenStopping: TimeAmount = .seconds(3)
    /// For the client to read, once the socket's buffer is full.
    var answer: TimeAmount = .seconds(30)
    /// From an answer that came before the end of the request's body to the end of the connection, so that the sender
    /// can read it (a "lingering close").
    var lingering: TimeAmount = .seconds(2)
}

/// Enforces the timeouts of a connection: bodies that do not arrive, answers that the client does not read, and requests that
/// continue after their answer. Ends one with too many requests that have no answer, and one after which nothing can be read.
///
/// It has at most one timer a connection and sets it again only when it fires, because nearly every request ends before. Used
/// on its channel's event loop alone.
final class TimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let timeouts: ConnectionTimeouts
    private let mostUnanswered: Int
    /// The last request's body has not ended.
    private var isArriving = false
    /// For it, once all requests before it are answered: until then no more may be read, which is no fault of the client.
    private var bodyDeadline: NIODeadline?
    private var answerDeadline: NIODeadline?
    private var lingerDeadline: NIODeadline?
    private var timer: Scheduled<Void>?
    private var timerDeadline = NIODeadline.distantFuture
    /// Requests that were read and are not answered yet: more than one if a client does not wait for answers.
    private var unanswered = 0
    private var isStopping = false
    /// Nothing more can be read here: the last answer says so, and the connection ends.
    private var isAtEnd = false
    /// It was closed here: what was read with the rest goes nowhere.
    private var isClosed = false

    /// - Parameter mostUnanswered: the most requests without an answer. Where answers are waited for, what is read at once has a few
    ///   thousand; but of a client that says that nothing more comes, NIO reads all that there is.
    init(_ timeouts: ConnectionTimeouts, mostUnanswered: Int = 8_192) {
        self.timeouts = timeouts
        self.mostUnanswered = mostUnanswered
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isClosed { return }
        switch unwrapInboundIn(data) {
        case .head(let request):
            unanswered += 1
            // The service upgrades to nothing, and answers as if it had not been asked (RFC 9110, section 7.8). But NIO's decoder
            // takes what follows such a request for another protocol, and leaves it unread.
            if request.method == .connect || request.headerFields.contains(.upgrade) { isAtEnd = true }
            guard unanswered <= mostUnanswered else {
                isClosed = true
                return context.close(promise: nil)
            }
            isArriving = true
            if unanswered == 1 { awaitBody(context) }
        case .body:
            // Data after the answer is not read; otherwise it could continue forever.
            if lingerDeadline != nil { return }
        case .end:
            isArriving = false
            bodyDeadline = nil
            if !isAtEnd { lingerDeadline = nil }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var response):
            guard isAtEnd, unanswered <= 1, response.status.kind != .informational else { break }
            response.headerFields[.connection] = "close"
            return context.write(wrapOutboundOut(.head(response)), promise: promise)
        case .body:
            break
        case .end:
            unanswered -= 1
            // The answer ended before the body, if the body that still arrives is this request's own.
            if unanswered <= 0, isArriving || isAtEnd {
                isArriving = false
                bodyDeadline = nil
                lingerDeadline = context.eventLoop.now + timeouts.lingering
                schedule(context)
            } else if unanswered == 1, isArriving {
                awaitBody(context)
            }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        answerDeadline = context.channel.isWritable ? nil : context.eventLoop.now + timeouts.answer
        if answerDeadline != nil { schedule(context) }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Not HTTP.
        isAtEnd = true
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isStopping = true
            if let deadline = bodyDeadline {
                bodyDeadline = min(deadline, context.eventLoop.now + timeouts.bodyWhenStopping)
                schedule(context)
            }
        }
        if event is BodyCrowdedOut {
            // The body may have ended meanwhile.
            if isArriving { giveUp(.crowdedOut, context) }
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func awaitBody(_ context: ChannelHandlerContext) {
        bodyDeadline = context.eventLoop.now + (isStopping ? timeouts.bodyWhenStopping : timeouts.body)
        schedule(context)
    }

    /// The reader of the body gets the error, and answers.
    private func giveUp(_ reason: SlowRequest.Reason, _ context: ChannelHandlerContext) {
        isArriving = false
        bodyDeadline = nil
        isAtEnd = true
        context.fireErrorCaught(SlowRequest(reason: reason))
    }

    private func schedule(_ context: ChannelHandlerContext) {
        let next = min(
            bodyDeadline ?? .distantFuture,
            answerDeadline ?? .distantFuture,
            lingerDeadline ?? .distantFuture
        )
        guard next < timerDeadline else { return }
        timer?.cancel()
        timerDeadline = next
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: next) { self.checkDeadlines(context) }
    }

    private func checkDeadlines(_ context: ChannelHandlerContext) {
        timer = nil
        timerDeadline = .distantFuture
        let now = context.eventLoop.now
        if let lingerDeadline, lingerDeadline <= now { return context.close(promise: nil) }
        if let answerDeadline, answerDeadline <= now { return context.close(promise: nil) }
        if let deadline = bodyDeadline, deadline <= now { giveUp(isStopping ? .stopping : .timeout, context) }
        schedule(context)
    }
}
