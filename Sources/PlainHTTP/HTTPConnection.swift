internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// One connection to a service over HTTP/1.1 (RFC 9112), kept alive; one request at a time.
///
/// For the simulator, the tests and the benchmarks: no TLS, no redirects, no retries.
public final class HTTPConnection: Sendable {

    private let channel: any Channel
    private let handler: ExchangeHandler
    private let address: HTTPAddress

    /// Connects.
    ///
    /// - Throws: ``HTTPFailure`` if the address does not answer.
    public static func connect(_ address: HTTPAddress) async throws(HTTPFailure) -> HTTPConnection {
        do {
            let handler = ExchangeHandler()
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connectTimeout(.seconds(5))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .connect(host: address.host, port: address.port)
                .get()
            return HTTPConnection(channel, handler, address)
        } catch {
            throw HTTPFailure("no answer from http://\(address.authority): is the service running?")
        }
    }

    private init(_ channel: any Channel, _ handler: ExchangeHandler, _ address: HTTPAddress) {
        self.channel = channel
        self.handler = handler
        self.address = address
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameters:
    ///   - method: the method, such as `POST`.
    ///   - path: path and query, percent-encoded.
    ///   - headers: fields besides `Host` and `Content-Length`.
    ///   - body: the body; `nil` for none.
    /// - Throws: ``HTTPFailure`` if the connection ends before the answer; the request may or may not have been carried out.
    public func send(
        _ method: String,
        _ path: String,
        headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws(HTTPFailure) -> HTTPAnswer {
        var fields = HTTPHeaders(headers)
        fields.replaceOrAdd(name: "Host", value: address.authority)
        if let body { fields.replaceOrAdd(name: "Content-Length", value: String(body.count)) }
        let head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method), uri: path, headers: fields)
        let content = body.map { channel.allocator.buffer(bytes: $0) }
        let promise = channel.eventLoop.makePromise(of: HTTPAnswer.self)
        channel.eventLoop.execute { [handler, channel] in
            guard handler.expect(promise) else { return }
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            if let content { channel.write(HTTPClientRequestPart.body(.byteBuffer(content)), promise: nil) }
            channel.writeAndFlush(HTTPClientRequestPart.end(nil)).whenFailure { handler.fail($0) }
        }
        do {
            return try await promise.futureResult.get()
        } catch let failure as HTTPFailure {
            throw failure
        } catch {
            throw HTTPFailure("the connection to the service failed: \(error)")
        }
    }

    /// Whether the connection is ready for another request.
    public var isOpen: Bool { channel.isActive }

    /// Ends the connection.
    public func close() async {
        // It may be closed already.
        try? await channel.close().get()
    }
}
