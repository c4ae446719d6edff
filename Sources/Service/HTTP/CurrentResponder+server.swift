internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

extension CurrentResponder {
    /// Creates the server.
    ///
    /// - Parameters:
    ///   - settings: its address and time limits.
    ///   - certificate: its certificate; nil for plain HTTP.
    ///   - connections: the seats of its connections.
    ///   - bodyBytes: the limit of a body.
    ///   - logger: its log.
    ///   - ready: called with the port once requests are answered.
    func server(
        _ settings: ServerSettings,
        _ certificate: ServerCertificate?,
        _ connections: Connections,
        bodyBytes: Int,
        logger: Logger,
        _ ready: @escaping @Sendable (Int) async -> Void
    ) throws -> some Service {
        let timeouts = ConnectionTimeouts(body: .seconds(Int64(settings.bodySeconds)))
        // A sender of events needs a handful of headers.
        let headers = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: 16 << 10,
            maxHeaderListSize: 32 << 10,
            maxHeaderFieldCount: 100
        )
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                SeatHandler(connections), ContinueHandler(bodyBytes: bodyBytes), TimeoutHandler(timeouts),
                HangUpHandler(),
            ],
            idleTimeout: .seconds(Int64(settings.idleSeconds)),
            httpDecoderConfiguration: headers
        )
        let plain = HTTPServerBuilder { EventLoopChannel(responder: $0, configuration: configuration) }
        return Application(
            responder: self,
            server: try certificate.map { try .tls(plain, tlsConfiguration: $0.tlsConfiguration) } ?? plain,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port),
                backlog: 1024
            ),
            onServerRunning: { channel in await ready(channel.localAddress?.port ?? 0) },
            logger: logger
        )
    }
}
