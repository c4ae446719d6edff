/// An event that the state of a token is made of, other than a push accepted.
package struct TokenEvent: Hashable, Sendable {
    package enum What: Sendable {
        case registered, unregistered, dead, misdirected

        package init?(_ word: UnsafeRawBufferPointer) {
            if word.isWord("registered") {
                self = .registered
            } else if word.isWord("unregistered") {
                self = .unregistered
            } else if word.isWord("dead") {
                self = .dead
            } else if word.isWord("misdirected") {
                self = .misdirected
            } else {
                return nil
            }
        }

        package var word: StaticString {
            switch self {
            case .registered: "registered"
            case .unregistered: "unregistered"
            case .dead: "dead"
            case .misdirected: "misdirected"
            }
        }
    }

    package var key: TokenKey
    /// Of a dead token: when APNs last knew it to be dead.
    package var at: Moment
    package var id: UUIDValue
    package var what: What

    package init(key: TokenKey, at: Moment, id: UUIDValue, what: What) {
        self.key = key
        self.at = at
        self.id = id
        self.what = what
    }

    package var tie: Tie { Tie(at: at, device: key.device, id: id) }
}
