/// The first end of a token with a device: from then on its requests are kept.
package struct TokenEnd: Equatable, Sendable {
    package var endedAt: Moment
    /// Whether all requests since are kept. If not, they are looked for in the log.
    package var isWhole: Bool

    package init(endedAt: Moment, isWhole: Bool) {
        self.endedAt = endedAt
        self.isWhole = isWhole
    }

    /// What is stored once the first end was derived again; nil where it never came to an end.
    ///
    /// Events only bring an end forward. An erasure may break a tie in another way, and take it back.
    ///
    /// - Parameter derived: none if it never came to an end.
    package static func after(_ known: TokenEnd?, derived: Moment) -> TokenEnd? {
        if let known, !known.isWhole { return known }
        return derived == .none ? nil : TokenEnd(endedAt: derived, isWhole: true)
    }
}
