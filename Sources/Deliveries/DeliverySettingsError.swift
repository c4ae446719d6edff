/// Why nothing can be delivered with these settings.
public struct DeliverySettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in one sentence that says what to do.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
