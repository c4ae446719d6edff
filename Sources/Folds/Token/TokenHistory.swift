/// The states of tokens, from what was ever said of them.
///
/// It has to know every event of a token, and every registration of a device, whose state is asked.
package struct TokenHistory: Sendable {
    /// A token with a device from its last registration on.
    private struct Life: Sendable {
        var first: Tie
        let last: Tie
        /// The next registration of the device under the same use: of another token.
        var superseded: Tie?
        /// The next registration of the token, by another device.
        var moved: Tie?
        /// The same after the first registration.
        var firstSuperseded: Tie?
        var firstMoved: Tie?
    }

    /// The registrations of a token under one use, whichever activity.
    private struct Passage: Hashable {
        var token: TokenID
        var use: TokenUse

        init(_ key: TokenKey) {
            token = key.id
            use = key.use
            use.activity = .empty
        }
    }

    private struct Slot: Hashable {
        var owner: TokenDevice
        var use: TokenUse
    }

    private struct Withdrawal: Hashable {
        var token: ProviderToken
        var device: Symbol
    }

    private var lives: [TokenKey: Life] = [:]
    private var deaths: [ProviderToken: [Tie]] = [:]
    private var withdrawals: [Withdrawal: [Tie]] = [:]
    private var misdirected: [ProviderToken: Tie] = [:]

    /// - Parameters:
    ///   - events: each once, in any order.
    ///   - names: the table that devices are symbols of.
    package init(_ events: some Collection<TokenEvent>, _ names: borrowing SymbolTable) {
        var passages: [Passage: [TokenEvent]] = [:]
        var slots: [Slot: [TokenEvent]] = [:]
        for event in events {
            let token = event.key.providerToken
            switch event.what {
            case .registered:
                passages[Passage(event.key), default: []].append(event)
                slots[Slot(owner: event.key.owner, use: event.key.use), default: []].append(event)
            case .unregistered:
                withdrawals[Withdrawal(token: token, device: event.key.device), default: []].append(event.tie)
            case .dead: deaths[token, default: []].append(event.tie)
            case .misdirected:
                // The last one decides: it comes after a registration and after a push accepted if any does.
                if let known = misdirected[token], event.tie.isBefore(known, names) { continue }
                misdirected[token] = event.tie
            }
        }
        for token in deaths.keys { deaths[token]?.order(names) }
        for withdrawal in withdrawals.keys { withdrawals[withdrawal]?.order(names) }
        for registrations in passages.values { read(passage: registrations.ordered(names)) }
        for registrations in slots.values { read(slot: registrations.ordered(names)) }
    }

    /// The registrations of one token, the last one first.
    private mutating func read(passage registrations: [TokenEvent]) {
        var stay: Symbol?
        var (first, next): (Tie?, Tie?) = (nil, nil)  // of the stay with a device, and of the one after it
        for event in registrations.reversed() {
            if event.key.device != stay {
                next = first
                stay = event.key.device
            }
            first = event.tie
            var life = lives[event.key] ?? Life(first: event.tie, last: event.tie, moved: next)
            (life.first, life.firstMoved) = (event.tie, next)
            lives[event.key] = life
        }
    }

    /// The registrations of one device under one use.
    private mutating func read(slot registrations: [TokenEvent]) {
        // What comes after a token's own last registration is of another token.
        for (event, next) in zip(registrations, registrations.dropFirst()) where lives[event.key]?.last == event.tie {
            lives[event.key]?.superseded = next.tie
        }
        var token: Symbol?
        var (first, next): (Tie?, Tie?) = (nil, nil)  // of a token's turn, and of the turn after it
        for event in registrations.reversed() {
            if event.key.token != token {
                next = first
                token = event.key.token
            }
            first = event.tie
            lives[event.key]?.firstSuperseded = next
        }
    }

    /// The tokens that were said to be misdirected: of these the newest push accepted has to be known.
    package var misdirectedTokens: Dictionary<ProviderToken, Tie>.Keys { misdirected.keys }

    /// The row of a token with a device that registered it; nil where none did.
    ///
    /// - Parameters:
    ///   - accepted: the newest push accepted for a token.
    package func row(_ key: TokenKey, accepted: [ProviderToken: Tie], _ names: borrowing SymbolTable) -> TokenRow? {
        guard let life = lives[key] else { return nil }
        var row = TokenRow(state: .active, registeredAt: life.first.at, lastRegisteredAt: life.last.at)
        // The first end after the last registration stands until the token is registered again.
        var ended: Tie?
        func end(_ state: TokenRow.State, _ tie: Tie?) {
            guard let tie else { return }
            if let ended, !tie.isBefore(ended, names) { return }
            (row.state, row.endedAt, ended) = (state, tie.at, tie)
        }
        let withdrawal = Withdrawal(token: key.providerToken, device: key.device)
        end(.superseded, life.superseded)
        end(.moved, life.moved)
        end(.invalidated, deaths[key.providerToken]?.first(after: life.last, names))
        end(.invalidated, withdrawals[withdrawal]?.first(after: life.last, names))
        if ended == nil, let last = misdirected[key.providerToken], life.last.isBefore(last, names) {
            let isUndone = accepted[key.providerToken].map { last.isBefore($0, names) } ?? false
            if !isUndone { row.state = .misdirected }
        }
        return row
    }

    /// When tokens came to an end with devices for the first time, under whichever key, whether or not they were registered again;
    /// none of those that never did.
    package func firstEnds(of keys: some Sequence<TokenKey>, _ names: borrowing SymbolTable) -> [HeldToken: Moment] {
        var result: [HeldToken: Moment] = [:]
        for key in keys {
            guard let life = lives[key] else { continue }
            let withdrawal = Withdrawal(token: key.providerToken, device: key.device)
            let ends = [
                life.firstSuperseded, life.firstMoved, deaths[key.providerToken]?.first(after: life.first, names),
                withdrawals[withdrawal]?.first(after: life.first, names),
            ]
            result[key.held] = ends.compactMap { $0?.at }.reduce(result[key.held] ?? .none, min)
        }
        return result
    }
}

extension [TokenEvent] {
    fileprivate func ordered(_ names: borrowing SymbolTable) -> [TokenEvent] {
        sorted { $0.tie.isBefore($1.tie, names) }
    }
}

extension [Tie] {
    fileprivate mutating func order(_ names: borrowing SymbolTable) {
        sort { $0.isBefore($1, names) }
    }

    /// The first after another, of those in order.
    fileprivate func first(after tie: Tie, _ names: borrowing SymbolTable) -> Tie? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if tie.isBefore(self[middle], names) { high = middle } else { low = middle + 1 }
        }
        return low < endIndex ? self[low] : nil
    }
}
