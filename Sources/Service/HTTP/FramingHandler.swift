internal import NIOCore
internal import NIOHTTP1

/// Frames answers as their requests can take them. NIO's encoder, behind which this stands, sees answers alone: it ends
/// each one of unknown length with a last chunk, also one to HEAD, which has no body. A client would take that for the
/// beginning of its next answer.
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
    }

    /// Requests that were read and are not answered yet.
    private var unanswered = CircularBuffer<Asked>()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let request) = unwrapInboundIn(data) {
            unanswered.append(Asked(isHead: request.method == .HEAD))
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), unanswered.popFirst()?.isHead == true {
            // Nothing, in its place.
            return context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: promise)
        }
        context.write(data, promise: promise)
    }
}
