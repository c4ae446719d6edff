import PrivatePostgres

extension PrivatePostgres {
    /// Starts the server again after `stop(_:)` or `kill()`, on the same data and socket.
    func restart() async throws {
        try await launch()
    }
}
