internal import NIOCore
internal import NIOHTTP1

/// Collects the parts of an answer. Used on its channel's event loop alone.
final class ExchangeHandler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart

    private var waiting: EventLoopPromise<HTTPAnswer>?
    private var answer = HTTPAnswer(status: 0, headers: [:], body: [])
    private var isOver = false

    /// Registers the promise of the next answer. False, and the promise failed, if none can come.
    func expect(_ promise: EventLoopPromise<HTTPAnswer>) -> Bool {
        guard !isOver, waiting == nil else {
            promise.fail(HTTPFailure(isOver ? "the connection is closed" : "a request is under way on this connection"))
            return false
        }
        waiting = promise
        return true
    }

    /// Fails the promise.
    func fail(_ error: any Error) {
        waiting?.fail(error)
        waiting = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // An interim answer (RFC 9110, section 15.2) comes before the final one.
            guard head.status.code >= 200 else { return }
            let fields = head.headers.map { ($0.name.lowercased(), $0.value) }
            answer = HTTPAnswer(
                status: Int(head.status.code),
                headers: Dictionary(fields) { $1 },
                body: []
            )
        case .body(let part):
            answer.body.append(contentsOf: part.readableBytesView)
        case .end:
            guard answer.status > 0 else { return }
            waiting?.succeed(answer)
            waiting = nil
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        fail(HTTPFailure("the service closed the connection before it answered"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }
}
