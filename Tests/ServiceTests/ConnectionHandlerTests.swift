import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Synchronization
import Testing

@testable import Service

/// What the handlers of a connection do with clients that do not read, go away, or send without end.
@Suite("Handlers of a connection", .timeLimit(.minutes(5)))
struct ConnectionHandlerTests {
    @Test("as long as a client does not read its answers, no further request is answered")
    func unread() async throws {
        let events = try await AnsweredEvents()
        events.channel.isWritable = false
        try await events.read(3)
        try await events.answered()
        await events.settle()
        #expect(events.begun == 1)
        events.channel.isWritable = true
        try await events.onLoop { $0.fireChannelWritabilityChanged() }
        for _ in 0..<2 { try await events.answered() }
        #expect(events.begun == 3)
    }

    @Test("what came on a connection that is gone is not answered")
    func gone() async throws {
        let events = try await AnsweredEvents(waits: true)
        try await events.read(3)
        await events.first()
        try await events.onLoop { [events] _ in events.channel.close(promise: nil) }
        events.goOn()
        await events.settle()
        #expect(events.begun == 1)
    }

    @Test("once the output is closed, requests go to Hummingbird, which ends the connection")
    func outputClosed() async throws {
        let events = try await AnsweredEvents()
        try await events.onLoop { $0.fireUserInboundEventTriggered(ChannelEvent.outputClosed) }
        try await events.read(1)
        guard case .head? = try await events.channel.readInbound(as: HTTPRequestPart.self) else {
            Issue.record("the request was not passed on")
            return
        }
        #expect(events.begun == 0)
    }

    @Test("a connection with too many requests that have no answer is closed")
    func tooMany() throws {
        let channel = EmbeddedChannel(handler: TimeoutHandler(ConnectionTimeouts(), mostUnanswered: 10))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for _ in 0..<10 {
            for part in AnsweredEvents.request { try channel.writeInbound(part) }
        }
        #expect(channel.isActive)
        for part in AnsweredEvents.request { try channel.writeInbound(part) }
        #expect(!channel.isActive)
        var passed = 0
        while try channel.readInbound(as: HTTPRequestPart.self) != nil { passed += 1 }
        #expect(passed == 20)
    }

    @Test("the time for a body begins once the requests before it are answered: until then none of it may be read")
    func bodyAfterAnswer() throws {
        let timeouts = ConnectionTimeouts()
        let channel = EmbeddedChannel(handler: TimeoutHandler(timeouts))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for part in AnsweredEvents.request + AnsweredEvents.request.prefix(1) { try channel.writeInbound(part) }
        channel.embeddedEventLoop.advanceTime(by: timeouts.body * 2)
        try channel.throwIfErrorCaught()
        for part in [HTTPResponsePart.head(HTTPResponse(status: .ok)), .end(nil)] { try channel.writeOutbound(part) }
        channel.embeddedEventLoop.advanceTime(by: timeouts.body - .seconds(1))
        try channel.throwIfErrorCaught()
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(throws: SlowRequest.self) { try channel.throwIfErrorCaught() }
    }

    @Test("an answer to HEAD has no chunk, so that what comes after it is the next answer")
    func head() throws {
        let framed = try FramedAnswers("HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try framed.answer(nil) == "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        let next = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        #expect(try framed.answer("ok") == next)
    }

    @Test("an answer to a client of HTTP/1.0 has no chunks, and the connection ends after it")
    func old() throws {
        let request = "GET / HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n\r\n"
        let framed = try FramedAnswers(request)
        let asked = try #require(try framed.head())
        #expect(asked.headers["connection"] == ["close"] && !asked.headers.contains(name: "expect"))
        #expect(try framed.answer("ok") == "HTTP/1.0 200 OK\r\nconnection: close\r\n\r\nok")
        let known = "HTTP/1.0 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"
        #expect(try FramedAnswers(request).answer("ok", ["content-length": "2"]) == known)
    }
}

/// A connection on which requests came, as far as their answers are framed.
private struct FramedAnswers {
    private let channel: EmbeddedChannel

    init(_ requests: String) throws {
        channel = EmbeddedChannel(handlers: [
            HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), FramingHandler(),
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(ByteBuffer(string: requests))
    }

    /// The head of the next request, as it is passed on.
    func head() throws -> HTTPRequestHead? {
        guard case .head(let head)? = try channel.readInbound(as: HTTPServerRequestPart.self) else { return nil }
        return head
    }

    /// Answers the next request.
    ///
    /// - Returns: what is sent.
    func answer(_ body: String?, _ headers: HTTPHeaders = [:]) throws -> String {
        try channel.writeOutbound(
            HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers))
        )
        if let body { try channel.writeOutbound(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: body)))) }
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        var sent = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { sent += String(buffer: bytes) }
        return sent
    }
}

/// A connection whose requests are answered by the handler alone.
private final class AnsweredEvents: Sendable {
    static let request: [HTTPRequestPart] = [
        .head(
            HTTPRequest(
                method: .post,
                scheme: nil,
                authority: nil,
                path: "/v1/events",
                headerFields: [.contentLength: "0"]
            )
        ), .end(nil),
    ]

    let channel = NIOAsyncTestingChannel()
    private let count = Mutex(0)
    private let (opened, opening) = AsyncStream<Void>.makeStream()

    /// - Parameter waits: whether answers wait for ``goOn()``.
    init(waits: Bool = false) async throws {
        if !waits { opening.finish() }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
        try await onLoop { [self] pipeline in
            try pipeline.addHandler(
                EventsHandler(on: channel.eventLoop) { [self] _, _ in
                    count.withLock { $0 += 1 }
                    for await _ in opened { break }
                    return Response(status: .ok)
                }
            )
        }
    }

    /// How many requests the handler began to answer.
    var begun: Int { count.withLock { $0 } }

    func onLoop(_ work: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void) async throws {
        try await channel.testingEventLoop.executeInContext { [channel] in try work(channel.pipeline.syncOperations) }
    }

    /// Lets requests come whole, in one read.
    func read(_ requests: Int) async throws {
        try await onLoop { pipeline in
            for _ in 0..<requests { for part in Self.request { pipeline.fireChannelRead(NIOAny(part)) } }
            pipeline.fireChannelReadComplete()
        }
    }

    /// Returns once the first request is being answered.
    func first() async { while begun == 0 { await turn() } }

    func goOn() { opening.finish() }

    /// Takes an answer.
    func answered() async throws {
        while true {
            if case .end = try await channel.waitForOutboundWrite(as: HTTPResponsePart.self) { return }
        }
    }

    /// Lets the event loop do what there is to do, many times over.
    func settle() async {
        for _ in 0..<1_000 { await turn() }
    }

    private func turn() async {
        await Task.yield()
        await channel.testingEventLoop.run()
    }
}
