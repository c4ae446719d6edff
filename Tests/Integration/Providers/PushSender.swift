import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A push as its sender makes it.
struct Push: Sendable {
    var device: String
    var token: String
    var headers: [(String, String)] = []
    var payload: String
    /// RFC 3339.
    var at: String
    var method = "POST"
    /// Where it goes, if not to the token.
    var path: String?
    var isAuthorized = true

    /// The header fields, pseudo-headers first.
    var fields: HPACKHeaders {
        var fields: HPACKHeaders = [
            ":method": method, ":scheme": "https", ":path": path ?? "/3/device/\(token)", ":authority": "localhost",
        ]
        if isAuthorized { fields.add(name: "authorization", value: "bearer provider-token-secret") }
        for (name, value) in headers { fields.add(name: name, value: value) }
        return fields
    }
}

/// A push with its answer, as its sender has it at hand.
struct AnsweredPush: Sendable {
    var push: Push
    var status: Int
    var headers: [(String, String)]
    var body: String

    /// What is posted to `/v1/providers/apns`: everything as it went over the wire, the body of the answer as its text.
    var report: [String: Any] {
        [
            "occurred_at": push.at, "device_id": push.device,
            "headers": Dictionary(push.fields.map { ($0.name, $0.value) }) { first, _ in first },
            "payload": (try? JSONSerialization.jsonObject(with: Data(push.payload.utf8))) ?? [String: Any](),
            "response": [
                "status": status, "headers": Dictionary(headers) { first, _ in first }, "body": body,
            ] as [String: Any],
        ]
    }
}

/// Sends pushes over one connection of HTTP/2, as Apple asks senders to.
final class PushSender: Sendable {
    private let channel: any Channel
    private let streams: NIOHTTP2Handler.StreamMultiplexer

    static func connect(port: Int, trusting certificate: TestCertificate) async throws -> PushSender {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(certificate.certificate)
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let (channel, streams) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandler(handler)
                    let streams = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                        mode: .client,
                        connectionConfiguration: .init(),
                        streamConfiguration: .init()
                    ) { stream in stream.close() }
                    return (channel, streams)
                }
            }
        return PushSender(channel, streams)
    }

    private init(_ channel: any Channel, _ streams: NIOHTTP2Handler.StreamMultiplexer) {
        self.channel = channel
        self.streams = streams
    }

    /// Sends a push and waits, at most ten seconds, for its answer.
    func send(_ push: Push) async throws -> AnsweredPush {
        let promise = channel.eventLoop.makePromise(of: AnsweredPush.self)
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(10)) {
            promise.fail(ServiceProcess.Failure(description: "APNs did not answer in 10 seconds"))
        }
        streams.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(PushStream(push, promise))
            }
        }.whenFailure { promise.fail($0) }
        defer { deadline.cancel() }
        return try await promise.futureResult.get()
    }

    func close() async {
        try? await channel.close().get()
    }
}

/// One push on its way, and its answer on the way back.
private final class PushStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let promise: EventLoopPromise<AnsweredPush>
    private var answer: AnsweredPush

    init(_ push: Push, _ promise: EventLoopPromise<AnsweredPush>) {
        self.promise = promise
        answer = AnsweredPush(push: push, status: 0, headers: [], body: "")
    }

    func channelActive(context: ChannelHandlerContext) {
        let push = answer.push
        let isEmpty = push.payload.isEmpty
        context.writeAndFlush(
            wrapOutboundOut(.headers(.init(headers: push.fields, endStream: isEmpty))),
            promise: nil
        )
        if !isEmpty {
            let body = ByteBuffer(string: push.payload)
            context.writeAndFlush(wrapOutboundOut(.data(.init(data: .byteBuffer(body), endStream: true))), promise: nil)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            answer.status = frame.headers.first(name: ":status").flatMap { Int($0) } ?? 0
            answer.headers = frame.headers.map { ($0.name, $0.value) }
            if frame.endStream { promise.succeed(answer) }
        case .data(let frame):
            if case .byteBuffer(let buffer) = frame.data { answer.body += String(buffer: buffer) }
            if frame.endStream { promise.succeed(answer) }
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(ServiceProcess.Failure(description: "the stream ended before the answer did"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }
}
