/// What the events of a batch say of tokens, and whose states they bear on.
package struct TokenBatch: Sendable {
    /// All but the pushes accepted.
    package private(set) var events: Set<TokenEvent> = []
    /// The newest push accepted for a token: all that is needed of the many.
    package private(set) var accepted: [ProviderToken: Tie] = [:]
    /// The tokens that have to be looked at although nothing new was said of them.
    package private(set) var again: Set<TokenID> = []

    package init() {}

    /// Takes in a `token` or a `push_result`.
    ///
    /// - Parameters:
    ///   - tie: where the event stands in the tie order.
    ///   - isKnown: it was taken in before; an erasure has changed where in the tie order it stands.
    ///   - data: the event's `data`, as JSON text.
    /// - Throws: ``FoldError/value``.
    package mutating func take(
        _ kind: Event.Kind,
        of token: TokenID,
        _ tie: Tie,
        isKnown: Bool,
        data: UnsafeRawBufferPointer,
        _ symbols: inout Symbols
    ) throws(FoldError) {
        let answer = PushAnswer(data, &symbols)
        var at = tie.at
        let what: TokenEvent.What
        switch (kind, answer.verdict) {
        case (.pushResult, .accepted?):
            if isKnown { again.insert(token) }
            return accept(ProviderToken(id: token, provider: answer.provider), tie, symbols)
        case (.pushResult, .dead?):
            what = .dead
            let deadAt = try answer.deadAt(symbols)
            if deadAt != .none { at = deadAt }
        case (.pushResult, .misdirected?): what = .misdirected
        case (.token, _):
            guard let state = data.member("state") else { return }
            if state.isString("registered") {
                what = .registered
            } else if state.isString("unregistered") {
                what = .unregistered
            } else {
                return
            }
        default: return
        }
        if isKnown { again.insert(token) }
        let key = TokenKey(app: token.app, device: tie.device, use: answer.use(&symbols), token: token.token)
        events.insert(TokenEvent(key: key, at: at, id: tie.id, what: what))
    }

    private mutating func accept(_ token: ProviderToken, _ tie: Tie, _ symbols: borrowing Symbols) {
        if let known = accepted[token], !known.isBefore(tie, symbols.names) { return }
        accepted[token] = tie
    }

    /// The devices that registered a token: the states of all their tokens may change.
    package var devices: Set<TokenDevice> { Set(events.lazy.filter { $0.what == .registered }.map(\.key.owner)) }

    /// The tokens of which a state may change with any device.
    package var tokens: Set<TokenID> { again.union(events.lazy.map(\.key.id)) }

    /// The keys that are registered.
    package var registered: Set<TokenKey> { Set(events.lazy.filter { $0.what == .registered }.map(\.key)) }
}

extension PushAnswer {
    /// For what the token is: events of tokens say that in the same members.
    fileprivate func use(_ symbols: inout Symbols) -> TokenUse {
        let type = type == .none ? symbols.names.symbol(of: "alert") : type
        let several =
            switch symbols.names.string(type) {
            case "activity_update": activity
            case "push_to_start": attributesType
            case "control": controlKind
            default: Symbol.none
            }
        return TokenUse(
            provider: provider,
            type: type,
            topic: topic.orEmpty,
            environment: environment == .none ? symbols.names.symbol(of: "production") : environment,
            activity: several.orEmpty
        )
    }
}
