internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Tells a client that asks first (`Expect: 100-continue`, RFC 9110, section 10.1.1) to send its body, as curl does for a
/// large one: without an answer it waits for a second.
///
/// If the announced body is too large, the client gets only the answer that refuses it.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let bodyBytes: Int
    /// Requests that were read and are not answered yet.
    private var unanswered = 0

    /// - Parameter bodyBytes: the largest body that is taken.
    init(bodyBytes: Int) {
        self.bodyBytes = bodyBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let request) = unwrapInboundIn(data) {
            // While earlier answers are due, this would come among them. Such a client sends its body without it.
            if unanswered == 0, isWanted(request) {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
            unanswered += 1
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { unanswered -= 1 }
        context.write(data, promise: promise)
    }

    private func isWanted(_ request: HTTPRequest) -> Bool {
        guard request.headerFields.value(.expect)?.lowercased() == "100-continue" else { return false }
        guard let length = request.headerFields[.contentLength] else { return true }
        return Int(length).map { $0 <= bodyBytes } ?? false
    }
}
