/// Why a private server could not be started or stopped; the message says what to do.
public struct PrivatePostgresError: Error, Sendable, CustomStringConvertible {
    /// What happened, in one sentence.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ message: String) {
        self.message = message
    }
}
