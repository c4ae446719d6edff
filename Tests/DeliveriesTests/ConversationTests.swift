import Dispatch
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import Deliveries

@Suite("Deliveries: what receivers answer")
struct ConversationTests {
    /// A receiver that answers before it is asked, and closes the connection.
    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let answer: String

        init(_ answer: String) {
            self.answer = answer
        }

        func channelActive(context: ChannelHandlerContext) {
            let channel = context.channel
            channel.writeAndFlush(ByteBuffer(string: answer)).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    /// The first line that is read of an answer.
    private static func firstLine(of answer: String) async throws -> String {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answering(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        defer { server.close(promise: nil) }
        let peer = Conversation.Peer(
            host: "127.0.0.1",
            port: try #require(server.localAddress?.port),
            isSecure: false,
            allowsPrivate: true
        )
        let tls = try NIOSSLContext(configuration: .makeClientConfiguration())
        return try await Conversation.with(peer, tls: tls, seconds: 60) { conversation in
            try await conversation.line()
        }
    }

    @Test("a line of an answer has 8 KiB at most: of a longer one no more is read")
    func longLine() async throws {
        let line = String(repeating: "x", count: 8192)
        #expect(try await Self.firstLine(of: line + "\n") == line)
        for longer in [line + "x", line + "x\n"] {
            await #expect(throws: DeliveryFailure("the receiver's answer is too long")) {
                try await Self.firstLine(of: longer)
            }
        }
    }

    @Test("a name server that does not answer holds nobody longer than the attempt's time", .timeLimit(.minutes(2)))
    func hangingLookUp() async throws {
        let answer = DispatchSemaphore(value: 0)
        let attempt = Task { try await Conversation.lookUp { answer.wait() } }
        attempt.cancel()
        await #expect(throws: CancellationError.self) { try await attempt.value }
        answer.signal()
        let found = try await Conversation.lookUp { 4 }
        #expect(found == 4)
    }
}
