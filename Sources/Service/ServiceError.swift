/// Why the service does not start, or does not reload its certificate.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong and what to do, in one sentence.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ message: String) {
        self.message = message
    }
}
