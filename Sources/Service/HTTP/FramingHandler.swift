internal import NIOCore
internal import NIOHTTP1

/// Frames answers as their requests can take them. NIO's encoder, behind which this stands, sees answers alone: it ends
/// each one of unknown length with a last chunk, also one to HEAD, which has no body. A client would take that for the
/// beginning of its next answer. And an older client than of HTTP/1.1 knows no chunks: the end of the connection ends its
/// answer (RFC 9112, sections 6.1 and 9.3).
///
/// Used on its channel's event loop alone.
final class FramingHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What an answer depends on.
    private struct Asked {
        let isHead: Bool
        /// By a version before HTTP/1.1.
        let isOld: Bool
    }

    /// Requests that were read and are not answered yet.
    private var unanswered = CircularBuffer<Asked>()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var request) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let isOld = (request.version.major, request.version.minor) < (1, 1)
        unanswered.append(Asked(isHead: request.method == .HEAD, isOld: isOld))
        guard isOld else { return context.fireChannelRead(data) }
        // Hummingbird ends the connection after the answer.
        request.headers.replaceOrAdd(name: "connection", value: "close")
        // Nor does it know 100 (RFC 9110, section 10.1.1).
        request.headers.remove(name: "expect")
        context.fireChannelRead(wrapInboundOut(.head(request)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var response):
            guard unanswered.first?.isOld == true else { break }
            response.version = .http1_0
            response.headers.replaceOrAdd(name: "connection", value: "close")
            return context.write(wrapOutboundOut(.head(response)), promise: promise)
        case .body:
            break
        case .end:
            guard unanswered.popFirst()?.isHead == true else { break }
            // Nothing, in its place.
            return context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: promise)
        }
        context.write(data, promise: promise)
    }
}
