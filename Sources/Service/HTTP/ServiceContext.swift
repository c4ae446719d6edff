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

    /// Gives the request's body no more time, as others wait for the memory that it holds.
    var cutBodyOff: @Sendable () -> Void {
        { [channel] in channel.pipeline.fireUserInboundEventTriggered(BodyCrowdedOut()) }
    }
}
