/// What is derived of a token with a device.
package struct TokenRow: Equatable, Sendable {
    package enum State: Sendable {
        case active, superseded, moved, invalidated, misdirected

        package init?(_ word: UnsafeRawBufferPointer) {
            if word.isWord("active") {
                self = .active
            } else if word.isWord("superseded") {
                self = .superseded
            } else if word.isWord("moved") {
                self = .moved
            } else if word.isWord("invalidated") {
                self = .invalidated
            } else if word.isWord("misdirected") {
                self = .misdirected
            } else {
                return nil
            }
        }

        package var word: StaticString {
            switch self {
            case .active: "active"
            case .superseded: "superseded"
            case .moved: "moved"
            case .invalidated: "invalidated"
            case .misdirected: "misdirected"
            }
        }
    }

    package var state: State
    package var registeredAt: Moment
    package var lastRegisteredAt: Moment
    /// None while it is active or misdirected.
    package var endedAt: Moment

    package init(state: State, registeredAt: Moment, lastRegisteredAt: Moment, endedAt: Moment = .none) {
        self.state = state
        self.registeredAt = registeredAt
        self.lastRegisteredAt = lastRegisteredAt
        self.endedAt = endedAt
    }
}
