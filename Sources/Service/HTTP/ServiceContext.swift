internal import Hummingbird
internal import NIOCore

/// What Hummingbird keeps beside a request.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    private let channel: any Channel

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The key of its connection's seat.
    var connection: ObjectIdentifier { ObjectIdentifier(channel) }

    /// Has work cancelled where the client hangs up before its answer.
    func end(_ work: Awaited) {
        channel.pipeline.fireUserInboundEventTriggered(work)
    }

    /// Gives the request's body no more time, as others wait for the memory that it holds.
    var cutBodyOff: @Sendable () -> Void {
        { [channel] in channel.pipeline.fireUserInboundEventTriggered(BodyCrowdedOut()) }
    }
}
