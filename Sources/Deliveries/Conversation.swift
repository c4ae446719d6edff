internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A connection to a receiver, of which lines are read.
struct Conversation {
    /// Where to connect to.
    struct Peer: Sendable {
        var host: String
        var port: Int
        /// Whether the connection begins with TLS.
        var isSecure: Bool
        /// Whether the address may be private.
        var allowsPrivate: Bool
    }

    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let channel: any Channel
    private let tls: NIOSSLContext
    private let host: String
    private let limit: TimeLimit
    private var rest = ByteBuffer()
    /// The bytes taken from the iterator.
    private var taken = 0

    /// The bytes that a line has at most.
    private static let longestLine = 8192

    /// Names are looked up by threads of their own, one for each delivery under way: a name server that does not answer keeps its
    /// thread busy, and neither another's delivery nor anything else that blocks waits for that thread.
    private static let lookingUp: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: Int(Deliverer.atATime))
        pool.start()
        return pool
    }()

    /// Connects, and ends the connection afterwards, or after a time.
    ///
    /// - Parameter seconds: the time, unless ``allow(seconds:)`` gives more.
    /// - Throws: ``DeliveryFailure``.
    static func with<Value: Sendable>(
        _ peer: Peer,
        tls: NIOSSLContext,
        seconds: Int,
        _ body: @escaping @Sendable (inout Conversation) async throws -> Value
    ) async throws(DeliveryFailure) -> Value {
        let limit = TimeLimit(seconds: seconds)
        do {
            return try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask { try await connected(peer, tls, seconds, limit, body) }
                group.addTask {
                    let seconds = try await limit.passed()
                    throw DeliveryFailure("no answer within \(seconds) s")
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw DeliveryFailure("the attempt was cancelled") }
                return value
            }
        } catch let failure as DeliveryFailure {
            throw failure
        } catch NIOSSLError.uncleanShutdown {
            throw DeliveryFailure("the receiver closed the connection before it answered")
        } catch is NIOSSLError {
            throw DeliveryFailure("TLS failed: the certificate is not trusted, or not of this host")
        } catch is CancellationError {
            throw DeliveryFailure("the attempt was cancelled")
        } catch let error as IOError {
            // Its text may have the address.
            throw DeliveryFailure("the connection failed: \(String(cString: strerror(error.errnoCode)))")
        } catch {
            throw DeliveryFailure("the connection failed")
        }
    }

    private static func connected<Value: Sendable>(
        _ peer: Peer,
        _ tls: NIOSSLContext,
        _ seconds: Int,
        _ limit: TimeLimit,
        _ body: @Sendable (inout Conversation) async throws -> Value
    ) async throws -> Value {
        let address = try await resolved(peer)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(Int64(seconds)))
            .connect(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if peer.isSecure {
                        try channel.pipeline.syncOperations.addHandler(Self.handler(tls, peer.host))
                    }
                    try channel.pipeline.syncOperations.addHandler(Arrivals())
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var conversation = Conversation(
                iterator: inbound.makeAsyncIterator(),
                outbound: outbound,
                channel: channel.channel,
                tls: tls,
                host: peer.host,
                limit: limit
            )
            return try await body(&conversation)
        }
    }

    /// Waits for what blocks a thread no longer than the task runs. The thread is busy until it has ended.
    static func lookUp<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let (results, result) = AsyncStream<Result<Value, any Error>>.makeStream()
        lookingUp.submit { _ in
            result.yield(Result(catching: body))
            result.finish()
        }
        for await found in results { return try found.get() }
        throw CancellationError()
    }

    /// The address that is connected to is the one that was looked at, so that a name cannot change its mind in between.
    private static func resolved(_ peer: Peer) async throws -> SocketAddress {
        let (host, port) = (peer.host, peer.port)
        let address: SocketAddress
        do {
            address = try await lookUp { try SocketAddress.makeAddressResolvingHost(host, port: port) }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw DeliveryFailure("the host has no address")
        }
        guard peer.allowsPrivate || !address.isPrivate else {
            throw DeliveryFailure(
                "the host has a private address; set delivery.private_receivers to allow it"
            )
        }
        return address
    }

    private static func handler(_ tls: NIOSSLContext, _ host: String) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : host)
    }

    /// Gives what is still to come some seconds from now.
    func allow(seconds: Int) {
        limit.set(seconds: seconds)
    }

    /// Sends text.
    func send(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    /// The next line, without its end.
    ///
    /// - Throws: ``DeliveryFailure`` if the connection ends before, or the line is too long.
    mutating func line() async throws -> String {
        while true {
            let end = rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n"))
            let length = (end ?? rest.writerIndex) - rest.readerIndex
            guard length <= Self.longestLine else { throw DeliveryFailure("the receiver's answer is too long") }
            if end != nil {
                var line = rest.readString(length: length) ?? ""
                rest.moveReaderIndex(forwardBy: 1)
                if line.hasSuffix("\r") { line.removeLast() }
                return line
            }
            guard var more = try await iterator.next() else {
                throw DeliveryFailure("the receiver closed the connection before it answered")
            }
            taken += more.readableBytes
            rest.discardReadBytes()
            rest.writeBuffer(&more)
        }
    }

    /// Goes on with TLS.
    ///
    /// - Throws: ``DeliveryFailure`` if there is more to read: what came without TLS is not taken for an answer with it.
    func secure() async throws {
        let (channel, tls, host) = (channel, tls, host)
        let used = taken - rest.readableBytes
        try await channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            // In the step that adds TLS, so that nothing arrives in between; what is on its way to `line()` counts too.
            guard try pipeline.handler(type: Arrivals.self).bytes == used else {
                throw DeliveryFailure("the mail server sent more than its answer to STARTTLS")
            }
            try pipeline.addHandler(Self.handler(tls, host), position: .first)
        }.get()
    }
}

/// Counts the bytes that arrived, on the channel's event loop.
private final class Arrivals: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private(set) var bytes = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }
}

/// When a conversation ends that is not over by itself.
private final class TimeLimit: Sendable {
    private struct State {
        var end: ContinuousClock.Instant
        var seconds: Int
    }

    private let state: Mutex<State>

    init(seconds: Int) {
        state = Mutex(State(end: ContinuousClock.now + .seconds(seconds), seconds: seconds))
    }

    /// Sets it to so many seconds from now.
    func set(seconds: Int) {
        state.withLock { $0 = State(end: ContinuousClock.now + .seconds(seconds), seconds: seconds) }
    }

    /// Waits until it has passed, whatever it is set to meanwhile.
    ///
    /// - Returns: the seconds that it was set to.
    func passed() async throws -> Int {
        while true {
            let (end, seconds) = state.withLock { ($0.end, $0.seconds) }
            guard end > ContinuousClock.now else { return seconds }
            try await ContinuousClock().sleep(until: end)
        }
    }
}
