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
/// continue after their answer.
///
/// It has at most one timer a connection and sets it again only when it fires, because nearly every request ends before. Used
/// on its channel's event loop alone.
final class TimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let timeouts: ConnectionTimeouts
    private var bodyDeadline: NIODeadline?
    private var answerDeadline: NIODeadline?
    private var lingerDeadline: NIODeadline?
    private var timer: Scheduled<Void>?
    private var timerDeadline = NIODeadline.distantFuture
    /// Requests that were read and are not answered yet: more than one if a client does not wait for answers.
    private var unanswered = 0
    private var isStopping = false
    private var hasFailed = false

    init(_ timeouts: ConnectionTimeouts) {
        self.timeouts = timeouts
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            bodyDeadline = .now() + (isStopping ? timeouts.bodyWhenStopping : timeouts.body)
            schedule(context)
        case .body:
            // Data after the answer is not read; otherwise it could continue forever.
            if lingerDeadline != nil { return }
        case .end:
            bodyDeadline = nil
            if !hasFailed { lingerDeadline = nil }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered -= 1
            // The answer ended before the body, if the body that still arrives is this request's own.
            if unanswered <= 0, bodyDeadline != nil || hasFailed {
                bodyDeadline = nil
                lingerDeadline = .now() + timeouts.lingering
                schedule(context)
            }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        answerDeadline = context.channel.isWritable ? nil : .now() + timeouts.answer
        if answerDeadline != nil { schedule(context) }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Not HTTP: nothing more can be read here, and the answer says so.
        hasFailed = true
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isStopping = true
            if let deadline = bodyDeadline {
                bodyDeadline = min(deadline, .now() + timeouts.bodyWhenStopping)
                schedule(context)
            }
        }
        if event is BodyCrowdedOut {
            // The body may have ended meanwhile.
            if bodyDeadline != nil { giveUp(.crowdedOut, context) }
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// The reader of the body gets the error, and answers.
    private func giveUp(_ reason: SlowRequest.Reason, _ context: ChannelHandlerContext) {
        bodyDeadline = nil
        hasFailed = true
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
        let now = NIODeadline.now()
        if let lingerDeadline, lingerDeadline <= now { return context.close(promise: nil) }
        if let answerDeadline, answerDeadline <= now { return context.close(promise: nil) }
        if let deadline = bodyDeadline, deadline <= now { giveUp(isStopping ? .stopping : .timeout, context) }
        schedule(context)
    }
}
