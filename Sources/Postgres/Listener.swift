public import Logging
internal import Pacing

/// Listens on channels over a connection of its own, for as long as its task runs, and reconnects by itself.
///
/// Notifications sent while it was disconnected are lost: a listener reads the state again on every ``Event/listening``.
public struct Listener: Sendable {
    /// What happened.
    public enum Event: Sendable, Equatable {
        /// The channels are listened to from now on.
        case listening
        /// A notification came.
        case notification(ServerNotification)
    }

    private let configuration: ConnectionConfiguration
    private let channels: [String]
    private let logger: Logger

    /// - Parameters:
    ///   - configuration: where to connect.
    ///   - channels: the channels' names.
    ///   - logger: told about lost connections.
    public init(_ configuration: ConnectionConfiguration, channels: [String], logger: Logger) {
        self.configuration = configuration
        self.channels = channels
        self.logger = logger
    }

    /// Listens until the task is cancelled.
    ///
    /// - Parameter handle: called for each event, one at a time.
    public func run(_ handle: @Sendable (Event) async -> Void) async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do {
                let connection = try await Connection.connect(configuration)
                for channel in channels { try await connection.listen(to: channel) }
                backoff.reset()
                await handle(.listening)
                while let notification = try await next(connection) { await handle(.notification(notification)) }
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning(
                    "the connection that listens for notifications failed and will be opened again: changes are noticed later, by polling",
                    metadata: ["error": "\(error)"]
                )
            }
            await backoff.wait()
        }
    }

    private func next(_ connection: Connection) async throws -> ServerNotification? {
        while true {
            if let notification = try await connection.waitForNotification(timeout: .seconds(30)) {
                return notification
            }
            // Nothing for a while: a statement finds out whether the server is still there.
            try await connection.query("SELECT 1")
        }
    }
}
