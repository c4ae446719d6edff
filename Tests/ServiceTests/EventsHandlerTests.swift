import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import NIOPosix
import Synchronization
import Testing

@testable import Service

/// Each answer has the body of its request, and the header `By` says who gave it.
@Suite("Requests answered on the event loop", .timeLimit(.minutes(5)))
struct EventsHandlerTests {
    @Test("events that come whole are answered by the handler, all else by Hummingbird, in turn")
    func whoAnswers() async throws {
        try await EchoServer.run { server in
            let client = try await server.connect()
            let large = String(repeating: "x", count: EventLoopChannel.smallBody + 1)
            for (request, by) in [
                (EchoServer.events("one"), "handler"), (EchoServer.events(""), "handler"),
                (EchoServer.request("GET", "/v1/events"), "hummingbird"),
                (EchoServer.request("POST", "/v1/keys", body: "{}"), "hummingbird"),
                (EchoServer.events("two"), "handler"), (EchoServer.events(large), "hummingbird"),
                (EchoServer.request("POST", "/v1/events", ["Content-Encoding: gzip"], body: "z"), "hummingbird"),
                (EchoServer.request("POST", "/v1/events", ["Connection: keep-alive"], body: "k"), "handler"),
                (EchoServer.events("three"), "handler"),
                (EchoServer.request("POST", "/v1/events", ["Connection: close"], body: "last"), "hummingbird"),
            ] {
                try await client.send(request)
                let answer = try #require(try await client.answer())
                #expect(answer.by == by)
                #expect(request.hasSuffix("\r\n\r\n" + answer.body))
            }
            #expect(try await client.answer() == nil)
        }
    }

    @Test("answers keep the order of their requests, however the requests are cut and mixed")
    func order() async throws {
        try await EchoServer.run { server in
            var answeredBy: Set<String> = []
            for _ in 0..<60 {
                let client = try await server.connect()
                let bodies = (0..<Int.random(in: 1..<30)).map {
                    "\($0)-" + String(repeating: "y", count: Int.random(in: 0..<400))
                }
                var bytes: [UInt8] = []
                for body in bodies {
                    let path = Int.random(in: 0..<4) == 0 ? "/v1/keys" : "/v1/events"
                    bytes += EchoServer.request("POST", path, body: body).utf8
                }
                bytes += EchoServer.request("GET", "/", ["Connection: close"]).utf8
                async let answers = client.answers()
                var start = 0
                while start < bytes.count {
                    let end = min(bytes.count, start + Int.random(in: 1..<800))
                    try await client.send(bytes[start..<end])
                    start = end
                }
                let all = try await answers
                #expect(all.map(\.body) == bodies + [""])
                answeredBy.formUnion(all.map(\.by))
            }
            #expect(answeredBy == ["handler", "hummingbird"])
        }
    }

    @Test("what is not HTTP is answered after the request before it, and ends the connection")
    func garbage() async throws {
        try await EchoServer.run { server in
            let client = try await server.connect()
            try await client.send(EchoServer.events("whole") + "nonsense\r\n\r\n")
            let answers = try await client.answers()
            #expect(answers.map(\.status) == [200, 400])
            #expect(answers.first?.body == "whole")
        }
    }

    @Test("a client that sends no more gets its answer")
    func halfClosed() async throws {
        let gate = Gate()
        try await EchoServer.run(before: { await gate.pass() }) { server in
            let client = try await server.connect()
            try await client.send(EchoServer.events("last words"))
            await gate.arrived()
            try await client.finish()
            await server.hasSeenEnd()
            gate.open()
            #expect(try await client.answers().map(\.body) == ["last words"])
        }
    }

    @Test("a server that stops answers what it has read, and ends the connection")
    func stopping() async throws {
        let gate = Gate()
        try await EchoServer.run(before: { await gate.pass() }) { server in
            let client = try await server.connect()
            try await client.send(EchoServer.events("under way"))
            await gate.arrived()
            async let stopped: Void = server.stop()
            await server.refuses()
            gate.open()
            #expect(try await client.answers().map(\.body) == ["under way"])
            try await stopped
        }
    }

    @Test("a client that does not wait for answers is read no faster than it is answered")
    func pace() async throws {
        // Each answer comes from elsewhere, as from the log, so that the event loop may read meanwhile.
        try await EchoServer.run(before: { await Task.detached {}.value }) { server in
            let client = try await server.connect()
            let request = EchoServer.events("")
            let count = 12_000
            async let sent: Void = client.send(String(repeating: request, count: count))
            for _ in 0..<count { #expect(try await client.answer()?.by == "handler") }
            try await sent
            // NIO reads four times at most before it lets others read, 64 KiB each; and some are being written.
            #expect(server.mostUnanswered <= 6 * (64 << 10) / request.utf8.count)
        }
    }
}

/// Answers wait for it.
private final class Gate: Sendable {
    private let (waiting, arrival) = AsyncStream<Void>.makeStream()
    private let (opened, opening) = AsyncStream<Void>.makeStream()

    func pass() async {
        arrival.yield()
        for await _ in opened { return }
    }

    func arrived() async { for await _ in waiting { return } }

    func open() { opening.finish() }
}

private struct EchoServer: Sendable {
    private let port: Int
    private let server: Server<EventLoopChannel>
    private let counter: Counter

    /// The most requests that were read and had no answer, on one connection.
    var mostUnanswered: Int { counter.most.withLock { $0 } }

    /// - Parameter before: done before the handler answers.
    static func run(
        before: @escaping @Sendable () async -> Void = {},
        _ work: @Sendable (EchoServer) async throws -> Void
    ) async throws {
        let counter = Counter()
        var configuration = EventLoopChannel.Configuration()
        configuration.handlers = { [counter.handler()] }
        configuration.events = { request, _ in
            let body = (try? await request.body.collect(upTo: 1 << 20)) ?? ByteBuffer()
            await before()
            return Response(status: .ok, headers: [by: "handler"], body: ResponseBody(byteBuffer: body))
        }
        let channel = EventLoopChannel(
            responder: { request, writer, _ in
                let body = try await request.body.collect(upTo: 1 << 20)
                let headers: HTTPFields = [by: "hummingbird", .contentLength: "\(body.readableBytes)"]
                try await writer.write(
                    response: HTTPResponse(status: .ok, headerFields: headers),
                    body: ResponseBody(byteBuffer: body)
                )
            },
            configuration: configuration
        )
        let (ports, found) = AsyncStream<Int>.makeStream()
        let server = Server(
            childChannelSetup: channel,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { found.yield($0.localAddress?.port ?? 0) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try #require(await ports.first { _ in true })
            try await work(EchoServer(port: port, server: server, counter: counter))
            group.cancelAll()
        }
    }

    func connect() async throws -> EchoClient { try await EchoClient(port) }

    func stop() async throws { try await server.shutdownGracefully() }

    /// Returns once a client said that nothing more comes.
    func hasSeenEnd() async { for await _ in counter.ends { return } }

    /// Returns once it takes no more connections.
    func refuses() async { while (try? await connect()) != nil { await Task.yield() } }

    static func events(_ body: String) -> String { request("POST", "/v1/events", body: body) }

    static func request(_ method: String, _ path: String, _ headers: [String] = [], body: String = "") -> String {
        let fields = ["\(method) \(path) HTTP/1.1", "Host: x"] + headers + ["Content-Length: \(body.utf8.count)"]
        return fields.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static let by = HTTPField.Name("By") ?? .accept
}

/// Counts requests without an answer, and notes that a client sends no more.
private final class Counter: Sendable {
    let most = Mutex(0)
    let (ends, ended) = AsyncStream<Void>.makeStream()

    func handler() -> Handler { Handler(self) }

    final class Handler: ChannelDuplexHandler {
        typealias InboundIn = HTTPRequestPart
        typealias InboundOut = HTTPRequestPart
        typealias OutboundIn = HTTPResponsePart
        typealias OutboundOut = HTTPResponsePart

        private let counter: Counter
        private var unanswered = 0

        init(_ counter: Counter) { self.counter = counter }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head = unwrapInboundIn(data) { unanswered += 1 }
            counter.most.withLock { $0 = max($0, unanswered) }
            context.fireChannelRead(data)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            context.fireUserInboundEventTriggered(event)
            if case .inputClosed? = event as? ChannelEvent { counter.ended.yield() }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .end = unwrapOutboundIn(data) { unanswered -= 1 }
            context.write(data, promise: promise)
        }
    }
}

/// A client that sends bytes as they are.
private final class EchoClient: Sendable {
    struct Answer {
        var status: Int
        var by: String
        var body: String
    }

    private let channel: any Channel
    private let pieces: AsyncStream<[UInt8]>
    private let unread = Mutex<(bytes: [UInt8], start: Int)>(([], 0))

    init(_ port: Int) async throws {
        let (pieces, came) = AsyncStream<[UInt8]>.makeStream()
        self.pieces = pieces
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(came)) }
            }
            .connect(host: "127.0.0.1", port: port)
            .get()
    }

    deinit { channel.close(promise: nil) }

    func send(_ text: String) async throws { try await send(Array(text.utf8)[...]) }

    func send(_ bytes: ArraySlice<UInt8>) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Says that nothing more comes.
    func finish() async throws { try await channel.close(mode: .output) }

    /// - Returns: the next answer; nil if the server closed the connection instead.
    func answer() async throws -> Answer? {
        while true {
            if let answer = unread.withLock({ Self.take(&$0.bytes, &$0.start) }) { return answer }
            guard let more = await pieces.first(where: { _ in true }) else { return nil }
            unread.withLock { $0 = ($0.bytes[$0.start...] + more, 0) }
        }
    }

    /// - Returns: all answers until the server closes the connection.
    func answers() async throws -> [Answer] {
        var all: [Answer] = []
        while let answer = try await answer() { all.append(answer) }
        return all
    }

    private static func take(_ bytes: inout [UInt8], _ start: inout Int) -> Answer? {
        guard let end = bytes[start...].firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[start..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        func field(_ name: String) -> String {
            let line = lines.first { $0.lowercased().hasPrefix(name + ": ") } ?? ""
            return String(line.dropFirst(name.count + 2))
        }
        let body = end.upperBound..<(end.upperBound + (Int(field("content-length")) ?? 0))
        guard body.upperBound <= bytes.count else { return nil }
        start = body.upperBound
        return Answer(
            status: Int(lines[0].split(separator: " ")[1]) ?? 0,
            by: field("by"),
            body: String(decoding: bytes[body], as: UTF8.self)
        )
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let came: AsyncStream<[UInt8]>.Continuation

        init(_ came: AsyncStream<[UInt8]>.Continuation) { self.came = came }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            came.yield(Array(unwrapInboundIn(data).readableBytesView))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent { came.finish() }
        }

        func channelInactive(context: ChannelHandlerContext) { came.finish() }
    }
}
