internal import NIOCore
internal import NIOHTTPTypes

/// Takes a seat for its connection, and marks it busy during requests. Used on its channel's event loop alone.
final class SeatHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    private var seat: Seat?
    private var unanswered = 0

    init(_ connections: Connections) {
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { enter(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        enter(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    private func enter(_ context: ChannelHandlerContext) {
        guard seat == nil else { return }
        let channel = context.channel
        seat = connections.enter(ObjectIdentifier(channel), PeerAddress(channel.remoteAddress)) {
            channel.close(promise: nil)
        }
        if seat == nil { context.close(promise: nil) }
    }

    private func leave() {
        if let seat { connections.leave(seat) }
        seat = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            unanswered += 1
            seat?.isBusy()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        unanswered -= 1
        if unanswered <= 0 { seat?.isIdle() }
        guard let seat, seat.isSpare else { return context.write(data, promise: promise) }
        // One answer, then the seat is free. Close only this direction: otherwise data from the client could cost it the answer.
        context.writeAndFlush(data, promise: promise)
        context.close(mode: .output, promise: nil)
    }
}
