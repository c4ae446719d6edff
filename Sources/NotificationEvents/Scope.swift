/// What a key may do.
public enum Scope: String, Sendable, CaseIterable {
    /// In apps, and so extractable: sends events, but neither `push_result` nor requests of `origin: provider`.
    case write
    /// Senders of pushes: sends events of every kind.
    case provider
    /// Reads reports, exports, devices and notifications.
    case read
    /// May do everything, erasure included.
    case admin

    /// Whether a key of this scope may send events that only a provider can know.
    public var maySpeakForProvider: Bool {
        self == .provider || self == .admin
    }
}
