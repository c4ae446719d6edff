internal import Folds
internal import Postgres

/// Applies a range of the log to the group of `device_token`: stores the range's token events, and derives the states that they
/// affect again from all events of those tokens. It keeps the requests that were sent to tokens after they had come to an end.
final class TokenFold: Fold {
    private let range: FoldRange
    private var symbols = Symbols()
    private var batch = TokenBatch()

    private init(_ range: FoldRange) {
        self.range = range
    }

    static func read(_ range: FoldRange, on connection: isolated Connection) async throws -> TokenFold {
        let fold = TokenFold(range)
        try await fold.read(on: connection)
        return fold
    }

    func apply(sliceRows: Int32?, on connection: isolated Connection) async throws {
        if range.isEmpty { try await FoldTables.insertNothingOfDeviceToken(on: connection) }
        let accepted = try await writeAccepted(on: connection)
        try await FoldTables.tokenEvent.insertMissing(Array(batch.events), symbols, on: connection)
        try await keepRequests(on: connection)
        let excess = try await takeExcessAway(on: connection)
        let known = try await knownRows(accepted, on: connection)
        let registered = batch.registered.filter {
            !excess.devices.contains($0.owner) && !excess.tokens.contains($0.id)
        }
        try await derive(registered.union(known.keys), known, on: connection)
    }

    private func read(on connection: isolated Connection) async throws {
        try await range.read(from: "token_events_said", on: connection) { try take($0, isKnown: false) }
        for row in try await range.rows(from: "projection.copies_of_tokens", on: connection) {
            try take(row, isKnown: false)
        }
        // Device ids break ties, so token events of erased devices are considered again.
        for row in try await range.rows(from: "log.erased_token_events", on: connection) {
            try take(row, isKnown: true)
        }
    }

    private func take(_ row: Row, isKnown: Bool) throws {
        let event = FoldEvent(row, &symbols)
        let tie = Tie(at: event.at, device: event.device, id: event.id)
        try event.withData {
            let token = TokenID(app: event.app, token: event.token)
            try batch.take(event.kind, of: token, tie, isKnown: isKnown, data: $0, &symbols)
        }
    }

    /// Writes the newest pushes accepted.
    ///
    /// - Returns: the tokens whose newest accepted push changed.
    private func writeAccepted(on connection: isolated Connection) async throws -> Set<TokenID> {
        let known = try await knownAccepted(Array(batch.accepted.keys), on: connection)
        let newer = batch.accepted.filter { token, tie in
            known[token].map { $0.isBefore(tie, symbols.names) } ?? true
        }
        try await FoldTables.tokenAccepted.write(
            Array(newer),
            exists: { known[$0.key] != nil },
            symbols,
            on: connection
        )
        return Set(newer.keys.map(\.id))
    }

    /// Deletes the states of the batch's devices and tokens that now exceed the bound.
    ///
    /// - Returns: those of the batch that exceed it, with those that did before.
    private func takeExcessAway(on connection: isolated Connection) async throws
        -> (devices: Set<TokenDevice>, tokens: Set<TokenID>)
    {
        let devices = Array(Set(batch.events.lazy.map(\.key.owner)).filter { $0.device != .empty })
        let tokens = Array(Set(batch.events.lazy.map(\.key.id)))
        let deviceExcess = try await excess(
            devices,
            "devices_in_excess",
            FoldTables.deviceExcess,
            on: connection
        )
        let tokenExcess = try await excess(
            tokens,
            "tokens_in_excess",
            FoldTables.tokenExcess,
            on: connection
        )
        try await FoldTables.tokensOfDevice.delete(deviceExcess.new, symbols, on: connection)
        try await FoldTables.devicesOfToken.delete(tokenExcess.new, symbols, on: connection)
        try await FoldTables.endsOfDevice.update(deviceExcess.new, symbols, on: connection)
        try await FoldTables.endsOfToken.update(tokenExcess.new, symbols, on: connection)
        return (Set(deviceExcess.all), Set(tokenExcess.all))
    }

    /// - Parameter function: returns the numbers of the keys that exceed the bound, and whether the table has them.
    private func excess<Key>(
        _ keys: [Key],
        _ function: String,
        _ table: FoldTable<Key>,
        on connection: isolated Connection
    ) async throws -> (all: [Key], new: [Key]) {
        var result: (all: [Key], new: [Key]) = ([], [])
        for row in try await rows(of: keys, function, table.keys, on: connection) {
            var fields = FoldFields(row)
            let key = keys[Int(fields.int4()) - 1]
            result.all.append(key)
            if !fields.bool() { result.new.append(key) }
        }
        try await table.insert(result.new, symbols, on: connection)
        return result
    }

    /// The stored rows that the batch affects: those of its tokens, those of the devices that registered one, and those that an
    /// accepted push may correct.
    private func knownRows(_ accepted: Set<TokenID>, on connection: isolated Connection) async throws
        -> [TokenKey: TokenRow]
    {
        let tokens = batch.tokens
        let ofTokens = FoldTables.devicesOfToken.keys
        var result: [TokenKey: TokenRow] = [:]
        for row in try await rows(of: Array(tokens), "rows_of_tokens", ofTokens, on: connection) {
            try result.take(row, &symbols)
        }
        let others = Array(accepted.subtracting(tokens))
        for row in try await rows(of: others, "misdirected_rows_of_tokens", ofTokens, on: connection) {
            try result.take(row, &symbols)
        }
        let devices = Array(batch.devices)
        for row in try await rows(
            of: devices,
            "rows_of_devices",
            FoldTables.tokensOfDevice.keys,
            on: connection
        ) {
            try result.take(row, &symbols)
        }
        return result
    }

    /// Derives rows again, and writes those that changed.
    private func derive(
        _ keys: Set<TokenKey>,
        _ known: [TokenKey: TokenRow],
        on connection: isolated Connection
    )
        async throws
    {
        let history = try await history(of: keys, on: connection)
        let accepted = try await knownAccepted(Array(history.misdirectedTokens), on: connection)
        var rows: [TokenKey: TokenRow] = [:]
        for key in keys {
            let row = history.row(key, accepted: accepted, symbols.names)
            if let row, row != known[key] { rows[key] = row }
        }
        try await FoldTables.deviceToken.write(
            Array(rows),
            exists: { known[$0.key] != nil },
            symbols,
            on: connection
        )
        try await deriveEnds(of: keys, history, on: connection)
    }

    /// Keeps the batch's requests to tokens that had come to an end before.
    private func keepRequests(on connection: isolated Connection) async throws {
        guard !range.isEmpty, FoldTables.keepsTokenRequests else { return }
        let positions: [Parameter] = [.int8(range.after), .int8(range.upTo)]
        try await connection.send(
            """
            INSERT INTO token_newest AS t SELECT * FROM newest_token_requests($1, $2)
            ON CONFLICT (app_id) DO UPDATE SET received_at = greatest(t.received_at, excluded.received_at)
            """,
            positions
        )
        try await connection.send(
            "INSERT INTO token_request SELECT * FROM requests_to_ended_tokens($1, $2) ON CONFLICT DO NOTHING",
            positions
        )
    }

    /// Derives the first ends of tokens again, and keeps the requests since those that are new or earlier.
    private func deriveEnds(
        of keys: Set<TokenKey>,
        _ history: TokenHistory,
        on connection: isolated Connection
    ) async throws {
        guard FoldTables.keepsTokenRequests else { return }
        let (tokens, devices) = (batch.tokens, batch.devices)
        // Of a token that a push accepted put right not all keys may be here, and it has come to no end by that.
        let affected = keys.filter { tokens.contains($0.id) || devices.contains($0.owner) }
        let derived = history.firstEnds(of: affected, symbols.names)
        let known = try await knownEnds(Array(derived.keys), on: connection)
        var changed: [HeldToken: TokenEnd] = [:]
        var earlier: [HeldToken: TokenEnd] = [:]
        var later: [(key: HeldToken, value: Moment)] = []
        for (token, endedAt) in derived {
            let (before, end) = (known[token], TokenEnd.after(known[token], derived: endedAt))
            guard end != before else { continue }
            changed[token] = end
            if endedAt < before?.endedAt ?? .none { earlier[token] = end } else { later.append((token, endedAt)) }
        }
        try await FoldTables.deleteRequests(upTo: later, symbols, on: connection)
        try await FoldTables.noEnd.delete(later.filter { $0.value == .none }.map(\.key), symbols, on: connection)
        let beyond = try await keepRequests(since: earlier, on: connection)
        for token in earlier.keys where beyond.contains(token.id) { changed[token]?.isWhole = false }
        try await FoldTables.tokenEnd.write(
            Array(changed),
            exists: { known[$0.key] != nil },
            symbols,
            on: connection
        )
    }

    private func knownEnds(_ tokens: [HeldToken], on connection: isolated Connection) async throws
        -> [HeldToken: TokenEnd]
    {
        var result: [HeldToken: TokenEnd] = [:]
        for row in try await rows(of: tokens, "token_ends_known", FoldTables.heldToken, on: connection) {
            var fields = FoldFields(row)
            let token = tokens[Int(fields.int4()) - 1]
            result[token] = TokenEnd(endedAt: fields.moment(), isWhole: fields.bool())
        }
        return result
    }

    /// Keeps the requests in the log that were due after the ends of their tokens. It reads those of some tokens at a time, no more
    /// than the batch has left to read if each has as many as it may.
    ///
    /// - Returns: the tokens that have too many to be read, and those that were left when the batch had read as many as it may.
    private func keepRequests(since ends: [HeldToken: TokenEnd], on connection: isolated Connection) async throws
        -> Set<TokenID>
    {
        var sinces: [TokenID: Moment] = [:]
        for (token, end) in ends { sinces[token.id] = min(sinces[token.id] ?? .none, end.endedAt) }
        guard !sinces.isEmpty else { return [] }
        let bounds = try await connection.query("SELECT token_requests_bound(), projection.token_requests_of_batch()")
            .only()
        let ofToken = max(1, Int(try bounds.get(0, as: Int64.self)))
        var rowsLeft = Int(try bounds.get(1, as: Int64.self))
        var left = Array(sinces)
        var beyond: Set<TokenID> = []
        while !left.isEmpty, rowsLeft > 0 {
            let tokens = Array(left.suffix(max(1, rowsLeft / ofToken)))
            left.removeLast(tokens.count)
            let found = try await requests(to: tokens, since: ends, on: connection)
            rowsLeft -= found.read
            beyond.formUnion(found.beyond)
            try await FoldTables.tokenRequest.insertMissing(found.requests, symbols, on: connection)
        }
        beyond.formUnion(left.map(\.key))
        return beyond
    }

    /// The requests in the log to some tokens that were due after their ends, the tokens that have too many to be read, and how many
    /// were read.
    private func requests(
        to tokens: [(key: TokenID, value: Moment)],
        since ends: [HeldToken: TokenEnd],
        on connection: isolated Connection
    ) async throws -> (requests: [TokenRequest], beyond: Set<TokenID>, read: Int) {
        let rows = try await connection.query(
            "SELECT * FROM token_requests_known($1, $2, $3, $4)",
            FoldTables.tokensSince.map { $0.parameter(tokens, symbols) } + [.int8(range.upTo)]
        )
        var result: (requests: [TokenRequest], beyond: Set<TokenID>, read: Int) = ([], [], rows.count)
        for row in rows {
            var fields = FoldFields(row)
            let token = tokens[Int(fields.int4()) - 1].key
            let owner = TokenDevice(app: token.app, device: fields.symbol(in: &symbols.names))
            var request = TokenRequest(
                token: HeldToken(owner: owner, token: fields.symbol(in: &symbols.names)),
                at: fields.moment(),
                id: fields.uuid(),
                environment: fields.symbol(in: &symbols.names),
                topic: fields.symbol(in: &symbols.names),
                receivedAt: fields.moment()
            )
            let isAll = fields.bool()
            if FoldTables.keepsTimesDue {
                request.dueAt = fields.moment()
                request.notification = fields.symbol(in: &symbols.names)
                request.occurrence = fields.moment()
            } else {
                request.dueAt = request.at
            }
            if !isAll {
                result.beyond.insert(token)
            } else if let end = ends[request.token], request.token.id == token, end.endedAt <= request.dueAt {
                result.requests.append(request)
            }
        }
        return result
    }

    /// The events that the states of tokens are derived from, each once.
    private func history(of keys: Set<TokenKey>, on connection: isolated Connection) async throws
        -> TokenHistory
    {
        let devices = Array(Set(keys.map(\.owner)))
        let tokens = Array(Set(keys.map(\.id)))
        var events: Set<TokenEvent> = []
        for row in try await rows(
            of: devices,
            "registrations_of",
            FoldTables.tokensOfDevice.keys,
            on: connection
        ) {
            events.insert(try TokenEvent(row, &symbols))
        }
        for row in try await rows(
            of: tokens,
            "token_events_of",
            FoldTables.devicesOfToken.keys,
            on: connection
        ) {
            events.insert(try TokenEvent(row, &symbols))
        }
        return TokenHistory(events, symbols.names)
    }

    private func knownAccepted(_ tokens: [ProviderToken], on connection: isolated Connection)
        async throws
        -> [ProviderToken: Tie]
    {
        var result: [ProviderToken: Tie] = [:]
        for row in try await rows(
            of: tokens,
            "token_accepted_known",
            FoldTables.providerToken,
            on: connection
        ) {
            var fields = FoldFields(row)
            let token = tokens[Int(fields.int4()) - 1]
            let at = fields.moment()
            result[token] = Tie(at: at, device: fields.symbol(in: &symbols.names), id: fields.uuid())
        }
        return result
    }

    /// The rows that a function returns for keys.
    private func rows<Key>(
        of keys: [Key],
        _ function: String,
        _ columns: [FoldColumn<Key>],
        on connection: isolated Connection
    ) async throws -> [Row] {
        if keys.isEmpty { return [] }
        let parameters = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        let rows = try await connection.query(
            "SELECT * FROM \(function)(\(parameters))",
            columns.map { $0.parameter(keys, symbols) }
        )
        return Array(rows)
    }
}

extension [TokenKey: TokenRow] {
    /// Adds a row of `device_token`.
    fileprivate mutating func take(_ row: Row, _ symbols: inout Symbols) throws {
        var fields = FoldFields(row)
        let app = fields.int4()
        let device = fields.symbol(in: &symbols.names)
        let use = fields.tokenUse(&symbols)
        let key = TokenKey(
            app: app,
            device: device,
            use: use,
            token: fields.symbol(in: &symbols.names)
        )
        let state = fields.withBytes { $0.flatMap { TokenRow.State($0) } }
        guard let state else { throw FoldError.value }
        self[key] = TokenRow(
            state: state,
            registeredAt: fields.moment(),
            lastRegisteredAt: fields.moment(),
            endedAt: fields.moment()
        )
    }
}

extension TokenEvent {
    /// A row of `token_event`.
    fileprivate init(_ row: Row, _ symbols: inout Symbols) throws {
        var fields = FoldFields(row)
        let app = fields.int4()
        let device = fields.symbol(in: &symbols.names)
        let token = fields.symbol(in: &symbols.names)
        let (at, id) = (fields.moment(), fields.uuid())
        let what = fields.withBytes { $0.flatMap { What($0) } }
        guard let what else { throw FoldError.value }
        let key = TokenKey(app: app, device: device, use: fields.tokenUse(&symbols), token: token)
        self.init(key: key, at: at, id: id, what: what)
    }
}

extension FoldFields {
    fileprivate mutating func tokenUse(_ symbols: inout Symbols) -> TokenUse {
        TokenUse(
            provider: symbol(in: &symbols.names),
            type: symbol(in: &symbols.names),
            topic: symbol(in: &symbols.names),
            environment: symbol(in: &symbols.names),
            activity: symbol(in: &symbols.names)
        )
    }
}
