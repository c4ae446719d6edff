/// The files of `sql/` are missing or wrong, or a database's schema does not fit them.
public struct SchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in one sentence; without data.
    public var message: String

    /// - Parameter message: what is wrong, in one sentence.
    public init(_ message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
