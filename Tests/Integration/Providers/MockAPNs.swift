import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// A server that speaks to push senders as APNs does: HTTP/2 over TLS, a POST to `/3/device/<token>` for each push, and
/// every answer of Apple's "Handling notification responses from APNs".
///
/// What is wrong with a request itself it finds by looking; what only Apple can know, each token is told by ``script(_:_:)``.
final class MockAPNs: Sendable {
    struct Answer: Sendable {
        var status: Int
        var reason: String?
        /// Milliseconds since 1970.
        var timestamp: Int64?

        static let accepted = Answer(status: 200)
    }

    let port: Int
    private let channel: any Channel
    private let box: Box

    /// Shared with the streams' handlers.
    final class Box: Sendable {
        let answers = Mutex<[String: [Answer]]>([:])
    }

    static func start(_ certificate: TestCertificate) async throws -> MockAPNs {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.key, format: .pem))
        )
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let box = Box()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                        mode: .server,
                        connectionConfiguration: .init(),
                        streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(MockAPNsStream(box))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return MockAPNs(channel, box)
    }

    private init(_ channel: any Channel, _ box: Box) {
        self.channel = channel
        self.box = box
        port = channel.localAddress?.port ?? 0
    }

    /// What pushes to a token are answered, one after the other; the last one stays. Without a script: accepted.
    func script(_ token: String, _ answers: Answer...) {
        box.answers.withLock { $0[token] = answers }
    }

    func stop() async {
        try? await channel.close().get()
    }
}

/// One push.
private final class MockAPNsStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let box: MockAPNs.Box
    private var headers = HPACKHeaders()
    private var body = 0

    init(_ box: MockAPNs.Box) {
        self.box = box
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            headers = frame.headers
            if frame.endStream { answer(context) }
        case .data(let frame):
            body += frame.data.readableBytes
            if frame.endStream { answer(context) }
        default: break
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let answer = refusal() ?? scripted()
        var fields: HPACKHeaders = [":status": String(answer.status)]
        fields.add(name: "apns-id", value: headers.first(name: "apns-id") ?? UUID().uuidString)
        guard let reason = answer.reason else {
            context.writeAndFlush(wrapOutboundOut(.headers(.init(headers: fields, endStream: true))), promise: nil)
            return
        }
        fields.add(name: "content-type", value: "application/json")
        let timestamp = answer.timestamp.map { #","timestamp":\#($0)"# } ?? ""
        let body = ByteBuffer(string: #"{"reason":"\#(reason)"\#(timestamp)}"#)
        context.write(wrapOutboundOut(.headers(.init(headers: fields))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.data(.init(data: .byteBuffer(body), endStream: true))), promise: nil)
    }

    private var token: String? {
        headers.first(name: ":path").flatMap { $0.hasPrefix("/3/device/") ? String($0.dropFirst(10)) : nil }
    }

    /// What is wrong with the request itself.
    private func refusal() -> MockAPNs.Answer? {
        func header(_ name: String) -> String? { headers.first(name: name) }
        if header(":method") != "POST" { return .init(status: 405, reason: "MethodNotAllowed") }
        guard let token else { return .init(status: 404, reason: "BadPath") }
        if token.isEmpty { return .init(status: 400, reason: "MissingDeviceToken") }
        if headers["apns-topic"].count > 1 { return .init(status: 400, reason: "DuplicateHeaders") }
        if header("apns-topic") == nil { return .init(status: 400, reason: "MissingTopic") }
        if header("authorization") == nil { return .init(status: 403, reason: "MissingProviderToken") }
        if body == 0 { return .init(status: 400, reason: "PayloadEmpty") }
        if body > 4096 { return .init(status: 413, reason: "PayloadTooLarge") }
        if let text = header("apns-id"), UUID(uuidString: text) == nil {
            return .init(status: 400, reason: "BadMessageId")
        }
        if let text = header("apns-priority"), !["1", "5", "10"].contains(text) {
            return .init(status: 400, reason: "BadPriority")
        }
        if let text = header("apns-expiration"), Int(text) == nil {
            return .init(status: 400, reason: "BadExpirationDate")
        }
        if let text = header("apns-push-type"), !["alert", "background", "voip"].contains(text) {
            return .init(status: 400, reason: "InvalidPushType")
        }
        if let text = header("apns-collapse-id"), text.utf8.count > 64 {
            return .init(status: 400, reason: "BadCollapseId")
        }
        return nil
    }

    private func scripted() -> MockAPNs.Answer {
        box.answers.withLock { answers in
            guard let token, var script = answers[token], let first = script.first else { return .accepted }
            if script.count > 1 {
                script.removeFirst()
                answers[token] = script
            }
            return first
        }
    }
}
