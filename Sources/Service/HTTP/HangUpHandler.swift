internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// Work for a request's answer, which nobody waits for once the client hangs up.
final class Awaited: Sendable {
    private let gone = Atomic(false)
    private let cancel: @Sendable () -> Void

    init(cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
    }

    /// Whether the client hung up before its answer.
    var isAbandoned: Bool { gone.load(ordering: .acquiring) }

    fileprivate func abandon() {
        gone.store(true, ordering: .releasing)
        cancel()
    }
}

/// Ends the work for a client that hangs up before its answer: it would take a share, and time of the database, from
/// what is asked for next. Used on its channel's event loop alone.
final class HangUpHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var awaited: Awaited?
    private var isGone = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let work = event as? Awaited {
            awaited = work
            if isGone { hangUp() }
            return
        }
        // A client that only ends its own direction cannot be told from one that is gone.
        if case .inputClosed? = event as? ChannelEvent { hangUp() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        hangUp()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { awaited = nil }
        context.write(data, promise: promise)
    }

    private func hangUp() {
        isGone = true
        awaited?.abandon()
        awaited = nil
    }
}
