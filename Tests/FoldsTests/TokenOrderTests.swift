import Folds
import Testing

/// Law 1 of tokens without a database: their states are a function of the set of events.
@Suite struct TokenOrderTests {
    /// Together 8,000 worlds.
    @Test(arguments: 0..<4)
    func anyOrderAndAnyBatchesGiveTheStatesOfTheTieOrder(_ seed: UInt64) async throws {
        var random = Random(state: seed)
        for _ in 0..<2_000 {
            // Tests with time limits go on meanwhile.
            await Task.yield()
            let events = (1...Int.random(in: 1...9, using: &random)).map { SaidOfToken(number: $0, &random) }
            let model = TokenModel(events)
            var stored = StoredTokens()
            var left = events.shuffled(using: &random)[...]
            while !left.isEmpty {
                let batch = left.prefix(Int.random(in: 1...left.count, using: &random))
                try stored.apply(batch)
                left = left.dropFirst(batch.count)
            }
            guard stored.described == model.rows else {
                Issue.record("seed \(seed): \(events) give \(stored.described), not \(model.rows)")
                return
            }
            guard stored.describedEnds == model.ends else {
                Issue.record("seed \(seed): \(events) end \(stored.describedEnds), not \(model.ends)")
                return
            }
        }
    }

    @Test func whatIsNotWholeStaysSo() {
        #expect(TokenEnd.after(nil, derived: .none) == nil)
        #expect(TokenEnd.after(nil, derived: 5) == TokenEnd(endedAt: 5, isWhole: true))
        let whole = TokenEnd(endedAt: 5, isWhole: true)
        #expect(TokenEnd.after(whole, derived: 3)?.endedAt == 3)
        #expect(TokenEnd.after(whole, derived: 7)?.endedAt == 7)
        #expect(TokenEnd.after(whole, derived: .none) == nil)
        let partial = TokenEnd(endedAt: 5, isWhole: false)
        for derived in [3, 7, Moment.none] { #expect(TokenEnd.after(partial, derived: derived) == partial) }
    }

    @Test func anAnswerSaysOfATokenWhatAPNsSaidBehindFCM() throws {
        var symbols = Symbols()
        func verdict(_ text: String) -> PushVerdict? {
            var text = text
            return text.withUTF8 { PushAnswer(UnsafeRawBufferPointer($0), &symbols).verdict }
        }
        #expect(verdict(#"{"status": 200, "provider": "fcm"}"#) == .accepted)
        #expect(verdict(#"{"status": 410, "provider": "apns"}"#) == .dead)
        #expect(verdict(#"{"reason": "ExpiredToken", "status": 410, "provider": "apns"}"#) == .dead)
        #expect(verdict(#"{"reason": "TopicDisallowed", "status": 410, "provider": "apns"}"#) == nil)
        #expect(verdict(#"{"reason": "UNREGISTERED", "provider": "apns"}"#) == nil)
        #expect(verdict(#"{"reason": "UNREGISTERED", "provider": "fcm"}"#) == .dead)
        let behind = #"{"reason": "INVALID_ARGUMENT", "provider": "fcm", "attributes": {"apns_reason": "#
        #expect(verdict(behind + #""BadDeviceToken", "apns_status": 400}}"#) == .misdirected)
        #expect(verdict(behind + #"null, "apns_status": 410}}"#) == .dead)
        #expect(verdict(#"{"status": 400, "provider": "fcm", "attributes": "none"}"#) == nil)
    }
}

/// A random event of a token.
struct SaidOfToken: CustomStringConvertible {
    let kind: Event.Kind
    let device: String
    let token: String
    let id: UUIDValue
    /// In the tie order: of a dead token when APNs last knew it to be so.
    let at: Moment
    let saidAt: Moment
    let what: String
    let activity: String
    let data: String

    init(number: Int, _ random: inout Random) {
        what =
            ["registered", "registered", "registered", "unregistered", "dead", "misdirected", "accepted"]
            .randomElement(using: &random) ?? ""
        let isToken = what == "registered" || what == "unregistered"
        kind = isToken ? .token : .pushResult
        device = ["a", "b", isToken ? "c" : ""].randomElement(using: &random) ?? ""
        token = ["t1", "t2"].randomElement(using: &random) ?? ""
        activity = ["", "", "x"].randomElement(using: &random) ?? ""
        id = UUIDValue(high: .random(in: 0...2, using: &random), low: UInt64(number))
        saidAt = .random(in: 0...8, using: &random) * 1000
        let isDated = what == "dead" && Bool.random(using: &random)
        at = isDated ? .random(in: 0...8, using: &random) * 1000 : saidAt
        var fields = [#""provider": "apns""#]
        switch what {
        case "accepted": fields.append(#""status": 200"#)
        case "dead": fields.append(#""reason": "Unregistered""#)
        case "misdirected": fields.append(#""reason": "BadDeviceToken""#)
        default: fields.append(#""state": "\#(what)""#)
        }
        // A type under its older name and the one that it has now.
        let type = Bool.random(using: &random) ? "live_activity" : "activity_update"
        if !activity.isEmpty { fields += [#""type": "\#(type)""#, #""activity_id": "\#(activity)""#] }
        if isDated { fields.append(#""timestamp": \#(at / 1000 + 946_684_800_000)"#) }
        data = "{" + fields.joined(separator: ", ") + "}"
    }

    var description: String { "\(what) \(device)/\(token)/\(activity) at \(at), \(id.high).\(id.low)" }

    var tie: (Moment, String, UInt64, UInt64) { (at, device, id.high, id.low) }
}

/// A state machine of tokens that is fed every event in the tie order.
struct TokenModel {
    private struct Key: Hashable {
        let device, token, activity: String
    }

    private var lives: [Key: (firstAt: Moment, lastAt: Moment, endedAt: Moment?, state: String)] = [:]
    private var firstEnds: [String: Moment] = [:]

    init(_ events: [SaidOfToken]) {
        let events = events.sorted { $0.tie < $1.tie }
        for event in events {
            let key = Key(device: event.device, token: event.token, activity: event.activity)
            for other in lives.keys {
                let isOfToken = other.token == key.token
                let isOfDevice = other.device == key.device
                // Live Activities are of a type of their own; each has a token of its own.
                let isOfType = other.activity.isEmpty == key.activity.isEmpty
                switch event.what {
                case "registered" where isOfDevice && other.activity == key.activity && !isOfToken:
                    end(other, "superseded", event.at)
                case "registered" where isOfToken && isOfType && !isOfDevice: end(other, "moved", event.at)
                case "unregistered" where isOfToken && isOfDevice: end(other, "invalidated", event.at)
                case "dead" where isOfToken: end(other, "invalidated", event.at)
                case "misdirected" where isOfToken:
                    let isUndone = events.contains {
                        $0.what == "accepted" && $0.token == event.token && event.tie < $0.tie
                    }
                    if !isUndone, lives[other]?.state == "active" { lives[other]?.state = "misdirected" }
                default: break
                }
            }
            if event.what == "registered" {
                lives[key] = (lives[key]?.firstAt ?? event.at, event.at, nil, "active")
            }
        }
    }

    private mutating func end(_ key: Key, _ state: String, _ at: Moment) {
        guard let life = lives[key], life.endedAt == nil else { return }
        lives[key] = (life.firstAt, life.lastAt, at, state)
        let held = key.device + "/" + key.token
        firstEnds[held] = min(firstEnds[held] ?? at, at)
    }

    /// When each token first came to an end with a device, whether or not it was registered again.
    var ends: [String] { firstEnds.map { "\($0) \($1)" }.sorted() }

    var rows: [String] {
        lives.map { key, life in
            "\(key.device)/\(key.token)/\(key.activity) \(life.state) \(life.firstAt) \(life.lastAt) \(life.endedAt ?? .none)"
        }.sorted()
    }
}

/// The tables of tokens, with the look-ups of a batch.
struct StoredTokens {
    private var symbols = Symbols()
    private var events: Set<TokenEvent> = []
    private var accepted: [ProviderToken: Tie] = [:]
    private var rows: [TokenKey: TokenRow] = [:]
    private var ends: [HeldToken: TokenEnd] = [:]

    init() {}

    mutating func apply(_ said: some Sequence<SaidOfToken>) throws {
        var batch = TokenBatch()
        for event in said {
            let token = TokenID(app: 1, token: symbols.names.symbol(of: event.token))
            let tie = Tie(at: event.saidAt, device: symbols.names.symbol(of: event.device), id: event.id)
            var data = event.data
            try data.withUTF8 {
                let data = UnsafeRawBufferPointer($0)
                try batch.take(event.kind, of: token, tie, isKnown: false, data: data, &symbols)
            }
        }
        var newer: Set<TokenID> = []
        for (token, tie) in batch.accepted where accepted[token]?.isBefore(tie, symbols.names) ?? true {
            accepted[token] = tie
            newer.insert(token.id)
        }
        events.formUnion(batch.events)
        let touched = batch.registered.union(
            rows.filter { key, row in
                batch.tokens.contains(key.id) || batch.devices.contains(key.owner)
                    || (newer.contains(key.id) && row.state == .misdirected)
            }.keys
        )
        let (devices, tokens) = (Set(touched.map(\.owner)), Set(touched.map(\.id)))
        let known = events.filter {
            tokens.contains($0.key.id) || $0.what == .registered && devices.contains($0.key.owner)
        }
        let history = TokenHistory(known, symbols.names)
        for key in touched { rows[key] = history.row(key, accepted: accepted, symbols.names) }
        let affected = touched.filter { batch.tokens.contains($0.id) || batch.devices.contains($0.owner) }
        for (token, endedAt) in history.firstEnds(of: affected, symbols.names) {
            ends[token] = TokenEnd.after(ends[token], derived: endedAt)
        }
    }

    var describedEnds: [String] {
        let names = symbols.names
        return ends.map { token, end in
            "\(names.string(token.owner.device))/\(names.string(token.token)) \(end.endedAt)"
        }.sorted()
    }

    var described: [String] {
        let names = symbols.names
        return rows.map { key, row in
            let key = [key.device, key.token, key.use.activity].map { names.string($0) }.joined(separator: "/")
            return "\(key) \(row.state.word) \(row.registeredAt) \(row.lastRegisteredAt) \(row.endedAt)"
        }.sorted()
    }
}
