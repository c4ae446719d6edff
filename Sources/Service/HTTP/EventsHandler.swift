internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTPTypes

/// Answers small requests with events as soon as they are read, on their channel's event loop.
///
/// Hummingbird reads a request and writes its answer through asynchronous sequences, which takes more of the processor than to store an
/// event. So a request that came whole, with its body, is answered here. Every other request is passed on to Hummingbird as it is: a larger
/// one, one that comes in pieces, and all that a client sends while one of those has no answer. Answers keep the order of their requests.
///
/// The functions on the way of a request are `nonisolated(nonsending)`: others ask for their executor again at each call and each return.
/// Used on its channel's event loop alone.
final class EventsHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart
    /// Answers a request; the body of its response is in memory.
    typealias Answer = @Sendable (Request, any Channel) async -> Response

    private enum State {
        /// All requests are answered.
        case idle
        /// The head and the beginning of the body have been read.
        case arriving(HTTPRequest, ByteBuffer)
        /// A request is answered here.
        case answering
        /// The answer is written, and the client has yet to read of those before it.
        case unread
        /// Requests were passed on.
        case passing(unanswered: Int, isIncomplete: Bool)
    }

    /// What came while a request was answered here, or its answer waited to be read.
    private enum Held {
        case part(HTTPRequestPart)
        case error(any Error)
        case inputClosed
    }

    private let executor: EventLoopExecutor
    private let answer: Answer
    private var state = State.idle
    /// No more than is read at once: nothing more is read until it is taken.
    private var held = CircularBuffer<Held>()
    private var readsLater = false
    /// Nobody can be answered any more: Hummingbird finds that out at its next answer, and ends the connection.
    private var isOutputClosed = false

    /// - Parameters:
    ///   - eventLoop: that of its channel.
    ///   - answer: answers a request.
    init(on eventLoop: any EventLoop, answer: @escaping Answer) {
        executor = EventLoopExecutor(eventLoop)
        self.answer = answer
    }

    // MARK: - Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isHolding {
            held.append(.part(part))
        } else {
            take(part, context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Nothing is kept of a slow sender here: BodyReader counts what it keeps.
        passOn(context)
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isHolding { return held.append(.error(error)) }
        passOn(context)
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? ChannelEvent {
        case .inputClosed:
            // Hummingbird closes the connection as soon as it knows, with the answer or without.
            if isHolding { return held.append(.inputClosed) }
            passOn(context)
        case .outputClosed: isOutputClosed = true
        case nil: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func read(context: ChannelHandlerContext) {
        if held.isEmpty {
            context.read()
        } else {
            readsLater = true
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .unread = state, context.channel.isWritable {
            state = .idle
            takeHeld(context)
        }
        context.fireChannelWritabilityChanged()
    }

    private var isHolding: Bool {
        switch state {
        case .answering, .unread: true
        case .idle, .arriving, .passing: false
        }
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch (state, part) {
        case (.idle, .head(let head)) where !isOutputClosed && Self.isTaken(head):
            state = .arriving(head, ByteBuffer())
            return
        case (.arriving(let head, var body), .body(let more)):
            // Most bodies arrive in one piece, which is used without a copy.
            if body.readableBytes == 0 { body = more } else { body.writeImmutableBuffer(more) }
            state = .arriving(head, body)
            return
        case (.arriving(let head, let body), .end):
            respond(to: Request(head: head, body: .init(buffer: body)), context)
            return
        case (.idle, .head): state = .passing(unanswered: 1, isIncomplete: true)
        case (.passing(let unanswered, _), .head): state = .passing(unanswered: unanswered + 1, isIncomplete: true)
        case (.passing(let unanswered, _), .end): settle(unanswered, isIncomplete: false)
        case (.idle, _), (.arriving, _), (.answering, _), (.unread, _), (.passing, .body): break
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    /// Whether a request is one of those that are answered here, if it comes whole.
    private static func isTaken(_ head: HTTPRequest) -> Bool {
        guard let target = head.path, EventsEndpoint.isTarget(target), EventLoopChannel.isSmall(head) else {
            return false
        }
        // Hummingbird ends a connection whose client says `close`.
        return head.headerFields.value(.connection).map { $0.lowercased() == "keep-alive" } ?? true
    }

    /// Passes on what has come of a request.
    private func passOn(_ context: ChannelHandlerContext) {
        guard case .arriving(let head, let body) = state else { return }
        state = .passing(unanswered: 1, isIncomplete: true)
        context.fireChannelRead(wrapInboundOut(.head(head)))
        if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
    }

    /// Whether requests that were passed on are still under way.
    private func settle(_ unanswered: Int, isIncomplete: Bool) {
        state =
            unanswered > 0 || isIncomplete
            ? .passing(unanswered: max(0, unanswered), isIncomplete: isIncomplete) : .idle
    }

    // MARK: - Answering

    private func respond(to request: Request, _ context: ChannelHandlerContext) {
        state = .answering
        let channel = context.channel
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        Task(executorPreference: executor) { [answer] in
            let response = await answer(request, channel)
            let body = WholeBody()
            do { try await response.body.write(body) } catch { return channel.close(promise: nil) }
            let (handler, context) = bound.value
            handler.write(response.head, body.buffer, context)
        }
    }

    private func write(_ head: HTTPResponse, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(body)), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // Else a client that reads no answers would have them pile up here. For one that is gone there is no answering.
        state = context.channel.isActive && context.channel.isWritable ? .idle : .unread
        takeHeld(context)
    }

    private func takeHeld(_ context: ChannelHandlerContext) {
        guard !held.isEmpty, !isHolding else { return }
        while !held.isEmpty {
            if isHolding { return }
            switch held.removeFirst() {
            case .part(let part): take(part, context)
            case .error(let error): errorCaught(context: context, error: error)
            case .inputClosed: userInboundEventTriggered(context: context, event: ChannelEvent.inputClosed)
            }
        }
        channelReadComplete(context: context)
        if readsLater {
            readsLater = false
            context.read()
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .passing(let unanswered, let isIncomplete) = state, case .end = unwrapOutboundIn(data) {
            settle(unanswered - 1, isIncomplete: isIncomplete)
        }
        context.write(data, promise: promise)
    }
}

/// Gathers a response's body.
private final class WholeBody: ResponseBodyWriter {
    private(set) var buffer = ByteBuffer()

    func write(_ more: ByteBuffer) async throws {
        if buffer.readableBytes == 0 { buffer = more } else { buffer.writeImmutableBuffer(more) }
    }

    func finish(_: HTTPFields?) async throws {}
}
