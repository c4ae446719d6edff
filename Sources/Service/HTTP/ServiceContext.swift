internal import Hummingbird
internal import NIOCore

/// What Hummingbird keeps beside a request.
struct ServiceContext: RequestContext {
    /// Where a request's logger has the id that `RequestContext.id` reads.
    static let idKey = "hb.request.id"

    var coreContext: CoreRequestContextStorage
    private let channel: any Channel

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The key of its connection's seat.
    var connection: ObjectIdentifier { ObjectIdentifier(channel) }

    /// Cancels work if the client hangs up before its answer.
    func end(_ work: AbandonableWork) {
        channel.pipeline.fireUserInboundEventTriggered(work)
    }

    /// Cuts off the request's body, because others wait for the memory that it holds.
    var cutBodyOff: @Sendable () -> Void {
        { [channel] in channel.pipeline.fireUserInboundEventTriggered(BodyCrowdedOut()) }
    }
}
