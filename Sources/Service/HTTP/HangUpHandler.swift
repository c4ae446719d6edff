internal import NIOCore
internal import NIOHTTPTypes
internal import Synchronization

/// Work for a request's answer. It is cancelled if the client hangs up.
final class AbandonableWork: Sendable {
    private let abandoned = Atomic(false)
    private let cancel: @Sendable () -> Void

    init(cancel: @escaping @Sendable () -> Void) {
        self.cancel = cancel
    }

    /// Whether the client hung up before its answer.
    var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

    fileprivate func abandon() {
        abandoned.store(true, ordering: .releasing)
        cancel()
    }
}

/// Cancels the work for a client that hangs up before its answer. Otherwise it would keep using the app's share and the
/// database. Used on its channel's event loop alone.
final class HangUpHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var work: AbandonableWork?
    private var isGone = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let begun = event as? AbandonableWork {
            work = begun
            if isGone { hangUp() }
            return
        }
        // A client that closes only its own direction looks the same as one that hung up.
        if case .inputClosed? = event as? ChannelEvent { hangUp() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        hangUp()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { work = nil }
        context.write(data, promise: promise)
    }

    private func hangUp() {
        isGone = true
        work?.abandon()
        work = nil
    }
}
