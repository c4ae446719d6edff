import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import PlainHTTP
import ServiceLifecycle
import Testing

@testable import Service

@Suite("Event loops")
struct EventLoopTests {
    @Test("a task with an event loop for its executor stays on it, whoever resumes it")
    func executor() async {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        await withTaskExecutorPreference(EventLoopExecutor(loop)) {
            #expect(loop.inEventLoop)
            await withCheckedContinuation { continuation in Task.detached { continuation.resume() } }
            #expect(loop.inEventLoop)
        }
    }

    @Test("small bodies are answered on the connection's event loop, all else is not, on one connection in turn")
    func requests() async throws {
        // Answers 200 on the event loop and 202 elsewhere.
        let channel = EventLoopChannel(
            responder: { request, writer, channel in
                _ = try await request.body.collect(upTo: 1 << 20)
                try await writer.writeResponse(HTTPResponse(status: channel.eventLoop.inEventLoop ? .ok : .accepted))
            },
            configuration: .init()
        )
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = channel.server(
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "test")
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let number = try #require(await ports.first { _ in true })
            let client = try await HTTPConnection.connect(HTTPAddress(host: "127.0.0.1", port: number))
            let small = [UInt8](repeating: 0x20, count: EventLoopChannel.smallBody)
            #expect(try await client.send("POST", "/", body: small).status == 200)
            #expect(try await client.send("POST", "/", body: small + [0x20]).status == 202)
            #expect(
                try await client.send("POST", "/", headers: [("Content-Encoding", "gzip")], body: [1]).status == 202
            )
            #expect(try await client.send("GET", "/").status == 202)
            #expect(try await client.send("POST", "/", headers: [("Transfer-Encoding", "chunked")]).status == 202)
            #expect(try await client.send("POST", "/", body: [1]).status == 200)
            await client.close()
            group.cancelAll()
        }
    }

    @Test("a header has the value that the subscript gives")
    func headers() {
        var fields: HTTPFields = [.accept: "one", .contentType: "application/json"]
        #expect(fields.value(.contentType) == "application/json")
        #expect(fields.value(.expect) == nil)
        fields.append(HTTPField(name: .accept, value: "two"))
        #expect(fields.value(.accept) == "one, two")
    }

    @Test(
        "the header Date has the form of RFC 9110",
        arguments: [(784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT")]
    )
    func date(second: Int, text: String) { #expect(DateHeader.text(second) == text) }
}
