internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOHTTP1
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
        var connection = EventLoopChannel.Configuration(idle: .seconds(settings.idleSeconds))
        connection.handlers = {
            [
                SeatHandler(connections), ContinueHandler(bodyBytes: bodyBytes), TimeoutHandler(timeouts),
                HangUpHandler(),
            ]
        }
        // A sender of events needs a handful of headers.
        connection.limits.maxHeaderFieldSize = 16 << 10
        connection.limits.maxHeaderListSize = 32 << 10
        connection.limits.maxHeaderFieldCount = 100
        connection.events = answeringWhole(logger)
        let plain = HTTPServerBuilder { [connection] in EventLoopChannel(responder: $0, configuration: connection) }
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

    /// Does for one request what Hummingbird's `Application` does.
    private func answeringWhole(_ logger: Logger) -> EventsHandler.Answer {
        let date = DateHeader()
        return { request, channel in
            var logger = logger
            logger[metadataKey: ServiceContext.idKey] = .stringConvertible(RequestID())
            let context = ServiceContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            var response: Response
            do { response = try await self.respond(to: request, context: context) } catch {
                logger.error("a request could not be answered", metadata: ["error": "\(error)"])
                response = Response(status: .internalServerError)
            }
            response.headers[.date] = date.now
            return response
        }
    }
}
