/// Why the service does not start, or does not take what it was told to reload.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in one sentence that says what to do next.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ message: String) {
        self.message = message
    }
}
